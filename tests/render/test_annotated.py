"""Annotated source as HTML: anchors, links, marks with cards; and nothing of the indexed code is ever markup."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser

import pytest

from flowmap.model.place import Place
from flowmap.render import highlight
from flowmap.render.addresses import Addresses
from flowmap.render.annotated import annotated_html, mark_id
from flowmap.render.highlight import coloured, line_html
from flowmap.reports.annotated import annotated, annotated_slice
from flowmap.reports.marks import watch
from flowmap.store.index import Index
from tests.atlas.program import HOSTILE, PROGRAM, line_of, program_in

DESK, ORDERS, OUTPUT = "shop/desk.py", "shop/orders.py", "shop/output.py"
VOID = {"img", "br"}


class Elements(HTMLParser):
    """Collects elements with their attributes, the text outside of cards, and what is still open."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Notes an element."""
        self.found.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append("card" if ("class", "fm-card") in attrs else tag)

    def handle_endtag(self, tag: str) -> None:
        """Closes one."""
        assert self.open.pop() in (tag, "card")

    def handle_data(self, data: str) -> None:
        """Notes a text."""
        self.text += "" if "card" in self.open else data

    def of(self, tag: str, **attributes: str) -> Iterator[dict[str, str | None]]:
        """The attributes of elements."""
        wanted = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items()}
        return (own for name, own in self.found if name == tag and wanted.items() <= own.items())


def to_line(place: Place) -> str:
    """The address of a line."""
    return f"{place.file}.html#L{place.line}"


ADDRESSES = Addresses(
    of_place=to_line,
    of_definition=lambda one: f"page/{one.name}.html",
    of_field=lambda name: f"field/{name}.html",
    of_page=lambda name: f"{name}.html",
    of_symbol=lambda _: "",
)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """The index of the shop."""
    return program_in(tmp_path_factory.mktemp("shop"))


def html_of(index: Index, path: str) -> str:
    """A whole file, `Order.amount` and `Order.note` being watched."""
    source = annotated(index, path, watch(index, ["Order.amount", "Order.note"]))
    return annotated_html(source, index.text_lines(path), ADDRESSES)


@pytest.mark.parametrize("path", [path for path, text in PROGRAM.items() if text])
def test_the_text_is_that_of_the_file(index: Index, path: str) -> None:
    """Every line can be read as it is, with its number, and all elements are closed."""
    html = html_of(index, path)
    page = Elements(html)
    assert page.open == []
    for line in PROGRAM[path].split("\n"):
        assert line in page.text
    assert [own["id"] for own in page.of("div", class_="fm-line")] == [
        f"L{number}" for number in range(1, PROGRAM[path].count("\n") + 1)
    ]


def test_nothing_of_the_code_is_markup(index: Index) -> None:
    """Neither in a string, a docstring, nor the name of a file."""
    for path in (ORDERS, "shop/<b>odd</b> & 'x'.py"):
        page = Elements(html_of(index, path))
        assert {name for name, _ in page.found} <= {"div", "a", "span", "button", "b"}
        assert not any(name.startswith("on") for _, own in page.found for name in own)
    assert HOSTILE in Elements(html_of(index, ORDERS)).text


def test_the_name_of_what_is_called_leads_there(index: Index) -> None:
    """And says the whole name."""
    (link,) = Elements(html_of(index, DESK)).of("a", title="shop.orders.read_order")
    assert link["href"] == f"{ORDERS}.html#L{line_of('def read_order', ORDERS)}"
    assert link["class"] == "fm-call fm-proven"


def test_where_several_may_run_they_are_listed(index: Index) -> None:
    """Behind a button, each with its own link."""
    html = html_of(index, DESK)
    line = next(row for row in html.split("\n") if "self" in row and "fm-many" in row)
    assert '<button type="button" class="fm-many">emit</button>' in line.replace('<span class="n">', "")
    assert "shop.output.OutputMixin.emit" in line
    assert "shop.desk.Loud.emit" in line


def test_what_is_defined_leads_to_its_page(index: Index) -> None:
    """From its name."""
    page = Elements(html_of(index, ORDERS))
    assert [own["href"] for own in page.of("a", class_="fm-def")] == [
        "page/Order.html",
        "page/__init__.html",
        "page/read_order.html",
    ]


def test_a_mark_is_a_letter_in_a_shape_and_says_what_it_is(index: Index) -> None:
    """For eyes and ears: no meaning by colour alone."""
    page = Elements(html_of(index, OUTPUT))
    labels = [own["aria-label"] for own in page.of("button") if "aria-label" in own]
    assert labels == ["update of Order.amount", "read of Order.amount"]
    assert any(own["class"] == "fm-mark fm-update" for own in page.of("button"))


def test_a_card_leads_on(index: Index) -> None:
    """To the accesses before and after, and to those at the other end, each at its mark."""
    line = line_of("order.amount > 3", DESK)
    page = Elements(html_of(index, DESK))
    assert list(page.of("span", id=mark_id("Order.amount", line)))
    links = [own["href"] for own in page.of("a")]
    assert f"{ORDERS}.html#L{line_of('self.amount', ORDERS)}.Order.amount" in links
    assert list(page.of("a", rel="next"))
    assert not list(page.of("a", rel="prev"))


def test_anchors_are_there_once(index: Index) -> None:
    """However often a line touches a field."""
    for path, text in PROGRAM.items():
        if text:
            ids = [own["id"] for _, own in Elements(html_of(index, path)).found if "id" in own]
            assert len(ids) == len(set(ids))


def test_left_out_lines_are_said(index: Index) -> None:
    """Where a slice is in several parts."""
    source = annotated_slice(index, ORDERS, range(1, 9), watch(index, []))
    apart = type(source)(source.file, (source.lines[0], source.lines[6]), source.n_lines, source.problem)
    assert "lines 2 to 6 are left out" in annotated_html(apart, index.text_lines(ORDERS), ADDRESSES)


def test_a_very_long_line_is_cut_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """A line of data may have a million characters."""
    monkeypatch.setattr(highlight, "LONGEST_LINE", 20)
    assert line_html([("s", "x" * 50)], {}) == f"{'x' * 20}<i>… 30 characters more</i>"


def test_a_string_over_several_lines_is_a_string_on_each() -> None:
    """Colours are those of the whole text."""
    rows = coloured(['a = """one', 'two"""', "b = 1"])
    assert all(name.startswith("s") for name, _ in rows[1])
    assert "".join(text for _, text in rows[1]) == 'two"""'
    assert rows[2][0] == ("", "b")


def test_parts_may_begin_within_a_colour() -> None:
    """A link on some of its characters leaves the others as they are."""
    html = line_html([("s", "abcdef")], {(2, 4): lambda inner: f"<a>{inner}</a>"})
    assert html == '<span class="s">ab</span><a><span class="s">cd</span></a><span class="s">ef</span>'


def test_text_that_is_no_python_is_shown_all_the_same() -> None:
    """Character by character."""
    assert "".join(text for row in coloured(["def (:", "  ?? $"]) for _, text in row) == "def (:  ?? $"
