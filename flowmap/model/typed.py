"""What a person types, as the index can hold it: text that is UTF-8, numbers that SQLite has room for."""

from __future__ import annotations

_MOST_DIGITS = 18  # SQLite's integers have room for as many


def encodable(text: str) -> str:
    """The text, with an escape for each byte of it that is not UTF-8: shells and file systems pass such bytes on."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def line_number(digits: str) -> int:
    """The line that digits write; of a number that is longer than any file, one that is, too."""
    return int(digits) if len(digits) <= _MOST_DIGITS else 10**_MOST_DIGITS
