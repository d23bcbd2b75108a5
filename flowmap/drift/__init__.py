"""Between releases: what is the same, what was moved or renamed, what is gone."""
