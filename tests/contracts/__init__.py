"""Contracts: how they are read, what breaks them, and what is said then."""
