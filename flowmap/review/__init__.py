"""A change against what somebody leans on: which contracts, watched fields and hook points are others after it."""
