"""Names and text of the indexed code come from strangers: nothing in them may steer a terminal or another program."""

from __future__ import annotations

import unicodedata

_HARMFUL = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")  # control, format (bidirectional overrides among them), surrogates, line ends
_TAB = "    "


def plain(text: str) -> str:
    """The text on one line, each harmful character as its escape; tabs as blanks."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_harmless(char) for char in text.replace("\t", _TAB))


def _harmless(char: str) -> str:
    if unicodedata.category(char) not in _HARMFUL:
        return char
    return char.encode("unicode_escape").decode("ascii")
