"""What is special about code bases and libraries, as data, and its loader."""
