"""The Python interface: a few names, typed, that answer with records."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import flowmap
from tests.toy import toy_index


@pytest.fixture
def code_base(monkeypatch: pytest.MonkeyPatch) -> Iterator[flowmap.CodeBase]:
    """The toy program, opened as a user opens a package."""
    with monkeypatch.context() as patched:
        patched.setattr("flowmap.pipeline.open_index", lambda choice, progress: toy_index())  # noqa: ARG005
        patched.delitem(sys.modules, "flowmap.api", raising=False)
        yield flowmap.open_index("pypi:toy==1.0")
        sys.modules.pop("flowmap.api", None)


def test_questions_give_records(code_base: flowmap.CodeBase) -> None:
    """What the commands show, as values."""
    assert code_base.source == "toy 1.0"
    (first, second) = code_base.callers("Scheduler.process")
    assert (first.file, first.line, first.guards) == ("toy/app.py", 20, ("while True", "if batch"))
    assert second.caller == "toy.app.Scheduler.split"
    assert [site.status for site in code_base.callees("receive")] == ["external"]
    assert [each.definition.symbol for each in code_base.where("forward")][1] == "toy.workers.Worker.forward"
    assert [len(path.steps) for path in code_base.paths("main", "OutputMixin.emit").paths] == [3, 4]
    assert code_base.trace("process_decode").entry_points[0].symbol == "toy.app.main"


def test_a_record_of_a_trace_has_its_evidence(code_base: flowmap.CodeBase) -> None:
    """A program need not ask twice."""
    (site,) = [level.site for level in code_base.trace("process_decode", depth=1).callers]
    assert [step.what for step in site.targets[0].evidence] == [
        "read as .process_decode",
        "definition of process_decode",
    ]


def test_weak_answers_are_asked_for(code_base: flowmap.CodeBase) -> None:
    """As on the command line."""
    assert code_base.callers("Base.emit") == ()
    assert len(code_base.callers("Base.emit", flowmap.Confidence.POSSIBLE)) == 1


def test_errors_are_values_too(code_base: flowmap.CodeBase) -> None:
    """An unknown name raises what the command would print."""
    with pytest.raises(flowmap.FlowmapError) as raised:
        code_base.callers("proces_decode")
    assert raised.value.problems[0].where == "proces_decode"


def test_there_is_nothing_else() -> None:
    """A name that is not public is not there."""
    assert set(flowmap.__all__) <= set(dir(flowmap))
    with pytest.raises(AttributeError, match="nothing_else"):
        flowmap.nothing_else  # noqa: B018


def test_importing_it_is_quick() -> None:
    """The names come when they are used."""
    code = "import sys, flowmap; print([name for name in sys.modules if name.startswith('flowmap.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=Path(__file__).parents[1], check=True)
    assert done.stdout.strip() == "[]"


def test_it_is_typed() -> None:
    """Type checkers read the annotations."""
    assert (Path(flowmap.__file__).parent / "py.typed").exists()
