"""A change as a comment on it: what is told in a line, then sections, folded where they are long."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TextIO

from flowmap.model.view import Section, View
from flowmap.render.markdown import Links, block_lines, escaped

_LONG = 8  # things in a section that is folded


def write_comment(view: View, summary: str, sections: Sequence[Section], stream: TextIO, links: Links) -> None:
    """Write a comment in GitHub-flavoured Markdown; the notes of the view stand below it."""
    stream.write(f"**{escaped(summary)}**\n\n")
    for section in sections:
        body = "\n".join(block_lines(section.tree, links))
        title = f"{escaped(section.title)} ({section.number:,})"
        if section.number > _LONG:
            stream.write(f"<details>\n<summary>{title}</summary>\n\n{body}\n</details>\n\n")
        else:
            stream.write(f"#### {title}\n\n{body}\n")
    for note in (*view.notes, view.source):
        stream.write(f"<sub>{escaped(note)}</sub>\n\n")
