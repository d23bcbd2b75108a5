"""Markdown: what a reader of a comment sees, and that text of the indexed code stays text."""

from __future__ import annotations

import io

from markdown_it import MarkdownIt

from flowmap.model.place import Place
from flowmap.model.view import Block, Line, Listing, ListingRow, Paragraph, Role, Span, Table, Tree, TreeNode, View
from flowmap.render.markdown import Links, write_markdown

NASTY = "<script>alert(1)</script> **b** `x` | [a](http://b) \x1b[31m"


def written(view: View, pattern: str = "") -> str:
    """A View as Markdown."""
    stream = io.StringIO()
    write_markdown(view, stream, Links(pattern))
    return stream.getvalue()


def view_of(*blocks: Block, title: str = "title") -> View:
    """A View of some blocks."""
    return View((Span(title),), blocks, (), "a source", ("a note",))


def rendered(text: str) -> str:
    """The HTML that a reader's tool makes of it; markup of HTML goes through, as on most pages."""
    return str(MarkdownIt("commonmark", {"html": True}).enable("table").render(text))


def test_a_place_leads_to_its_page() -> None:
    """With a pattern a place is a link, without one it is text."""
    paragraph = Paragraph((Span("a.py:3", Role.PLACE, Place("pkg/a.py", 3)),))
    assert "[`a.py:3`](https://x/pkg/a.py#L3)" in written(view_of(paragraph), "https://x/{path}#L{line}")
    assert "](" not in written(view_of(paragraph))


def test_a_tree_is_a_nested_list() -> None:
    """What hangs below a line hangs below its item; further lines of it stand in the same item."""
    tree = Tree((TreeNode((Span("top"),), (TreeNode((Span("under"),)),), ((Span("guard", Role.GUARD),),)),))
    html = rendered(written(view_of(tree)))
    assert "<li>top\n<br><code>guard</code>\n<ul>\n<li>under</li>" in html


def test_a_table_is_a_table() -> None:
    """Columns and rows; a bar in a cell ends no cell."""
    html = rendered(written(view_of(Table(("a", "b"), (((Span("x|y", Role.CODE),), (Span("z|w"),)),)))))
    assert "<td><code>x|y</code></td>" in html
    assert "<td>z|w</td>" in html


def test_a_heading_in_a_paragraph_is_a_heading() -> None:
    """The parts of a report have headings of the third level, below its title."""
    text = written(view_of(Paragraph((Span("Part", Role.HEADING),)), Paragraph(())))
    assert text.startswith("## title\n\n### Part\n")


def test_text_of_the_indexed_code_stays_text() -> None:
    """Markup, code fences and escape codes in names, guards and source are shown as they are, in every kind of block."""
    line: Line = (Span(NASTY), Span(NASTY, Role.CODE))
    fenced = Listing("a.py", (ListingRow(1, f"```{NASTY}"),))
    html = rendered(written(view_of(Paragraph(line), Table((NASTY,), ((line,),)), Tree((TreeNode(line),)), fenced, title=NASTY)))
    assert "<script" not in html
    assert "<strong>" not in html
    assert 'http://b"' not in html
    assert "\x1b" not in html
    assert html.count("&lt;script&gt;") == 9
