"""Pictures of graphs: what is drawn how, and that no text of the indexed code is ever read as markup."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import stat
import sys
import sysconfig
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

from flowmap.model.graph import (
    CutKind,
    EdgeKind,
    Graph,
    GraphCluster,
    GraphCut,
    GraphEdge,
    GraphKind,
    GraphNode,
    GraphRow,
    NodeKind,
    NodeRole,
    RowKind,
)
from flowmap.model.place import Place
from flowmap.model.problem import ExitCode, FlowmapError
from flowmap.model.program import Confidence, DefinitionKind
from flowmap.render.cut_links import with_cut_links
from flowmap.render.dot import dot, quoted
from flowmap.render.html import html
from flowmap.render.mermaid import escaped, mermaid
from flowmap.render.node_lines import drawn_rows
from flowmap.render.svg import find_drawer, svg
from flowmap.reports.graph_parts import cut_of

PLACE = Place("pkg/a.py", 7)
SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = (
    '"/></text><script>alert(1)</script>',
    "<b>bold</b>",
    "&lt;script&gt; & <!-- --> ]]>",
    '"]; evil [URL="javascript:alert(1)"',
    "back\\slash \\n \\N \\G and a last \\",
    "<<table><tr><td>x</td></tr></table>>",
    "\x1b[31mred\x1b[0m \x07 \u202egnol",
    "a\nsecond line %%{init: {}}%%\n  click x call alert()",
    "`md` **x** #quot; ]--> end",
)


def graph_of(text: str = "run", confidence: Confidence = Confidence.PROVEN, kind: EdgeKind = EdgeKind.CALL) -> Graph:
    """Two nodes and an edge, with a text wherever one may stand."""
    first = GraphNode("n1", text, text, DefinitionKind.FUNCTION, NodeRole.SUBJECT, PLACE, text, "c1", 0, (text,))
    cut = GraphCut(34, "callees", f"flowmap callees {text}", CutKind.CALLEES, (text,))
    second = replace(first, id="n2", role=NodeRole.OTHER, level=1, notes=(), cuts=(cut,))
    edge = GraphEdge("e1", "n1", "n2", kind, confidence, text, (text, text), PLACE, text)
    return Graph(GraphKind.CALLS, text, (first, second), (edge,), (GraphCluster("c1", text),), 34)


def block_of(text: str = "run", role: NodeRole = NodeRole.OTHER, n_rows: int = 2) -> Graph:
    """A node with lines in it, one of which is a call, and an edge to itself; a text wherever one may stand."""
    rows = [GraphRow(f"r{number}", RowKind.STATEMENT, text, text, PLACE, text, (text,)) for number in range(n_rows)]
    rows[-1] = replace(rows[-1], kind=RowKind.CALL)
    node = GraphNode("b1", text, text, NodeKind.BLOCK, role, PLACE, text, "", 0, (text,), (), tuple(rows))
    kinds = (EdgeKind.HOLDS, EdgeKind.FAILS, EdgeKind.AGAIN, EdgeKind.RAISES, EdgeKind.LATER)
    edges = (GraphEdge(f"e{kind}", "b1", "b1", kind, Confidence.PROVEN, text, (text,), PLACE, text, "r0", "r1") for kind in kinds)
    return Graph(GraphKind.CONTROL, text, (node,), tuple(edges), (), 0)


def no_link(_: Place | None) -> str:
    """Places lead nowhere."""
    return ""


def link(place: Place | None) -> str:
    """Places lead to a page."""
    return f"https://code.example/{place.file}?a=1&b=2#L{place.line}" if place else ""


def drawn(graph: Graph) -> ElementTree.Element:
    """The picture, read as XML."""
    return ElementTree.fromstring(svg(dot(graph, link), 20))


def shown(root: ElementTree.Element) -> set[str]:
    """Every text of a picture, but for its styles."""
    return {text for each in root.iter(f"{SVG}text") for text in ["".join(each.itertext())]}


def test_a_picture_says_what_is_drawn_and_what_is_cut() -> None:
    """Names, guards, counts, a legend in words."""
    found = shown(drawn(graph_of("run")))
    assert {"run", "+34 callees"} <= found
    assert any("dashed: inferred" in text for text in found)


def test_nodes_and_edges_are_links_with_stable_ids() -> None:
    """A page can lead to a node, and a node to its line."""
    root = drawn(graph_of())
    assert {"n1", "n2", "e1", "c1"} <= {each.get("id") for each in root.iter()}
    targets = {value for each in root.iter(f"{SVG}a") for key, value in each.attrib.items() if key.endswith("href")}
    assert targets == {"https://code.example/pkg/a.py?a=1&b=2#L7"}


def test_without_a_pattern_nothing_is_a_link() -> None:
    """Where places lead nowhere."""
    assert "href" not in re.sub(r"xmlns:\w+=\S+", "", svg(dot(graph_of(), no_link), 20))


def test_confidence_is_said_by_the_line_and_not_by_colour_alone() -> None:
    """Solid, dashed, dotted; colours differ, too."""
    styles = {each: re.search(r"n1 -> n2 \[.*style=(\w+)", dot(graph_of("run", each), no_link)) for each in Confidence}
    assert [found[1] for found in styles.values() if found] == ["solid", "dashed", "dotted"]


def test_a_border_has_another_head() -> None:
    """What runs elsewhere ends in a diamond."""
    assert "arrowhead=diamond" in dot(graph_of(kind=EdgeKind.BORDER), no_link)
    assert "diamond " not in dot(graph_of(), no_link).replace("diamond:", "")


@pytest.mark.parametrize(("n_classes", "way"), [(8, "TB"), (9, "LR")])
def test_many_classes_stand_below_one_another(n_classes: int, way: str) -> None:
    """A few side by side, below their base."""
    (base, first) = graph_of().nodes
    below = tuple(replace(first, id=f"n{number}") for number in range(10, 10 + n_classes))
    graph = replace(graph_of(), kind=GraphKind.CLASSES, nodes=(base, *below), edges=())
    assert f"rankdir={way}" in dot(graph, no_link)


def test_a_picture_is_light_and_dark() -> None:
    """As the reader's page is."""
    assert "@media (prefers-color-scheme: dark)" in svg(dot(graph_of(), no_link), 20)


@pytest.mark.parametrize("text", HOSTILE)
def test_a_picture_shows_hostile_text_as_text(text: str) -> None:
    """No element, attribute or link comes out of a name, a guard or a place."""
    root = drawn(graph_of(text))
    tags = {each.tag.removeprefix(SVG) for each in root.iter()}
    assert tags <= {"svg", "style", "g", "a", "title", "text", "path", "polygon", "polyline", "ellipse"}
    names = {key for each in root.iter() for key in each.attrib}
    assert not {name for name in names if name.startswith("on")}
    targets = {value for each in root.iter() for key, value in each.attrib.items() if key.endswith("href")}
    assert targets == {link(PLACE)}


@pytest.mark.parametrize("text", HOSTILE)
def test_the_lines_of_a_node_show_hostile_text_as_text(text: str) -> None:
    """In Graphviz's own markup, where every line is a cell, a port and a link."""
    root = drawn(block_of(text))
    tags = {each.tag.removeprefix(SVG) for each in root.iter()}
    assert tags <= {"svg", "style", "g", "a", "title", "text", "path", "polygon", "polyline", "ellipse"}
    assert not {key for each in root.iter() for key in each.attrib if key.startswith("on")}
    targets = {value for each in root.iter() for key, value in each.attrib.items() if key.endswith("href")}
    assert targets == {link(PLACE)}
    assert {each.get("id") for each in root.iter()} >= {"b1", "a_r0", "a_r1", "eagain"}


@pytest.mark.parametrize("text", HOSTILE[:6])
def test_the_lines_of_a_node_show_every_character(text: str) -> None:
    """In the cell, and in its tooltip."""
    root = drawn(block_of(text))
    assert text in {each.replace("\xa0", " ") for each in shown(root)}
    titles = [value for each in root.iter() for key, value in each.attrib.items() if key.endswith("}title")]
    assert [text, text, text] in [title.replace("\u200b", "").split("\n") for title in titles]


def test_each_line_of_a_node_leads_to_its_place() -> None:
    """Without a pattern none is a link, and each still says what it is."""
    assert "href" not in re.sub(r"xmlns:\w+=\S+", "", svg(dot(block_of(), no_link), 20))
    assert svg(dot(block_of(), link), 20).count("#L7") > 3


@pytest.mark.parametrize(("n_rows", "n_drawn"), [(14, 14), (15, 14), (400, 14)])
def test_a_picture_has_room_for_some_lines_of_a_node(n_rows: int, n_drawn: int) -> None:
    """The first and the last stay, and calls; how many are left out is said."""
    (node,) = block_of("run", n_rows=n_rows).nodes
    found = drawn_rows(node)
    assert len(found) <= n_drawn
    assert (found[0].id, found[-1].id) == ("r0", f"r{n_rows - 1}")
    left_out = [int(row.label.split()[1]) for row in found if row.label.startswith("…")]
    assert sum(left_out) + len(found) - len(left_out) == n_rows


def test_how_control_goes_on_is_said_by_the_line_and_not_by_colour_alone() -> None:
    """Each way has its own line or head."""
    lines = [line for line in dot(block_of(), no_link).splitlines() if "->" in line]
    assert len({(re.findall(r"arrowhead=\w+", line)[0], re.findall(r"style=\"?[\w,]+", line)[0]) for line in lines}) == 5


@pytest.mark.parametrize("text", HOSTILE[:6])
def test_a_picture_shows_every_character(text: str) -> None:
    """Nothing is taken for an escape, an entity or a table."""
    assert text in shown(drawn(graph_of(text)))


@pytest.mark.parametrize("text", HOSTILE[:6])
def test_a_tooltip_shows_every_character(text: str) -> None:
    """In them the whole is said: several lines, each as it is."""
    root = drawn(graph_of(text))
    titles = [value for each in root.iter() for key, value in each.attrib.items() if key.endswith("}title")]
    assert [text, text] in [title.replace("\u200b", "").split("\n")[1:] for title in titles]


@pytest.mark.parametrize("text", HOSTILE)
def test_mermaid_gets_the_lines_of_a_node_as_numbers(text: str) -> None:
    """As many lines of Mermaid as with a harmless text."""
    lines = mermaid(block_of(text)).splitlines()
    assert len(lines) == len(mermaid(block_of("run")).splitlines())
    assert not [line for line in lines if re.search(r"<(?!br/>)", line)]


@pytest.mark.parametrize("text", HOSTILE)
def test_graphviz_gets_hostile_text_in_quotes(text: str) -> None:
    """A text ends no string, and stands on one line."""
    source = dot(graph_of(text), no_link)
    assert "\x1b" not in source
    outside = re.sub(r'"(?:\\.|[^"\\])*"', "", source, flags=re.DOTALL)
    assert not {"script", "evil", "alert", "table"} & set(re.findall(r"\w+", outside))


@pytest.mark.parametrize("text", HOSTILE)
def test_mermaid_gets_hostile_text_as_numbers(text: str) -> None:
    """No quote, bracket, tag, directive or line end of it is left."""
    assert not re.search(r"[\"'<>&{}\[\]`|\\\n\x1b]", escaped(text))
    lines = mermaid(graph_of(text)).splitlines()
    assert len(lines) == len(mermaid(graph_of("run")).splitlines())
    assert not [line for line in lines if line.strip().startswith("click")]


def test_mermaid_draws_confidence_by_the_line() -> None:
    """A guess has a question mark, too."""
    lines = {each: mermaid(graph_of("run", each)) for each in Confidence}
    assert '  n1 -- "run" --> n2' in lines[Confidence.PROVEN]
    assert '  n1 -. "run" .-> n2' in lines[Confidence.INFERRED]
    assert '  n1 -. "? run" .-> n2' in lines[Confidence.POSSIBLE]


def test_quoting_leaves_plain_text_alone() -> None:
    """What needs none."""
    assert quoted("Scheduler.run (a, b)") == "Scheduler.run (a, b)"
    assert escaped("Scheduler.run (a, b)") == "Scheduler.run (a, b)"


def script(folder: Path, text: str) -> Path:
    """A program of Python."""
    path = folder / "draws"
    path.write_text(f"#!{sys.executable}\n{text}\n", encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_a_layout_that_takes_too_long_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One message: what to type next."""
    monkeypatch.setenv("FLOWMAP_DOT", str(script(tmp_path, "import time; time.sleep(60)")))
    with pytest.raises(FlowmapError, match=r"took longer than 0\.2 s") as raised:
        svg("digraph {}", 0.2)
    assert raised.value.code == ExitCode.FINDING


def test_a_picture_that_lacks_something_is_not_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An edge that was lost on the way is an error, though the program ends well."""
    lost = "import sys; sys.stdout.write('<svg>'); sys.stderr.write('Error: lost a b edge')"
    monkeypatch.setenv("FLOWMAP_DOT", str(script(tmp_path, lost)))
    with pytest.raises(FlowmapError, match="could not draw the graph: Error: lost a b edge"):
        svg("digraph {}", 20)


def test_where_frames_cannot_be_laid_out_they_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second way is without them."""
    fails = "import sys; sys.exit(0 if '-Gclusterrank=none' in sys.argv and print('<svg>') is None else 1)"
    monkeypatch.setenv("FLOWMAP_DOT", str(script(tmp_path, fails)))
    assert svg("digraph {}", 20).count("<svg") == 1


def test_a_program_that_is_not_there_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """What FLOWMAP_DOT names has to be one."""
    monkeypatch.setenv("FLOWMAP_DOT", "no-such-program")
    with pytest.raises(FlowmapError, match="FLOWMAP_DOT=no-such-program: is no program"):
        find_drawer()


def test_the_program_that_comes_with_pip_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody has to install Graphviz."""
    monkeypatch.delenv("FLOWMAP_DOT", raising=False)
    found = find_drawer()
    assert found is not None
    assert found.origin == "graphviz-pure"


def test_the_dot_of_the_system_stands_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the wheel is missing; nothing where there is neither."""
    monkeypatch.delenv("FLOWMAP_DOT", raising=False)
    monkeypatch.setattr(sysconfig, "get_path", lambda _: str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_drawer() is None
    with pytest.raises(FlowmapError, match="nothing is installed that draws"):
        svg("digraph {}", 20)
    script(tmp_path, "").rename(tmp_path / "dot")
    found = find_drawer()
    assert found is not None
    assert found.program == tmp_path / "dot"


class Elements(HTMLParser):
    """The elements of a page, with their attributes, and the text that is shown."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.names: set[str] = set()
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.names |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def page_of(text: str) -> tuple[str, Elements]:
    """The page of a graph that holds a text everywhere."""
    graph = graph_of(text)
    page = html(graph, svg(dot(graph, link), 20), f"twin of {text}")
    read = Elements()
    read.feed(page)
    return page, read


@pytest.mark.parametrize("text", HOSTILE)
def test_a_page_shows_hostile_text_as_text(text: str) -> None:
    """The same elements as with a harmless name, and no handler of events."""
    _, read = page_of(text)
    shapes = {"g", "text", "path", "polygon", "ellipse", "a", "title"}
    assert [tag for tag in read.tags if tag not in shapes] == [tag for tag in page_of("run")[1].tags if tag not in shapes]
    assert read.tags.count("script") == 2
    assert not {name for name in read.names if name.startswith("on")}


def test_a_page_lets_no_other_script_run_and_asks_the_network_for_nothing() -> None:
    """Its rules name its own script by its digest; nothing is loaded."""
    page, read = page_of("run")
    script = page.rpartition("<script>")[2].partition("</script>")[0]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'" in page
    assert "src" not in read.names
    assert not {"link", "img", "iframe", "object", "embed", "base"} & set(read.tags)


def test_a_page_holds_guards_and_the_text_twin() -> None:
    """What is said of each box and line, by its id; and the whole as text."""
    page, read = page_of("run")
    told = json.loads(page.partition('type="application/json">')[2].partition("</script>")[0])
    assert told["lines"]["e1"] == ["run → run  call, proven", "run", "run"]
    assert "+34 callees: flowmap callees run" in told["lines"]["n2"]
    assert "twin of run" in read.text


def test_a_cut_is_a_link_where_there_is_somewhere_to_go() -> None:
    """In the picture, to what the address says; its name says the command. Nothing of the code becomes markup by it."""
    for text in HOSTILE:
        graph = graph_of(text)
        picture = svg(dot(graph, link), 20)
        root = ElementTree.fromstring(with_cut_links(picture, graph, lambda node, cut: f'{node.id}.html#"<{cut.kind}>'))
        (one,) = [each for each in root.iter(f"{SVG}a") if each.get("class") == "cut"]
        assert one.get("href") == 'n2.html#"<callees>'
        assert one.text == "+34 callees"
        assert (one.get("aria-label") or "").startswith("+34 callees: flowmap callees ")
        assert with_cut_links(picture, graph, lambda *_: "") == picture


def test_each_of_several_cuts_leads_to_its_own() -> None:
    """Two in one line of a node, in a node with lines too."""
    two = (*cuts_of(3, CutKind.CALLERS), *cuts_of(1, CutKind.CALLEES))
    for graph in (graph_of(), block_of()):
        node = replace(graph.nodes[-1], cuts=two)
        whole = replace(graph, nodes=(*graph.nodes[:-1], node))
        root = ElementTree.fromstring(with_cut_links(svg(dot(whole, link), 20), whole, lambda _, cut: f"#{cut.kind}"))
        found = {each.text: each.get("href") for each in root.iter(f"{SVG}a") if each.get("class") == "cut"}
        assert {(text or "").replace("\xa0", " "): to for text, to in found.items()} == {
            "+3 callers": "#callers",
            "+1 callee": "#callees",
        }


def cuts_of(number: int, kind: CutKind) -> tuple[GraphCut, ...]:
    """A cut without names."""
    return cut_of(kind, number, f"flowmap {kind} x")
