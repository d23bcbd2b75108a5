"""Hook points."""
