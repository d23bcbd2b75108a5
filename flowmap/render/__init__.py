"""Renderers: a View in one format. One file a format; each knows the View alone, never a report."""
