"""From the facts of all files to one program: modules, names, class orders and the indexes that the rules ask."""
