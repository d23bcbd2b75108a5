"""`flowmap compare-runtime`: what counts as found, and what the missing calls are grouped by."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from flowmap.model.observed import ObservedEdge
from flowmap.runtime.edges import edge_lines
from tests.conftest import Command

TEXT = """class A:
    def m(self): ...

    @property
    def p(self): return 1


def make(): return A()


def run(handlers, a: A):
    make().m()
    a.p
    handlers["x"]()
    unknown(a)
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A small package."""
    folder = tmp_path / "pkg"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "app.py").write_text(TEXT, encoding="utf-8")
    return folder


def edge(line: int, callee: str, callee_line: int, *through: str) -> ObservedEdge:
    """A call by `run`."""
    return ObservedEdge("pkg/app.py", line, "pkg.app.run", f"pkg.app.{callee}", "pkg/app.py", callee_line, through, 1)


def compared(flowmap: Command, package: Path, *edges: ObservedEdge) -> dict[str, Any]:
    """The record of the report."""
    file = package.parent / "calls.jsonl"
    file.write_text("\n".join(edge_lines(edges)), encoding="utf-8")
    out = flowmap("compare-runtime", str(file), "--source", str(package), "--format", "json").stdout
    answer: dict[str, Any] = json.loads(out)["record"]
    return answer


def test_found_is_what_stands_at_the_very_line(flowmap: Command, package: Path) -> None:
    """With that very target; the first line of a property is that of its decorator."""
    answer = compared(flowmap, package, edge(12, "make", 8), edge(12, "A.m", 2), edge(13, "A.p", 4), edge(14, "make", 8))
    (row,) = answer["packages"]
    assert (row["n_found"], row["n_edges"], row["n_sites"]) == (3, 4, 3)
    assert (row["mean_targets"], row["median_targets"], row["p95_targets"]) == (1.0, 1, 1)


def test_missing_calls_are_grouped_by_construct(flowmap: Command, package: Path) -> None:
    """A reader sees which rule to write."""
    answer = compared(flowmap, package, edge(14, "make", 8), edge(15, "make", 8, "functools"), edge(15, "A.m", 2, "numpy"))
    found = {(row["construct"], row["way"]) for row in answer["missing"]}
    assert found == {
        ("taken out of a container", "direct"),
        ("callback through the standard library", "standard library"),
        ("callback through other code", "other code"),
    }


def test_what_went_through_other_code_is_not_in_the_recall(flowmap: Command, package: Path) -> None:
    """The index knows nothing of that code; it is told beside it."""
    (row,) = compared(flowmap, package, edge(12, "make", 8), edge(15, "A.m", 2, "numpy"))["packages"]
    assert (row["n_found"], row["n_edges"]) == (1, 1)
    assert row["ways"][2] == {"way": "other code", "n_edges": 1, "n_found": 0}


def test_the_record_of_another_program_is_refused(flowmap: Command, package: Path) -> None:
    """Nothing compared is no recall of 100 %."""
    file = package.parent / "calls.jsonl"
    other = ObservedEdge("other/app.py", 1, "other.app", "other.app.f", "other/app.py", 1, (), 1)
    file.write_text("\n".join(edge_lines([other])), encoding="utf-8")
    done = flowmap("compare-runtime", str(file), "--source", str(package), code=1)
    assert "none of its 1 call" in done.stderr


def test_a_trace_says_what_ran(flowmap: Command, package: Path) -> None:
    """With counts, and what never did."""
    file = package.parent / "calls.jsonl"
    file.write_text("\n".join(edge_lines([edge(12, "make", 8)])), encoding="utf-8")
    out = flowmap("trace", "run", "--runtime", str(file), "--source", str(package), "-q").stdout
    said = [line.rstrip() for line in out.splitlines()]
    assert any("make" in line and line.endswith("ran 1×") for line in said), out
    assert any("A.m" in line and line.endswith("never ran") for line in said), out


def test_what_ran_unseen_from_here_did_run(flowmap: Command, package: Path) -> None:
    """A thread's function is called by nobody in the record, and calls."""
    file = package.parent / "calls.jsonl"
    (package / "app.py").write_text(
        "import threading\ndef leaf(): ...\ndef work():\n    leaf()\ndef idle(): ...\ndef run(x):\n"
        "    threading.Thread(target=work).start()\n    if x:\n        idle()\n",
        encoding="utf-8",
    )
    called = ObservedEdge("pkg/app.py", 4, "pkg.app.work", "pkg.app.leaf", "pkg/app.py", 2, (), 1)
    file.write_text("\n".join(edge_lines([called])), encoding="utf-8")
    out = flowmap("trace", "run", "--down", "--runtime", str(file), "--source", str(package), "-q").stdout
    said = [line.rstrip() for line in out.splitlines()]
    assert any("work" in line and line.endswith("not observed from here") for line in said), out
    assert any("idle" in line and line.endswith("never ran") for line in said), out


def test_a_way_is_no_trace(flowmap: Command, package: Path) -> None:
    """What is not laid over is refused, not passed over."""
    flowmap("trace", "run", "--to", "make", "--runtime", "calls.jsonl", "--source", str(package), code=2)
