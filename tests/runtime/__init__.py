"""What `flowmap record` sees of a run, and what `flowmap compare-runtime` makes of it."""
