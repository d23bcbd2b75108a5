"""A View as `file:line:col: what`, one a place, as editors and grep read it. Columns count from 1 here, as editors count them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TextIO, assert_never

from flowmap.model.place import Place
from flowmap.model.view import Block, Line, Listing, ListingRow, Paragraph, Role, Span, Table, Tree, TreeNode, View
from flowmap.render.untrusted import plain

AS_INDEXED: Mapping[str, str] = {}


def write_lines(view: View, stream: TextIO, shown: Mapping[str, str] = AS_INDEXED) -> None:
    """Write every line of a View that stands at a place. What stands at none, the notes too, is left out.

    `shown` holds how a file is to be named for whoever opens it; where it has none, the name in the index stands.
    """
    for line in (view.title, *(line for block in view.blocks for line in _block(block))):
        place = _place(line)
        if place:
            stream.write(f"{plain(shown.get(place.file, place.file))}:{place.line}:{place.col + 1}: {_what(line)}\n")


def _block(block: Block) -> Iterator[Line]:
    match block:
        case Paragraph(line):
            yield line
        case Table(_, rows):
            yield from (tuple(span for cell in row for span in cell) for row in rows)
        case Tree(roots):
            for root in roots:
                yield from _tree(root)
        case Listing(file, rows):
            for row in rows:
                yield from _listing_row(file, row)
        case _:
            assert_never(block)


def _tree(root: TreeNode) -> Iterator[Line]:
    """The lines of a tree. What stands at no place (guards, evidence) is said at the lines that it belongs to."""
    waiting: list[tuple[TreeNode, Line]] = [(root, ())]
    while waiting:
        node, around = waiting.pop()
        placed = _place(node.line)
        yield (*node.line, *around, *(span for line in node.below if not _place(line) for span in line))
        yield from (line for line in node.below if _place(line))
        under = () if placed or not node.children else (*around, *node.line)
        waiting.extend((child, under) for child in reversed(node.children))


def _listing_row(file: str, row: ListingRow) -> Iterator[Line]:
    yield (
        Span(row.text, Role.CODE),
        Span("", Role.PLACE, Place(file, row.number)),
        *(span for line in row.margin for span in line),
    )


def _place(line: Line) -> Place | None:
    return next((span.place for span in line if span.place and span.role is Role.PLACE), None)


def _what(line: Line) -> str:
    place = _place(line)
    texts = [plain(span.text) for span in line if not (span.role is Role.PLACE and span.place == place)]
    return " ".join(" ".join(texts).split())
