"""A page of HTML that stands alone: what a reader sees, and that text of the indexed code stays text."""

from __future__ import annotations

import io

from flowmap.model.place import Place
from flowmap.model.view import Paragraph, Role, Span, Table, Tree, TreeNode, View
from flowmap.render.document import write_document

NASTY = "<script>alert(1)</script>\x1b[31m"


def written(view: View, link: str = "") -> str:
    """A View as a page."""
    stream = io.StringIO()
    write_document(view, stream, link)
    return stream.getvalue()


def test_nothing_runs_and_nothing_is_fetched() -> None:
    """The rules of the page let no script run; it names no other file."""
    page = written(View((Span("title"),), (), (), "a source"))
    assert "default-src 'none'" in page
    assert "src=" not in page.replace("default-src", "").replace("style-src", "")
    assert "<title>title</title>" in page


def test_text_of_the_indexed_code_stays_text() -> None:
    """In the title, in every kind of block, and in the notes."""
    line = (Span(NASTY), Span(NASTY, Role.CODE))
    blocks = (Paragraph(line), Table((NASTY,), ((line,),)), Tree((TreeNode(line, (), (line,)),)))
    page = written(View(line, blocks, (), NASTY, (NASTY,)))
    assert "<script" not in page
    assert "\x1b" not in page


def test_places_lead_where_the_configuration_says() -> None:
    """And nowhere without a pattern."""
    view = View((Span("a.py:3", Role.PLACE, Place("pkg/a.py", 3)),), (), (), "a source")
    assert 'href="https://x/pkg/a.py#L3"' in written(view, "https://x/{path}#L{line}")
    assert "href" not in written(view)
