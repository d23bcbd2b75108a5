"""Hook points: where work can be bypassed, and what has to be done instead."""
