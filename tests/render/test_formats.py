"""Formats serve any View; nothing in the indexed code can steer a terminal."""

from __future__ import annotations

import io
import json

import pytest
from rich.console import Console

from flowmap.model.place import Place
from flowmap.model.program import Confidence
from flowmap.model.view import Line, Listing, ListingRow, Paragraph, Role, Span, Table, Tree, TreeNode, View
from flowmap.render.json import as_plain, write_json
from flowmap.render.lines import write_lines
from flowmap.render.piped import write_piped
from flowmap.render.text import linked, write_text
from flowmap.render.untrusted import plain

PLACE = Place("pkg/a file.py", 7, 4)
LINK = "vscode://file/{path}:{line}:{col}"


def line(text: str, role: Role = Role.PLAIN) -> Line:
    """A line of one span."""
    return (Span(text, role),)


def view(*blocks: Paragraph | Table | Tree | Listing, notes: tuple[str, ...] = ()) -> View:
    """A View of some blocks."""
    return View(line("title", Role.HEADING), blocks, PLACE, "toy 1.0", notes)


def text_of(shown: View, width: int = 80, link: str = "", **options: bool) -> str:
    """A View as text."""
    stream = io.StringIO()
    write_text(shown, Console(file=stream, width=width, **options), link)  # type: ignore[arg-type]
    return stream.getvalue()


def lines_of(shown: View) -> list[str]:
    """A View as lines for an editor."""
    stream = io.StringIO()
    write_lines(shown, stream)
    return stream.getvalue().splitlines()


def test_the_source_is_always_said() -> None:
    """Even when there is nothing else to say."""
    assert text_of(view(notes=("a remark",))) == "title\n\na remark\nsource: toy 1.0\n"


def test_a_tree_keeps_its_shape_when_lines_wrap() -> None:
    """What does not fit goes on below, inside the guides."""
    shown = Tree(
        (
            TreeNode(
                line("root"), (TreeNode(line("word " * 8), (TreeNode(line("leaf")),), (line("guard"),)), TreeNode(line("last")))
            ),
        )
    )
    assert text_of(view(shown), width=30).splitlines()[1:-2] == [
        "root",
        "├─ word word word word word",
        "│  │  word word word",
        "│  │  guard",
        "│  └─ leaf",
        "└─ last",
    ]


def test_a_deep_tree_does_not_overflow() -> None:
    """Trees are not drawn by recursion."""
    node = TreeNode(line("leaf"))
    for _ in range(3000):
        node = TreeNode(line("x"), (node,))
    assert "leaf" in text_of(view(Tree((node,))))


def test_names_and_places_are_not_broken() -> None:
    """They are copied by readers: they move to the next line whole."""
    spans = (Span("a.very.long.symbol_name", Role.SYMBOL), Span("  "), Span("file.py:100", Role.PLACE, PLACE))
    assert text_of(view(Paragraph(spans)), width=30).splitlines()[1:3] == ["a.very.long.symbol_name", "  file.py:100"]


def test_words_are_never_broken() -> None:
    """What is longer than a line is broken between its words; a single word that is too long stands out whole."""
    name = "an_identifier_that_is_longer_than_a_line.another_one"
    shown = text_of(view(Paragraph((Span(f"Owner.{name}", Role.SYMBOL),))), width=30).splitlines()[1:-2]
    assert [text.strip() for text in shown] == ["Owner.", "an_identifier_that_is_longer_than_a_line.", "another_one"]


def test_the_first_line_uses_its_whole_width() -> None:
    """However far the lines after it hang in: the last column of a table stays on its row."""
    rows = ((line("a" * 20), line("b" * 25)), (line("c"), line("d")))
    assert text_of(view(Table(("", ""), rows)), width=47).splitlines()[1:3] == [f"{'a' * 20}  {'b' * 25}", f"c{' ' * 21}d"]


def test_a_short_note_stays_together() -> None:
    """It moves to the next line whole, without a blank before it."""
    spans = (Span("x" * 20), Span("  "), Span("see above here", Role.NOTE))
    assert text_of(view(Paragraph(spans)), width=30).splitlines()[1:3] == ["x" * 20, "  see above here"]


def test_a_pipe_gets_the_lines_of_a_console() -> None:
    """The same text, without rich being loaded for it."""
    shown = view(Tree((TreeNode(line("root"), (TreeNode(line("word " * 12)),)),)), notes=("remark",))
    stream = io.StringIO()
    write_piped(shown, stream, 40)
    assert stream.getvalue().replace("`- ", "└─ ") == text_of(shown, width=40).replace("`- ", "└─ ")


def test_a_table_is_aligned() -> None:
    """Columns are as wide as their widest cell; an empty cell keeps its room."""
    rows = ((line("ab"), line("c"), line("d")), (line("e"), (), line("f")))
    assert text_of(view(Table(("", "", ""), rows))).splitlines()[1:4] == ["ab  c  d", "e      f", ""]


def test_a_listing_has_a_margin() -> None:
    """Numbers are aligned; what stands in the margin is under its line."""
    rows = (ListingRow(9, "def f():"), ListingRow(10, "    g()", (line("→ g"),)))
    assert text_of(view(Listing("pkg/a.py", rows))).splitlines()[1:4] == [" 9 │ def f():", "10 │     g()", "   │     → g"]


def test_places_are_links_where_a_pattern_is_given() -> None:
    """A terminal gets OSC-8 links; a pipe gets none, whatever is configured."""
    shown = view(Paragraph((Span("a file.py:7", Role.PLACE, PLACE),)))
    linked_text = text_of(shown, link=LINK, force_terminal=True)
    assert "\x1b]8;" in linked_text
    assert "vscode://file/pkg/a%20file.py:7:5" in linked_text
    assert "\x1b" not in text_of(shown, link=LINK)
    assert "\x1b]8;" not in text_of(shown, force_terminal=True)


def test_a_pattern_without_fields_stays() -> None:
    """Only path, line and col are filled in."""
    assert linked("https://host/{rev}/{path}#L{line}", PLACE) == "https://host/{rev}/pkg/a%20file.py#L7"


def test_no_colour_means_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """NO_COLOR keeps a terminal's text free of colours."""
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[3" not in text_of(view(Paragraph(line("name", Role.SYMBOL))), force_terminal=True)
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "xterm-256color")
    assert "\x1b[36m" in text_of(view(Paragraph(line("name", Role.SYMBOL))), force_terminal=True)


@pytest.mark.parametrize(
    "evil", ["\x1b[31mred", "\x1b]8;;http://x\x1b\\y", "a\rb", "a\nb", "\u202eabc", "\x07", "a\u2028b", "\udcff"]
)
def test_control_characters_are_escaped(evil: str) -> None:
    """Escape sequences, line ends, bidirectional overrides and broken text arrive as their escapes, in every format."""
    shown = view(Paragraph((Span(evil, Role.SYMBOL, PLACE), Span("at", Role.PLACE, PLACE))), notes=(evil,))
    harmful = set("\x1b\r\x07\u202e\u2028\udcff")
    assert not harmful & set(text_of(shown))
    assert not harmful & set("".join(lines_of(shown)))
    assert len(lines_of(shown)) == 1
    stream = io.StringIO()
    write_json(shown, stream)
    assert stream.getvalue().isascii()


def test_harmless_text_stays() -> None:
    """Letters of any language, markup of rich and plain signs are text."""
    assert [plain(text) for text in ("naïve 名前 []", "a\tb", "[red]x[/red]")] == ["naïve 名前 []", "a    b", "[red]x[/red]"]
    assert "[red]x[/red] :smile:" in text_of(view(Paragraph(line("[red]x[/red] :smile:"))))


def test_lines_stand_at_places() -> None:
    """`file:line:col: what`, columns from 1; the guards around a call are said at the call; what stands nowhere is left out."""
    call = TreeNode((Span("f"), Span("  "), Span("x.py:7", Role.PLACE, PLACE)), (), (line("when a", Role.GUARD),))
    shown = view(Paragraph(line("prose")), Tree((TreeNode(line("if b", Role.GUARD), (call,)),)))
    assert lines_of(shown) == ["pkg/a file.py:7:5: f if b when a"]


def test_lines_of_a_listing() -> None:
    """Every line of source is a line, with its margin."""
    assert lines_of(view(Listing("a.py", (ListingRow(3, "f()", (line("→ f"),)),)))) == ["a.py:3:1: f() → f"]


def test_json_keeps_names_and_order() -> None:
    """A frozen dataclass is an object, a tuple an array, an enum its value."""
    stream = io.StringIO()
    write_json(view(notes=("n",)), stream)
    assert json.loads(stream.getvalue()) == {
        "source": "toy 1.0",
        "record": {"file": "pkg/a file.py", "line": 7, "col": 4},
        "notes": ["n"],
    }
    assert as_plain((Confidence.PROVEN, {"k": (1, None)})) == ["proven", {"k": [1, None]}]


def test_a_console_without_unicode_gets_plain_guides() -> None:
    """A tree is drawn with signs that the encoding has."""
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii", errors="replace")
    write_text(view(Tree((TreeNode(line("a"), (TreeNode(line("b")),)),))), Console(file=stream, width=80), "")
    stream.seek(0)
    assert "`- b" in stream.read()
