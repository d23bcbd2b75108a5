"""Two states of a program against each other: what is different, and what only looks so."""
