"""The graph of a field's state: who makes, stores, renames and reads its value, and where it goes from there."""

from __future__ import annotations

from pathlib import Path

import pytest

from flowmap.model.graph import EdgeKind, Graph, GraphKind, GraphNode, NodeKind, NodeRole
from flowmap.model.problem import FlowmapError
from flowmap.model.program import Confidence
from flowmap.query.files import QueryFile
from flowmap.query.read import read_query
from flowmap.reports.graph import graph, graph_view
from flowmap.reports.graph_parts import GraphQuestion, Wing
from flowmap.reports.graph_query import query_graph
from flowmap.store.index import Index
from tests.programs import index_of

PROGRAM = """\
import multiprocessing


class Batch:
    lens: int = 0

    def __init__(self):
        self.total = measure(2)


class Other:
    def __init__(self, size):
        self.size = size


def measure(x): return x + 1


def worker(amount):
    print(amount)


def step(batch):
    print(batch.lens)
    found = measure(batch.total)
    batch.lens = found


def loop():
    batch = Batch()
    while True:
        if batch.lens:
            Other(batch.lens)
        step(batch)
        batch.lens = measure(3)


def start(batch):
    process = multiprocessing.Process(target=worker, args=(batch.lens,))
    process.start()


def once(batch):
    print(batch.total)
    batch.total = 4


once(Batch())
start(Batch())
loop()
"""
QUERY = """\
question = "Who touches the lengths?"
[[find]]
what = "accesses"
fields = ["Batch.lens"]
[[find]]
what = "calls"
calls = ["measure"]
"""


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """A small program."""
    return index_of(tmp_path_factory.mktemp("shop"), {"shop.py": PROGRAM})


def asked(name: str, wing: Wing = Wing.BOTH, depth: int | None = None, n_nodes: int = 70) -> GraphQuestion:
    """A question as the command asks it."""
    return GraphQuestion(name, wing, depth, Confidence.INFERRED, n_nodes)


def node(drawn: Graph, label: str) -> GraphNode:
    """The only node of a label."""
    (found,) = (each for each in drawn.nodes if each.label == label)
    return found


def ways(drawn: Graph) -> set[tuple[str, str, str]]:
    """The edges: from, to, and their kind; at a line of a function with its number."""
    labels = {each.id: each.label for each in drawn.nodes}
    lines = {row.id: f":{row.place.line}" for each in drawn.nodes for row in each.rows if row.place}
    return {
        (
            f"{labels[edge.start]}{lines.get(edge.start_row, '')}",
            f"{labels[edge.end]}{lines.get(edge.end_row, '')}",
            edge.kind.value,
        )
        for edge in drawn.edges
    }


def test_stores_lead_to_the_field_and_the_field_to_reads(index: Index) -> None:
    """At the very lines."""
    found = ways(graph(index, asked("Batch.lens"), None))
    assert {
        ("step:26", "Batch.lens", "writes"),
        ("loop:35", "Batch.lens", "writes"),
        ("Batch.lens", "step:24", "reads"),
        ("Batch.lens", "start:39", "reads"),
    } <= found


def test_what_becomes_of_a_value_is_drawn(index: Index) -> None:
    """Under another name, in another field."""
    found = ways(graph(index, asked("Batch.lens"), None))
    assert ("loop:33", "Other.__init__:13", "moves") in found
    assert ("Other.__init__:13", "Other.size", "writes") in found


def test_where_a_value_comes_from_is_drawn(index: Index) -> None:
    """What gives it, and the fields that it is reckoned from."""
    found = ways(graph(index, asked("Batch.lens"), None))
    assert ("measure:16", "loop:35", "moves") in found
    assert ("Batch.total", "step:25", "reads") in found


@pytest.mark.parametrize(
    ("wing", "there", "not_there"), [(Wing.UP, "Batch.total", "Other.size"), (Wing.DOWN, "Other.size", "Batch.total")]
)
def test_one_wing_leaves_the_other_out(index: Index, wing: Wing, there: str, not_there: str) -> None:
    """Where values come from, or where they go."""
    labels = {each.label for each in graph(index, asked("Batch.lens", wing), None).nodes}
    assert there in labels
    assert not_there not in labels


def test_the_border_of_an_iteration_is_a_line_of_its_own(index: Index) -> None:
    """What a turn of a loop writes below, the next one reads above: in the loop itself, and in what it calls."""
    drawn = graph(index, asked("Batch.lens"), None)
    later = {(edge.label, way[1]) for edge in drawn.edges for way in ways(drawn) if way[2] == edge.kind.value == "later"}
    assert later == {("the next iteration", at) for at in ("step:24", "loop:32", "loop:33")}


def test_where_nothing_repeats_there_is_no_border(index: Index) -> None:
    """A read above a write, once."""
    assert not [edge for edge in graph(index, asked("Batch.total"), None).edges if edge.kind is EdgeKind.LATER]


def test_the_border_of_a_process_is_a_line_of_its_own(index: Index) -> None:
    """With where it leads."""
    drawn = graph(index, asked("Batch.lens"), None)
    assert ("start:39", "worker:20", "border") in ways(drawn)
    assert {edge.label for edge in drawn.edges if edge.kind is EdgeKind.BORDER} == {"in another process"}


def test_a_line_says_what_it_does(index: Index) -> None:
    """Born, stored, read, moved, with its text."""
    rows = [row.label for row in node(graph(index, asked("Batch.lens"), None), "step").rows]
    assert rows == ["read  24 print(batch.lens)", "read  25 found = measure(batch.total)", "store 26 batch.lens = found"]
    assert node(graph(index, asked("Batch.lens"), None), "loop").rows[-1].label == "born  35 batch.lens = measure(3)"


def test_the_field_is_what_was_asked(index: Index) -> None:
    """With the place where its class declares it; of other fields it is said where nobody does."""
    drawn = graph(index, asked("lens"), None)
    (subject,) = (each for each in drawn.nodes if each.role is NodeRole.SUBJECT)
    assert (subject.label, subject.kind, subject.at) == ("Batch.lens", NodeKind.FIELD, "shop.py:5")
    assert drawn.kind is GraphKind.STATE


def test_the_twin_tells_every_edge(index: Index) -> None:
    """As many as are drawn."""
    drawn = graph(index, asked("Batch.lens"), None)
    view = graph_view(index, drawn)
    texts = [
        span.text
        for block in view.blocks
        for root in getattr(block, "roots", ())
        for child in root.children
        for span in child.line
    ]
    assert texts.count("leads to ") == len(drawn.edges)


@pytest.mark.parametrize("n_nodes", [2, 3, 5])
def test_what_there_is_no_room_for_is_left_out(index: Index, n_nodes: int) -> None:
    """And every edge leads from a node to a node."""
    drawn = graph(index, asked("Batch.lens", n_nodes=n_nodes), None)
    ids = {each.id for each in drawn.nodes}
    assert len(ids) == len(drawn.nodes) <= n_nodes
    assert {end for edge in drawn.edges for end in (edge.start, edge.end)} <= ids


@pytest.mark.parametrize(
    ("name", "said"),
    [("nothing", "no class of the index has a field"), ("Other.lens", "has no field of this name"), ("", "field")],
)
def test_a_field_that_is_not_there_is_said(index: Index, name: str, said: str) -> None:
    """In one message."""
    with pytest.raises(FlowmapError, match=said):
        graph(index, asked(name), GraphKind.STATE)


def test_a_function_of_that_name_comes_before_a_field(tmp_path: Path) -> None:
    """Where nothing is said; --kind asks for the other."""
    index = index_of(tmp_path, {"a.py": "def size(): pass\n\n\nclass A:\n    def __init__(self): self.size = 1\n"})
    assert graph(index, asked("size"), None).kind is GraphKind.CALLS
    assert graph(index, asked("size"), GraphKind.STATE).kind is GraphKind.STATE
    assert graph(index, asked("A.size"), None).kind is GraphKind.STATE


def test_what_a_query_finds_is_a_graph(index: Index, tmp_path: Path) -> None:
    """The functions, their lines, the fields that they touch there, and the calls between them."""
    file = tmp_path / "lengths.toml"
    file.write_text(QUERY, encoding="utf-8")
    drawn = query_graph(index, read_query(QueryFile(file, "lengths.toml")), asked("lengths"))
    found = ways(drawn)
    assert {("step:26", "Batch.lens", "writes"), ("Batch.lens", "loop:32", "reads")} <= found
    assert {("step", "measure", "call"), ("loop", "step", "call")} <= found
    assert drawn.title == "query lengths: Who touches the lengths?"
    assert drawn.kind is GraphKind.QUERY
