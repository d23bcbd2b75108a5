"""From the source to every format: files, guards, literals and docstrings that hold markup, scripts or escape codes are text."""

from __future__ import annotations

import io
import json
import re
from dataclasses import dataclass
from xml.etree import ElementTree

import pytest

from flowmap.model.graph import Graph, GraphKind
from flowmap.model.place import Place
from flowmap.model.program import Confidence
from flowmap.model.view import View
from flowmap.render.dot import dot
from flowmap.render.html import html
from flowmap.render.json import write_json
from flowmap.render.markdown import Links, write_markdown
from flowmap.render.mermaid import mermaid
from flowmap.render.piped import write_piped
from flowmap.render.svg import svg
from flowmap.reports.graph import graph, graph_view
from flowmap.reports.graph_parts import GraphQuestion, Wing
from flowmap.reports.phrases import Detail
from tests.programs import index_of

FILE = 'sh"op<img src=x onerror=alert(1)>&amp;`x`.py'
PROGRAM = '''\
"""</title><script>alert('module')</script>"""


class Job:
    """`x` [a](javascript:alert(1)) <b>doc</b>"""

    def go(self, x):
        """"]; evil [URL="javascript:alert(1)"] \\\\N \\\\G"""
        if x == "</text></svg><script>alert('guard')</script>":
            self.size = helper("%%{init: {}}%%\\n click a call alert()")
        elif x == "\\x1b[31mred\\x1b[0m\\u202e\\x07 | a | b `c` <!-- -->":
            raise ValueError(f"<style>*{{}}</style> {x!r} &lt;b&gt;")
        while self.size != '<<table><tr><td port="p">':
            self.size = x["]]>' onmouseover='alert(1)"]
        return self.size


def helper(x):
    return x + "raw \x7f \u2028 \u202e end"
'''
KINDS = ((GraphKind.CONTROL, "Job.go"), (GraphKind.CALLS, "Job.go"), (GraphKind.STATE, "Job.size"), (GraphKind.CLASSES, "Job"))
STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e]")


@dataclass(frozen=True, slots=True)
class Drawn:
    """A graph of the hostile program, and its twin."""

    graph: Graph
    view: View


@pytest.fixture(scope="module", params=KINDS, ids=[kind.value for kind, _ in KINDS])
def drawn(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Drawn:
    """Each kind of graph, with all that can be said."""
    kind, name = request.param
    index = index_of(tmp_path_factory.mktemp("hostile"), {FILE: PROGRAM})
    found = graph(index, GraphQuestion(name, Wing.BOTH, None, Confidence.INFERRED, 70, Detail.FULL), kind)
    return Drawn(found, graph_view(index, found, Detail.FULL))


def link(place: Place | None) -> str:
    """A link that holds the name of the file as it is."""
    return f"https://code.example/{place.file}#L{place.line}" if place else ""


def test_a_picture_holds_no_element_of_the_code(drawn: Drawn) -> None:
    """It is well-formed, and made of shapes, texts and links alone."""
    root = ElementTree.fromstring(svg(dot(drawn.graph, link), 20))
    tags = {each.tag.rpartition("}")[2] for each in root.iter()}
    assert tags <= {"svg", "style", "g", "a", "title", "text", "path", "polygon", "polyline", "ellipse"}
    assert not {key for each in root.iter() for key in each.attrib if key.startswith("on")}
    targets = {value for each in root.iter() for key, value in each.attrib.items() if key.endswith("href")}
    assert targets
    assert all(target.startswith("https://code.example/") for target in targets)


def test_a_page_holds_no_script_of_the_code(drawn: Drawn) -> None:
    """Two elements of that name, both its own; and no handler."""
    text = html(drawn.graph, svg(dot(drawn.graph, link), 20), "twin")
    assert len(re.findall(r"<script\b", text)) == len(re.findall(r"</script>", text)) == 2
    assert len(re.findall(r"<style\b", text)) == 2
    assert not re.search(r"<(img|b|table|td)\b", text)
    told = json.loads(text.partition('type="application/json">')[2].partition("</script>")[0])
    assert told["nodes"]


def test_graphviz_reads_no_attribute_of_the_code(drawn: Drawn) -> None:
    """Outside of strings and of its own markup there is none of it."""
    source = dot(drawn.graph, link)
    outside = re.sub(r'"(?:\\.|[^"\\])*"|<<table.*?</table>>', "", source, flags=re.DOTALL)
    assert not {"script", "evil", "alert", "onerror", "onmouseover"} & set(re.findall(r"\w+", outside))
    for markup in re.findall(r"<<table.*?</table>>", source, flags=re.DOTALL):
        tags = {each.tag for each in ElementTree.fromstring(markup[1:-1]).iter()}
        assert tags <= {"table", "tr", "td", "font"}


def test_mermaid_reads_no_word_of_the_code(drawn: Drawn) -> None:
    """Every line is one that it would have with harmless names."""
    lines = mermaid(drawn.graph).splitlines()
    shapes = r"%% |flowchart |subgraph |end$|classDef |class |[a-z][0-9a-f]+(\[|>| -| =)"
    assert not [line for line in lines if not re.match(shapes, line.strip())]
    assert not [line for line in lines if re.search(r"<(?!br/>)|&|\x1b", line)]


def test_a_terminal_is_not_steered(drawn: Drawn) -> None:
    """Escape codes and signs that turn the writing round come as their escapes."""
    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="\n")
    write_piped(drawn.view, stream, 120)
    stream.seek(0)
    assert not STEERING.findall(stream.read().replace("\n", ""))


def test_markdown_reads_no_markup_of_the_code(drawn: Drawn) -> None:
    """Angle brackets are text there, or stand between backticks."""
    stream = io.StringIO()
    write_markdown(drawn.view, stream, Links())
    outside = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", stream.getvalue(), flags=re.DOTALL).replace("<br>", "")
    assert not re.search(r"(?<!\\)<\w", outside)
    assert not STEERING.findall(stream.getvalue().replace("\n", ""))


def test_programs_get_the_text_as_it_is(drawn: Drawn) -> None:
    """JSON quotes everything; nothing is changed for readers."""
    stream = io.StringIO()
    write_json(drawn.view, stream)
    assert not STEERING.findall(stream.getvalue().replace("\n", ""))
    assert json.loads(stream.getvalue())["record"]["nodes"]
