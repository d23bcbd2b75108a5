"""A change against contracts, watched fields and hook points."""
