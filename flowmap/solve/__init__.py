"""The engine: values flow through the linked program until nothing new arrives."""
