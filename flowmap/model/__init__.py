"""The nouns of flowmap. This package imports nothing else of flowmap."""
