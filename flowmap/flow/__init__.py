"""How values move over the solved program: the rows that the index keeps for questions of where a value goes."""
