"""Where a value goes and what it comes from: a search over the rows of moves that the index keeps."""
