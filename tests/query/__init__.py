"""Questions as data: how they are read, what they find, what is said when they are wrong."""
