"""A shop, small enough to be read in a minute."""
