"""How fast flowmap is, in ratios of one run: `make bench`."""
