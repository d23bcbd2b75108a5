"""The graph of the control flow inside a function: blocks with what they run, and what is folded of a large one."""

from __future__ import annotations

from pathlib import Path

import pytest

from flowmap.model.graph import EdgeKind, Graph, GraphKind, GraphNode, NodeKind, NodeRole, RowKind
from flowmap.model.problem import FlowmapError
from flowmap.model.program import Confidence
from flowmap.model.view import Tree
from flowmap.reports.graph import graph, graph_view
from flowmap.reports.graph_parts import GraphQuestion, Wing
from flowmap.reports.phrases import Detail
from flowmap.store.index import Index
from tests.programs import index_of

PROGRAM = """\
def helper(x): return x


class Job:
    def go(self, x):
        a = helper(helper(1))
        if x:
            self.go(a)
        else:
            raise ValueError(a)
        return [helper(i) for i in x]
        a = 2

    @property
    def size(self): return 1

    def measure(self):
        try:
            return self.size
        except KeyError:
            return 0


double = lambda value: helper(value)
if double(1):
    Job()
"""


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """A small program."""
    return index_of(tmp_path_factory.mktemp("shop"), {"shop.py": PROGRAM})


def asked(name: str, n_nodes: int = 70, depth: int | None = None) -> GraphQuestion:
    """A question as the command asks it."""
    return GraphQuestion(name, Wing.BOTH, depth, Confidence.INFERRED, n_nodes)


def drawn(index: Index, name: str, n_nodes: int = 70, depth: int | None = None) -> Graph:
    """The control flow of a function."""
    return graph(index, asked(name, n_nodes, depth), GraphKind.CONTROL)


def statements(node: GraphNode) -> list[str]:
    """The text of a node's statements."""
    return [row.text for row in node.rows if row.kind is RowKind.STATEMENT]


def ways(found: Graph) -> set[tuple[str, str, str, str]]:
    """The edges, by the first statement (or the label) of their ends, with their kind and label."""
    names = {node.id: (statements(node) or [node.label])[0] for node in found.nodes}
    return {(names[edge.start], names[edge.end], edge.kind.value, edge.label) for edge in found.edges}


def test_blocks_lead_to_one_another(index: Index) -> None:
    """With what has to hold, from the entry to the end and to where it raises."""
    assert ways(drawn(index, "Job.go")) == {
        ("Job.go", "a = helper(helper(1))", "next", ""),
        ("a = helper(helper(1))", "self.go(a)", "holds", "x"),
        ("a = helper(helper(1))", "raise ValueError(a)", "fails", "not x"),
        ("self.go(a)", "end", "next", ""),  # what follows the `if` is in its block: the other way raises
        ("raise ValueError(a)", "raises", "raises", ""),
        ("a = 2", "end", "next", ""),
    }


def test_a_block_says_where_it_stands_and_what_it_runs(index: Index) -> None:
    """A line for each statement, and below it one for each function that it may run, which leads there."""
    first = drawn(index, "Job.go").nodes[3]
    assert first.kind is NodeKind.BLOCK
    assert (first.label, first.at) == ("#1 lines 6–7", "shop.py:6")
    assert [(row.kind.value, row.text, row.at) for row in first.rows] == [
        ("statement", "a = helper(helper(1))", "shop.py:6"),
        ("call", "→ helper", "shop.py:1"),
        ("statement", "if x:", "shop.py:7"),
    ]


def test_what_runs_without_a_call_is_there_too(index: Index) -> None:
    """A property says what it is; so does a class that is made."""
    rows = [row.text for node in drawn(index, "Job.measure").nodes for row in node.rows if row.kind is RowKind.CALL]
    assert rows == ["→ Job.size  (property)"]
    rows = [row.text for node in drawn(index, "shop.py").nodes for row in node.rows if row.kind is RowKind.CALL]
    assert rows == ["→ <lambda>", "→ Job"]


def test_what_leaves_a_with_runs_at_its_end(tmp_path: Path) -> None:
    """What enters it runs at its head."""
    text = """\
class Lock:
    def __enter__(self): return self
    def __exit__(self, *what): return False


def f():
    with Lock() as lock:
        print(lock)
"""
    nodes = [node for node in drawn(index_of(tmp_path, {"a.py": text}), "f").nodes if node.rows]
    rows = {node.rows[0].text: [row.text for row in node.rows[1:]] for node in nodes}
    assert rows["with Lock() as lock:"] == ["→ Lock", "→ Lock.__enter__  (with)"]
    assert rows["end of with Lock() as lock"] == ["→ Lock.__exit__  (with)"]


def test_an_exception_leads_to_its_handler(index: Index) -> None:
    """By a line of its own kind."""
    assert ("return self.size", "except KeyError:", "raises", "") in ways(drawn(index, "Job.measure"))


def test_code_that_nothing_leads_to_is_shown_as_such(index: Index) -> None:
    """In the picture by its frame, in words everywhere."""
    (dead,) = (node for node in drawn(index, "Job.go").nodes if node.role is NodeRole.DEAD)
    assert statements(dead) == ["a = 2"]
    assert dead.notes == ("unreachable",)


def test_a_lambda_has_one(index: Index) -> None:
    """A return of what it gives."""
    assert ("<lambda>", "return helper(value)", "next", "") in ways(drawn(index, "shop.<lambda>"))


def test_an_exit_that_nothing_leads_to_is_not_drawn(index: Index) -> None:
    """What never raises has no exceptional exit."""
    assert {node.role for node in drawn(index, "helper").nodes} == {NodeRole.SUBJECT, NodeRole.EXIT, NodeRole.OTHER}


def test_the_line_that_was_asked_about_is_marked(index: Index) -> None:
    """By a place in a function its whole control flow is drawn, and the block of the line stands out."""
    found = drawn(index, "shop.py:10")
    assert found.title == "control flow of Job.go"
    assert [statements(node) for node in found.nodes if node.role is NodeRole.SUBJECT] == [[], ["raise ValueError(a)"]]


@pytest.mark.parametrize(("name", "said"), [("ValueError", "stands outside the index"), ("nothing", "no such name")])
def test_what_has_no_text_is_said(index: Index, name: str, said: str) -> None:
    """In one message."""
    with pytest.raises(FlowmapError, match=said):
        drawn(index, name)


def test_the_twin_says_all_that_the_picture_does(index: Index) -> None:
    """Blocks in the order of the text, their statements, what these run, and where control goes."""
    found = drawn(index, "Job.go")
    (tree,) = (block for block in graph_view(index, found, Detail.FULL).blocks if isinstance(block, Tree))
    assert [root.line[0].text for root in tree.roots] == [node.label for node in found.nodes]
    first = tree.roots[3]
    assert [line[-1].text for line in first.below if line] == [
        "a = helper(helper(1))",
        "shop.py:1",
        "shop.py:6",
        "shop.py:6",
        "if x:",
    ]
    assert ["".join(span.text for span in child.line) for child in first.children] == [
        "if so #2 lines 8–11  x",
        "if not #3 line 10  not x",
    ]


# ----------------------------------------------------------------------------------------------------------------------- folding


def large(folder: Path, n_loops: int, n_tests: int) -> Index:
    """A function of many loops, each with many tests."""
    lines = ["def check(a): pass", "", "", "def top(xs):"]
    for loop in range(n_loops):
        lines.append(f"    for a{loop} in xs:")
        for test in range(n_tests):
            lines += [f"        if a{loop} == {test}:", f"            check({test})"]
    return index_of(folder, {"large.py": "\n".join([*lines, "    return 1", ""])})


def test_a_large_function_is_folded_from_the_inside_out(tmp_path: Path) -> None:
    """What stands below a head becomes one node that says how much it is, and which command draws it."""
    found = drawn(large(tmp_path, 5, 10), "top", 30)
    folded = [node for node in found.nodes if node.role is NodeRole.FOLDED]
    assert len(found.nodes) <= 30 + 3
    assert folded
    assert [str(cut) for cut in folded[0].cuts] == ["+20 blocks"]
    assert folded[0].notes == ("folded: 10 calls into the index",)
    assert folded[0].cuts[0].command == "flowmap graph large.py:27 --kind control"
    assert "what is folded" in found.notes[1]


def test_what_stands_around_the_line_that_was_asked_about_is_opened_first(tmp_path: Path) -> None:
    """The command of a fold leads into it."""
    index = large(tmp_path, 5, 10)
    line = 5 + 3 * 21 + 2  # in the fourth loop, the first call
    shown = {text for node in drawn(index, f"large.py:{line}", 30).nodes for text in statements(node)}
    assert {f"if a3 == {test}:" for test in range(10)} <= shown
    assert {"check(0)"} <= shown
    assert "if a2 == 0:" not in shown


def test_a_long_chain_of_tests_is_opened_test_by_test(tmp_path: Path) -> None:
    """Before what stands below each."""
    tests = "\n".join(f"    {'elif' if one else 'if'} x == {one}:\n        a = x\n        while a: a = g(a)" for one in range(20))
    index = index_of(
        tmp_path, {"chain.py": f"def g(a): return a\n\n\ndef f(x):\n{tests}\n    else:\n        g(2)\n    return 1\n"}
    )
    found = drawn(index, "f", 45)
    shown = [text for node in found.nodes for text in statements(node)]
    assert [text for text in shown if text.startswith(("if", "elif"))] == [
        f"{'elif' if one else 'if'} x == {one}:" for one in range(20)
    ]
    assert sum(node.role is NodeRole.FOLDED for node in found.nodes) > 15
    line = 5 + 3 * 12 + 1
    assert "while a:" in {text for node in drawn(index, f"chain.py:{line}", 45).nodes for text in statements(node)}


def test_control_just_goes_on_out_of_what_is_folded(tmp_path: Path) -> None:
    """Its tests are not drawn, so no way says what they say."""
    found = drawn(large(tmp_path, 5, 10), "top", 12)
    folded = {node.id for node in found.nodes if node.role is NodeRole.FOLDED}
    assert folded
    assert {(edge.kind, edge.label) for edge in found.edges if edge.start in folded} == {(EdgeKind.AGAIN, "")}


def test_the_depth_says_how_deep_is_looked(tmp_path: Path) -> None:
    """One level: the loops; two: the tests; three: all."""
    index = large(tmp_path, 2, 2)
    numbers = [sum(node.role is NodeRole.FOLDED for node in drawn(index, "top", 70, depth).nodes) for depth in (1, 2)]
    assert numbers == [4, 0]


@pytest.mark.parametrize("line", [0, 900])
def test_where_folding_is_not_enough_a_part_is_drawn(tmp_path: Path, line: int) -> None:
    """The first blocks, or those around a line; what is next to them is counted where it belongs."""
    index = large(tmp_path, 300, 2)
    found = drawn(index, f"large.py:{line}" if line else "top", 40)
    assert len(found.nodes) <= 40 + 3
    assert found.n_left_out == 600 + 1 - 40
    assert any(cut.noun.endswith("next to it") for node in found.nodes for cut in node.cuts)
    shown = [row.place.line for node in found.nodes for row in node.rows if row.place and row.kind is RowKind.STATEMENT]
    assert min(shown) <= max(line, 5) <= max(shown)


def test_every_edge_leads_from_a_node_to_a_node(tmp_path: Path) -> None:
    """Whatever is folded or cut."""
    index = large(tmp_path, 20, 6)
    for n_nodes in (2, 7, 25, 60, 2000):
        found = drawn(index, "top", n_nodes)
        ids = {node.id for node in found.nodes}
        assert {end for edge in found.edges for end in (edge.start, edge.end)} <= ids
        assert len({edge.id for edge in found.edges}) == len(found.edges)
        assert len(ids) == len(found.nodes)
        assert any(edge.kind is EdgeKind.AGAIN for edge in found.edges)
