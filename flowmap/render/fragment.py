"""The blocks of a View as HTML for a page of a site. Texts of the indexed code are never markup."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import assert_never

from flowmap.model.view import Block, Line, Listing, Paragraph, Role, Span, Table, Tree, TreeNode
from flowmap.render.addresses import Addresses, told

_PLAIN_ROLES = (Role.PLAIN,)


def fragment(blocks: Iterable[Block], addresses: Addresses) -> str:
    """Blocks, one below the other."""
    return "\n".join(html for block in blocks if (html := _block(block, addresses)))


def line_html(line: Line, addresses: Addresses) -> str:
    """A line of text, its names and places as links."""
    return "".join(_span(span, addresses) for span in line)


def _block(block: Block, addresses: Addresses) -> str:
    match block:
        case Paragraph(line):
            return f"<p>{line_html(line, addresses)}</p>" if line else ""
        case Table():
            return _table(block, addresses)
        case Tree(roots):
            return _list(roots, addresses)
        case Listing():
            return _listing(block, addresses)
        case _:
            assert_never(block)


def _span(span: Span, addresses: Addresses) -> str:
    text = told(span.text) if span.text.strip() else " "
    address = _address(span, addresses)
    if address:
        return f'<a class="fm-{span.role.value}" href="{escape(address)}">{text}</a>'
    return text if span.role in _PLAIN_ROLES else f'<span class="fm-{span.role.value}">{text}</span>'


def _address(span: Span, addresses: Addresses) -> str:
    if span.page:
        return addresses.of_page(span.page)
    if span.place is None:
        return ""
    return (addresses.of_symbol(span.place) if span.role is Role.SYMBOL else "") or addresses.of_place(span.place)


def _table(table: Table, addresses: Addresses) -> str:
    heads = "".join(f'<th scope="col">{told(column)}</th>' for column in table.columns)
    head = f"<thead><tr>{heads}</tr></thead>" if any(table.columns) else ""
    rows = "\n".join(_row(row, addresses) for row in table.rows)
    return f'<div class="fm-wide" tabindex="0"><table class="fm-table">{head}<tbody>\n{rows}\n</tbody></table></div>'


def _row(row: Sequence[Line], addresses: Addresses) -> str:
    return f"<tr>{''.join(f'<td>{line_html(cell, addresses)}</td>' for cell in row)}</tr>"


def _list(roots: Sequence[TreeNode], addresses: Addresses) -> str:
    """Nested lists, made without recursion: call trees are deep."""
    if not roots:
        return ""
    made = ['<ul class="fm-tree">']
    waiting: list[TreeNode | str] = ["</ul>", *reversed(roots)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            made.append(node)
            continue
        made.append(f"<li>{line_html(node.line, addresses)}{''.join(_below(node, addresses))}")
        if node.children:
            made.append("<ul>")
            waiting.extend(("</ul></li>", *reversed(node.children)))
        else:
            made.append("</li>")
    return "\n".join(made)


def _below(node: TreeNode, addresses: Addresses) -> Iterator[str]:
    return (f'<div class="fm-below">{line_html(line, addresses)}</div>' for line in node.below)


def _listing(listing: Listing, addresses: Addresses) -> str:
    rows = "\n".join(
        f"{row.number:>5}  {told(row.text)}" + "".join(f"\n       {line_html(line, addresses)}" for line in row.margin)
        for row in listing.rows
    )
    return f'<pre class="fm-listing" tabindex="0">{rows}</pre>'
