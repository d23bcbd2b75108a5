"""A site about a slice of a code base: pages out of the index, written as sources for Sphinx, which makes the site."""
