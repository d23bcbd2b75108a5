"""Emits packages that lean on a code base: recipes and templates are data, what they name is bound to one release."""
