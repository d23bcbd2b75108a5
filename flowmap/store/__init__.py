"""The SQLite index: its schema, how it is written whole, and how it is read."""
