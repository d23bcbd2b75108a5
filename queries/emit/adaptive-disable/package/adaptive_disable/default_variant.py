"""The variant where the settings name none: that for which the package was emitted."""

DEFAULT_VARIANT = "one-token"
