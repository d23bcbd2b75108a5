"""From a file's text to its facts. The only package that imports `ast`. Pure, one file at a time."""
