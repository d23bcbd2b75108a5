"""A node with lines in it, as a table in Graphviz's own markup. Every text of the indexed code is escaped as XML is, and nothing
else of it is read as markup; each line is a port for edges, and a link of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from html import escape

from flowmap.model.graph import GraphNode, GraphRow, NodeRole, RowKind
from flowmap.model.place import Place
from flowmap.render.node_lines import drawn_rows, notes_of
from flowmap.render.untrusted import plain

_NO_WIDTH = "\u200b"
_MONOSPACE = "Courier"
_QUIET = "#57606a"
_FRAMES = {  # the width, line and ground of a frame; what a frame says is said in words, too
    NodeRole.SUBJECT: 'border="3" bgcolor="#fff4d6"',
    NodeRole.DEAD: 'border="1" style="dotted" bgcolor="#ffffff"',
}
_FRAME = 'border="1" bgcolor="#ffffff"'
Address = Callable[[Place | None], str]


def table(node: GraphNode, address: Address) -> str:
    """The label of a node that has rows."""
    said = " · ".join(map(_text, (node.label, *notes_of(node))))
    head = f'<font point-size="12" color="{_QUIET}">{said}</font>'
    frame = f'{_FRAMES.get(node.role, _FRAME)} color="{_QUIET}" cellborder="0" cellspacing="0" cellpadding="2"'
    rows = "".join(_row(node, row, address) for row in drawn_rows(node))
    return f'<<table {frame}><tr><td align="left">{head}</td></tr>{rows}</table>>'


def _row(node: GraphNode, row: GraphRow, address: Address) -> str:
    attributes = "".join(f' {name}="{value}"' for name, value in _attributes(node, row, address))
    indent = "&#160;&#160;" if row.kind is RowKind.CALL else ""
    return (
        f'<tr><td align="left"{attributes}><font face="{_MONOSPACE}" point-size="11">{indent}{_text(row.label)}</font></td></tr>'
    )


def _attributes(node: GraphNode, row: GraphRow, address: Address) -> Iterator[tuple[str, str]]:
    yield "port", row.id
    yield "id", row.id
    told = _NEWLINE.join(_hint(each) for each in (row.text, row.at, *row.details) if each)
    link = address(row.place) or address(node.place)
    yield "title", told
    if link:
        yield "href", _hint(link)
        yield "target", "_blank"


_NEWLINE = "&#10;"


def _text(text: str) -> str:
    """A text as it is shown: blanks stay, nothing of it is markup."""
    return escape(plain(text)).replace(" ", "&#160;")


def _hint(text: str) -> str:
    """The same in an attribute, where Graphviz reads `\\N` and its like whatever is done: a blank without width parts them."""
    return escape(plain(text)).replace("\\", f"\\{_NO_WIDTH}")
