"""What a graph holds: the nearest nodes, the edges between them, and a count of all that is cut."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from flowmap.model.graph import EdgeKind, Graph, GraphEdge, GraphKind, GraphNode, NodeRole
from flowmap.model.problem import ExitCode, FlowmapError
from flowmap.model.program import Confidence
from flowmap.model.view import Tree, TreeNode, View
from flowmap.reports.graph import graph, graph_view
from flowmap.reports.graph_calls import path_graph
from flowmap.reports.graph_parts import GraphQuestion, Wing
from flowmap.reports.paths import PathsQuestion
from flowmap.reports.phrases import Detail
from flowmap.store.index import Index
from tests.programs import index_of
from tests.toy import toy_index

SHAPES = """\
class Base:
    def run(self): pass


class Left(Base):
    pass


class Right(Base):
    def run(self): pass


class Both(Left, Right):
    pass


class Deep(Both):
    pass
"""
MODULES = {
    "shop/__init__.py": "",
    "shop/main.py": "from shop.orders import take, send as deliver\n\ntake()\n",
    "shop/orders.py": "from shop import stock\n\n\ndef take(): stock.count()\ndef send(): pass\n",
    "shop/stock.py": "def count(): pass\n",
}


@pytest.fixture(scope="module")
def index() -> Index:
    """The toy program's index."""
    return toy_index()


@pytest.fixture(scope="module")
def shapes(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """A diamond of classes."""
    return index_of(tmp_path_factory.mktemp("shapes"), {"shapes.py": SHAPES})


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """A package of three modules."""
    return index_of(tmp_path_factory.mktemp("shop"), MODULES)


def asked(name: str, wing: Wing = Wing.BOTH, depth: int | None = None, n_nodes: int = 70) -> GraphQuestion:
    """A question as the command asks it."""
    return GraphQuestion(name, wing, depth, Confidence.INFERRED, n_nodes)


def wide(folder: Path, n_callees: int) -> Index:
    """A function `top` that runs many, one of which the next one runs, too."""
    many = "\n".join(f"def f{number}(): {'f7()' if number == 3 else 'pass'}" for number in range(n_callees))
    calls = "\n".join(f"    f{number}()" for number in range(n_callees))
    return index_of(folder, {"wide.py": f"{many}\n\n\ndef top():\n{calls}\n\n\ndef above(): top()\n"})


def names(drawn: Graph) -> set[str]:
    """The nodes."""
    return {node.label for node in drawn.nodes}


def node(drawn: Graph, label: str) -> GraphNode:
    """The only node of a label."""
    (found,) = (each for each in drawn.nodes if each.label == label)
    return found


def arrows(drawn: Graph) -> set[tuple[str, str]]:
    """The edges by the labels of their ends."""
    labels = {each.id: each.label for each in drawn.nodes}
    return {(labels[edge.start], labels[edge.end]) for edge in drawn.edges}


def edge(drawn: Graph, start: str, end: str) -> GraphEdge:
    """The only edge between two nodes."""
    ends = (node(drawn, start).id, node(drawn, end).id)
    (found,) = (each for each in drawn.edges if (each.start, each.end) == ends)
    return found


def test_both_wings_stand_on_their_sides(index: Index) -> None:
    """Levels below 0 lead to what was asked, those above 0 are what it leads to."""
    drawn = graph(index, asked("Scheduler.process"), None)
    assert node(drawn, "Scheduler.process").role is NodeRole.SUBJECT
    assert (node(drawn, "Scheduler.run").level, node(drawn, "main").level) == (-1, -2)
    assert node(drawn, "OutputMixin.process_decode").level == 1


@pytest.mark.parametrize(
    ("wing", "there", "not_there"), [(Wing.UP, "main", "OutputMixin.emit"), (Wing.DOWN, "OutputMixin.emit", "main")]
)
def test_one_wing_leaves_the_other_out(index: Index, wing: Wing, there: str, not_there: str) -> None:
    """--up and --down."""
    found = names(graph(index, asked("Scheduler.process", wing), None))
    assert there in found
    assert not_there not in found


def test_an_edge_says_its_guard_in_short_and_in_whole(index: Index) -> None:
    """What is nearest to the call stands on the edge; every place with all its guards in the tooltip."""
    found = edge(graph(index, asked("Scheduler.process"), None), "Scheduler.process", "OutputMixin.process_decode")
    assert found.label == "if batch.is_decode()"
    assert found.details == ("app.py:29  if batch.is_decode()",)
    assert found.kind is EdgeKind.CALL


def test_the_evidence_is_said_when_it_is_asked_for(index: Index) -> None:
    """Below each place, and in the twin; else only the place and its guards."""
    question = replace(asked("Scheduler.run"), detail=Detail.FULL)
    found = edge(graph(index, question, None), "Scheduler.run", "Worker.forward")
    assert found.details[0] == "app.py:19  while True › if batch  past not (batch.closed)"
    assert found.details[1].startswith("  because ")
    twin = graph_view(index, graph(index, question, None), Detail.FULL)
    assert any(line[0].text == found.details[1] for root in roots_of(twin) for child in root.children for line in child.below)
    assert len(edge(graph(index, asked("Scheduler.run"), None), "Scheduler.run", "Worker.forward").details) == 1


def test_a_recursive_function_has_an_edge_to_itself(index: Index) -> None:
    """And no node twice."""
    drawn = graph(index, asked("Scheduler.split"), None)
    assert ("Scheduler.split", "Scheduler.split") in arrows(drawn)
    assert len(names(drawn)) == len(drawn.nodes)


def test_what_is_weaker_than_asked_is_no_edge(index: Index) -> None:
    """A guess by name is drawn with --confidence possible alone."""
    strict = graph(index, asked("OutputMixin.process_decode"), None)
    loose = graph(index, replace(asked("OutputMixin.process_decode"), confidence=Confidence.POSSIBLE), None)
    assert "Base.emit" not in names(strict)
    assert edge(loose, "OutputMixin.process_decode", "Base.emit").confidence is Confidence.POSSIBLE


def test_a_cut_is_counted_where_it_belongs(tmp_path: Path) -> None:
    """No more nodes than there is room for; what is next to them and not drawn is said with the command that lists it."""
    drawn = graph(wide(tmp_path, 40), asked("top", n_nodes=10), None)
    (cut,) = node(drawn, "top").cuts
    assert (len(drawn.nodes), str(cut), cut.command) == (10, "+32 callees", "flowmap callees wide.top")
    assert drawn.n_left_out == 32
    assert "not drawn: 32 nodes" in drawn.notes[0]


def test_nothing_is_said_to_be_cut_where_all_is_drawn(tmp_path: Path) -> None:
    """Room for all."""
    drawn = graph(wide(tmp_path, 40), asked("top"), None)
    assert (len(drawn.nodes), drawn.n_left_out, drawn.notes) == (42, 0, ())
    assert not any(each.cuts for each in drawn.nodes)


def test_the_wings_share_the_room(tmp_path: Path) -> None:
    """Many callees do not push the callers out."""
    assert "above" in names(graph(wide(tmp_path, 40), asked("top", n_nodes=4), None))


def test_depth_ends_a_wing(index: Index) -> None:
    """What is further away is not met, and counted."""
    drawn = graph(index, asked("Scheduler.process", Wing.UP, depth=1), None)
    assert names(drawn) == {"Scheduler.process", "Scheduler.run", "Scheduler.split"}
    assert [str(cut) for cut in node(drawn, "Scheduler.run").cuts] == ["+1 caller"]


def test_ids_depend_on_symbols_alone(index: Index) -> None:
    """The same function has the same id in every graph, so that links into a picture last."""
    one, other = graph(index, asked("Scheduler.process"), None), graph(index, asked("main"), None)
    assert node(one, "Scheduler.run").id == node(other, "Scheduler.run").id
    assert len({each.id for each in one.nodes}) == len(one.nodes)
    assert graph(index, asked("main"), None) == other


def test_ways_are_drawn_in_one_graph(index: Index) -> None:
    """Only what lies on a way, and only its steps."""
    drawn = path_graph(index, PathsQuestion("main", "OutputMixin.process_decode", Confidence.INFERRED, (), 9, Detail.BRIEF))
    assert drawn.kind is GraphKind.PATHS
    assert ("Scheduler.run", "Scheduler.process") in arrows(drawn)
    assert "Scheduler.receive" not in names(drawn)
    assert {each.label for each in drawn.nodes if each.role is NodeRole.SUBJECT} == {"main", "OutputMixin.process_decode"}


def test_no_way_is_a_finding(index: Index) -> None:
    """As in `trace --to`."""
    with pytest.raises(FlowmapError, match="no path leads") as raised:
        path_graph(index, PathsQuestion("make_worker", "main", Confidence.INFERRED, (), 9, Detail.BRIEF))
    assert raised.value.code == ExitCode.FINDING


def test_a_class_is_drawn_with_its_direct_bases_alone(shapes: Index) -> None:
    """Of a diamond the four sides, no line across; the order is said on the nodes."""
    drawn = graph(shapes, asked("Both"), None)
    assert drawn.kind is GraphKind.CLASSES
    assert arrows(drawn) == {("Both", "Left"), ("Both", "Right"), ("Left", "Base"), ("Right", "Base"), ("Deep", "Both")}
    orders = {each.label: each.notes for each in drawn.nodes}
    assert orders["Base"] == ("4th in the class order",)
    assert orders["Deep"] == ()


def test_a_base_outside_the_index_is_drawn_with_its_subclasses(tmp_path: Path) -> None:
    """Though nothing is known of its own bases, and of no call."""
    index = index_of(tmp_path, {"layers.py": "import torch\n\n\nclass Layer(torch.nn.Module): pass\nclass Wide(Layer): pass\n"})
    drawn = graph(index, asked("torch.nn.Module"), None)
    assert arrows(drawn) == {("Layer", "torch.nn.Module"), ("Wide", "Layer")}


def test_subclasses_that_do_not_fit_are_counted(shapes: Index) -> None:
    """At the class of which they are direct subclasses."""
    drawn = graph(shapes, asked("Base", Wing.DOWN, depth=1), None)
    assert names(drawn) == {"Base", "Left", "Right"}
    assert [str(cut) for cut in node(drawn, "Left").cuts] == ["+1 subclass"]


def test_of_many_subclasses_those_are_drawn_that_have_some(tmp_path: Path) -> None:
    """The others are counted at the base."""
    leaves = "".join(f"class A{number}(Base): pass\n" for number in range(20))
    index = index_of(tmp_path, {"many.py": f"class Base: pass\n{leaves}class Zoo(Base): pass\nclass Cage(Zoo): pass\n"})
    drawn = graph(index, asked("Base", n_nodes=5), None)
    assert "Zoo" in names(drawn)
    assert [str(cut) for cut in node(drawn, "Base").cuts] == ["+17 subclasses"]


def test_a_mixin_is_drawn_with_its_hosts(index: Index) -> None:
    """Each edge says where in the host's order it stands."""
    drawn = graph(index, asked("OutputMixin"), GraphKind.MIXINS)
    assert edge(drawn, "OutputMixin", "Scheduler").label == "2nd of 4"
    made_of = graph(index, asked("Scheduler", Wing.UP), GraphKind.MIXINS)
    assert arrows(made_of) == {("OutputMixin", "Scheduler"), ("Base", "Scheduler")}
    assert edge(made_of, "OutputMixin", "Scheduler").label == "2nd of 4"


def test_modules_are_drawn_with_what_they_import(shop: Index) -> None:
    """A file's importers on one side, what it imports on the other; the names stand in the tooltip."""
    drawn = graph(shop, asked("orders.py"), None)
    assert drawn.kind is GraphKind.MODULES
    assert {each.label: each.level for each in drawn.nodes} == {"main": -1, "orders": 0, "stock": 1}
    found = edge(drawn, "main", "orders")
    assert found.label == "2 names"
    assert [each.partition("  ")[2] for each in found.details] == [
        "from shop.orders import take",
        "from shop.orders import send as deliver",
    ]


def test_the_other_wing_of_modules_is_left_out(shop: Index) -> None:
    """Only importers with --up."""
    assert names(graph(shop, asked("shop.stock", Wing.UP), GraphKind.MODULES)) == {"stock", "orders"}


@pytest.mark.parametrize(
    ("name", "kind", "said"),
    [
        ("nothing_here", None, "no such name"),
        ("emit", None, "2 things bear this name"),
        ("make_worker", GraphKind.CLASSES, "names a function, not a class"),
        ("make_worker", GraphKind.MIXINS, "names a function, not a class"),
        ("make_worker", GraphKind.MODULES, "no file or module of the index has this name"),
        ("broken.py", None, "did not parse"),
    ],
)
def test_what_cannot_be_drawn_is_said(index: Index, name: str, kind: GraphKind | None, said: str) -> None:
    """One clear message."""
    with pytest.raises(FlowmapError, match=said):
        graph(index, asked(name), kind)


def test_the_twin_holds_every_node_and_edge(index: Index) -> None:
    """A reader of the text misses nothing of the picture."""
    drawn = graph(index, asked("Scheduler.process"), None)
    roots = roots_of(graph_view(index, drawn))
    assert {root.line[0].text for root in roots} == names(drawn)
    assert sum(len(runs(root)) for root in roots) == len(drawn.edges)


def roots_of(view: View) -> list[TreeNode]:
    """The nodes of a twin."""
    return [root for block in view.blocks if isinstance(block, Tree) for root in block.roots]


def runs(root: TreeNode) -> list[TreeNode]:
    """The edges below a node."""
    return [child for child in root.children if child.line[0].text == "runs "]
