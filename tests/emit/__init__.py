"""Packages that lean on a code base: recipes, bindings, refusals, and what is written."""
