"""A View as GitHub-flavoured Markdown, for a comment or a page. Text of the indexed code stays text: it has no markup."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TextIO, assert_never

from flowmap.model.place import Place
from flowmap.model.view import Block, Line, Listing, Paragraph, Role, Span, Table, Tree, TreeNode, View
from flowmap.render.text import linked
from flowmap.render.untrusted import plain

_MARKUP = re.compile(r"([\\`*_{}\[\]<>()#+!|~&-])")
_AS_CODE = (Role.CODE, Role.SYMBOL, Role.PLACE, Role.GUARD)
_TICKS = re.compile(r"`+")


@dataclass(frozen=True, slots=True)
class Links:
    """Where a place can be opened: a pattern with {path} and {line}; "" where nowhere."""

    pattern: str = ""

    def of(self, place: Place) -> str:
        """The address of a place, "" where it has none."""
        return linked(self.pattern, place) if self.pattern else ""


def write_markdown(view: View, stream: TextIO, links: Links) -> None:
    """Write a View: its title as a heading of the second level, what belongs to it below, what was left out at the end."""
    stream.write(f"## {_line(view.title, links)}\n\n")
    for block in view.blocks:
        stream.writelines(f"{line}\n" for line in block_lines(block, links))
    for note in (*view.notes, f"source: {view.source}"):
        stream.write(f"\n*{escaped(note)}*\n")


def block_lines(block: Block, links: Links) -> Iterator[str]:
    """The lines of one block."""
    match block:
        case Paragraph(line):
            yield from _paragraph(line, links)
        case Table(columns, rows):
            yield from _table(columns, rows, links)
        case Tree(roots):
            for root in roots:
                yield from _tree(root, links)
            yield ""
        case Listing(_, rows):
            yield from _listing([row.text for row in rows])
        case _:
            assert_never(block)


def _paragraph(line: Line, links: Links) -> Iterator[str]:
    if not line:
        return
    level = "### " if line[0].role is Role.HEADING else ""
    yield f"{level}{_line(line, links)}"
    yield ""


def _table(columns: tuple[str, ...], rows: tuple[tuple[Line, ...], ...], links: Links) -> Iterator[str]:
    yield f"| {' | '.join(map(escaped, columns))} |"
    yield f"|{'---|' * len(columns)}"
    yield from (f"| {' | '.join(_line(cell, links) for cell in row)} |" for row in rows)
    yield ""


def _tree(root: TreeNode, links: Links) -> Iterator[str]:
    waiting = [(root, 0)]
    while waiting:
        node, depth = waiting.pop()
        indent = "  " * depth
        yield f"{indent}- {_line(node.line, links)}"
        yield from (f"{indent}  <br>{_line(line, links)}" for line in node.below)
        waiting.extend((child, depth + 1) for child in reversed(node.children))


def _listing(texts: list[str]) -> Iterator[str]:
    fence = "`" * max(3, 1 + max((len(run) for text in texts for run in _TICKS.findall(text)), default=0))
    yield fence
    yield from map(plain, texts)
    yield fence
    yield ""


def _line(line: Line, links: Links) -> str:
    return " ".join("".join(_span(span, links) for span in line).split())


def _span(span: Span, links: Links) -> str:
    if not span.text.strip():
        return span.text
    address = links.of(span.place) if span.place else ""
    text = _code(span.text) if span.role in _AS_CODE else escaped(span.text)
    return f"[{text}]({address})" if address else text


def _code(text: str) -> str:
    """Text between as many backticks as it takes; `|` would end the cell of a table even there."""
    shown = plain(text).strip()
    ticks = "`" * (1 + max((len(run) for run in _TICKS.findall(shown)), default=0))
    pad = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{ticks}{pad}{shown}{pad}{ticks}".replace("|", "\\|")


def escaped(text: str) -> str:
    """A text that is nothing but text."""
    return _MARKUP.sub(r"\\\1", plain(text))
