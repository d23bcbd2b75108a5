"""What the index keeps of values over the solved program: how they move, and the accesses of fields."""
