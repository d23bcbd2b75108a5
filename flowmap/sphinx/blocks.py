"""A View as nodes of docutils. Texts of the indexed code are nodes of text, never markup; places and names wait to be linked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import assert_never

from docutils import nodes
from sphinx import addnodes

from flowmap.model.place import Place
from flowmap.model.view import Block, Line, Listing, Paragraph, Role, Span, Table, Tree, TreeNode, View
from flowmap.render.untrusted import plain

DOMAIN, PLACE, NAMED = "flow", "place", "named"  # what links to where something stands; to what is told of it, if anything is
_DEEPEST = 24  # lists in lists: beyond, what hangs below stands beside it, so that pages of any depth can be written
_LITERAL = (Role.CODE, Role.GUARD, Role.SYMBOL, Role.PLACE)


def blocks_of(view: View) -> list[nodes.Node]:
    """The content of a View."""
    content = [node for block in view.blocks for node in _block(block)]
    return [
        _paragraph(view.title, "flow-title"),
        *content,
        *(_paragraph((Span(each, Role.NOTE),), "flow-note") for each in view.notes),
    ]


def _block(block: Block) -> Iterator[nodes.Node]:
    match block:
        case Paragraph(()):
            pass
        case Paragraph(line):
            yield _paragraph(line, "flow-heading" if line[0].role is Role.HEADING else "flow-line")
        case Table():
            yield _table(block)
        case Tree(roots):
            yield _tree(roots)
        case Listing():
            yield from _listing(block)
        case _:
            assert_never(block)


def _paragraph(line: Line, kind: str) -> nodes.paragraph:
    """A line. Quotes and dashes in it stay as they are."""
    found = nodes.paragraph("", "", *_spans(line), classes=[kind])
    found["support_smartquotes"] = False
    return found


def _spans(line: Line) -> Iterator[nodes.Node]:
    for span in line:
        text = plain(span.text)
        if text.isspace():
            yield nodes.Text(" ")
        elif text:
            yield _linked(_span(text, span.role), span)


def _span(text: str, role: Role) -> nodes.TextElement:
    if role in _LITERAL:
        return nodes.literal("", text, classes=[f"flow-{role.value}"])
    return nodes.inline("", text, classes=[f"flow-{role.value}"])


def _linked(shown: nodes.TextElement, span: Span) -> nodes.Node:
    if span.place is None:
        return shown
    return waiting(shown, span.place, NAMED if span.role is Role.SYMBOL else PLACE)


def waiting(shown: nodes.TextElement, place: Place, kind: str) -> addnodes.pending_xref:
    """A text that becomes a link where there is something to link to."""
    attributes = {"refdomain": DOMAIN, "reftype": kind, "reftarget": f"{place.file}:{place.line}", "place": place}
    return addnodes.pending_xref("", shown, refexplicit=True, refwarn=False, **attributes)


def _tree(roots: Sequence[TreeNode]) -> nodes.bullet_list:
    """Lists in lists, made without recursion."""
    whole = _list()
    waiting_rows = [(whole, root, 1) for root in reversed(roots)]
    while waiting_rows:
        into, row, depth = waiting_rows.pop()
        item = nodes.list_item("", _paragraph(row.line, "flow-line"), *(_paragraph(line, "flow-below") for line in row.below))
        into.append(item)
        if row.children:
            below = _list() if depth < _DEEPEST else into
            if below is not into:
                item.append(below)
            waiting_rows.extend((below, child, depth + 1) for child in reversed(row.children))
    return whole


def _list() -> nodes.bullet_list:
    return nodes.bullet_list(classes=["flow-tree"])


def _table(table: Table) -> nodes.table:
    n_columns = len(table.columns) or max((len(row) for row in table.rows), default=1)
    group = nodes.tgroup("", *(nodes.colspec(colwidth=1) for _ in range(n_columns)), cols=n_columns)
    if any(table.columns):
        group.append(nodes.thead("", _row((Span(column),) for column in table.columns)))
    group.append(nodes.tbody("", *map(_row, table.rows)))
    return nodes.table("", group, classes=["flow-table"])


def _row(cells: Iterable[Line]) -> nodes.row:
    return nodes.row("", *(nodes.entry("", _paragraph(cell, "flow-line")) for cell in cells))


def _listing(listing: Listing) -> Iterator[nodes.Node]:
    """The text with its line numbers, and what its margin says under it."""
    if not listing.rows:
        return
    text = "\n".join(plain(row.text) for row in listing.rows)
    first = listing.rows[0].number
    yield nodes.literal_block(text, text, language="python", linenos=True, highlight_args={"linenostart": first, "force": True})
    said = [row for row in listing.rows if row.margin]
    if said:
        yield nodes.bullet_list("", *(_margin(listing.file, row.number, row.margin) for row in said), classes=["flow-tree"])


def _margin(file: str, number: int, margin: Sequence[Line]) -> nodes.list_item:
    place = Span(f"line {number}", Role.PLACE, Place(file, number))
    spans = [span for line in margin for span in (Span(" "), *line)]
    return nodes.list_item("", _paragraph((place, *spans), "flow-line"))
