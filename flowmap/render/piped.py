"""A View as text for a pipe or a file: the lines of a terminal, without colours and links."""

from __future__ import annotations

from typing import TextIO

from flowmap.model.view import View
from flowmap.render.layout import laid_out, page_of


def write_piped(view: View, stream: TextIO, width: int) -> None:
    """Write a View to a stream, wrapped to `width` cells."""
    page = page_of(width, stream.encoding or "")
    stream.writelines("".join(piece.text for piece in pieces) + "\n" for pieces in laid_out(view, page))
