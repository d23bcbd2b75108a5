"""Second opinions: what another tool says about the same sites."""
