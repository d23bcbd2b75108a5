"""Contracts as data: read with all that is wrong at once, held against an index, with a baseline of what is accepted."""
