"""What `flowmap state` and the marks of a trace say, and how they answer what is not there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from flowmap.model.access import AccessKind
from flowmap.model.problem import ExitCode, FlowmapError
from flowmap.model.program import Confidence
from flowmap.model.view import Tree, View
from flowmap.reports.export_state import export_state
from flowmap.reports.phrases import Detail
from flowmap.reports.state import StateQuestion, StateRecord, state
from flowmap.reports.trace import Direction, TraceQuestion, TraceRecord, trace, trace_limits
from flowmap.reports.watch import watching
from flowmap.store.index import Index
from tests.programs import index_of

APP = """
from dataclasses import dataclass


@dataclass
class Result:
    lens: list
    size: int = 0


class Request:
    def __init__(self):
        self.size = 0

    def take(self, result):
        if result.lens:
            self.size += len(result.lens)


class Late(Result): ...


def verify():
    accepted = [1]
    return Result(accepted, size=2)


def main(unknown):
    result = verify()
    result.lens.append(2)
    Request().take(result)
    setattr(result, unknown, 3)
    return unknown.lens


main(input())
"""


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """The index of a program with a field of one class and one of two."""
    return index_of(tmp_path_factory.mktemp("state"), {"app.py": APP})


def asked(*fields: str, owner: str | None = None, kinds: tuple[AccessKind, ...] = ()) -> StateQuestion:
    """A question about fields."""
    return StateQuestion(fields, owner, kinds, Confidence.INFERRED, Detail.BRIEF)


def record_of(view: View) -> StateRecord:
    """The record of a report."""
    assert isinstance(view.record, StateRecord)
    return view.record


def stages(view: View) -> list[str]:
    """The stages that a report groups by, in order."""
    return ["".join(span.text for span in root.line) for block in view.blocks if isinstance(block, Tree) for root in block.roots]


def test_accesses_are_grouped_by_the_stages_of_a_life(index: Index) -> None:
    """From the declaration to what happens last."""
    assert stages(state(index, asked("lens"))) == ["declared", "stored", "loaded", "updated"]


def test_a_field_of_several_classes_is_told_by_owner(index: Index) -> None:
    """With how often each is meant."""
    view = state(index, asked("size"))
    said = " ".join(span.text for block in view.blocks for line in [getattr(block, "line", ())] for span in line)
    assert "owners:  Request 2, Result 2" in said


def test_an_owner_leaves_out_all_other_classes(index: Index) -> None:
    """By option, or in front of the field; a class that inherits the field means its owner's."""
    by_option = record_of(state(index, asked("size", owner="Result"))).accesses
    assert {access.owners for access in by_option} == {("app.Result",)}
    assert record_of(state(index, asked("Result.size"))).accesses == by_option
    assert record_of(state(index, asked("Late.size"))).accesses == by_option


def test_of_two_classes_of_a_name_the_one_with_the_field_is_meant(tmp_path: Path) -> None:
    """Where both have it, or none, they are listed."""
    texts = {"one.py": "class A:\n    n: int\n    m: int\n", "two.py": "class A:\n    m: int\n"}
    index = index_of(tmp_path, texts)
    assert [access.owners for access in record_of(state(index, asked("A.n"))).accesses] == [("one.A",)]
    with pytest.raises(FlowmapError, match="2 things bear this name"):
        state(index, asked("A.m"))


def test_kinds_leave_out_all_others(index: Index) -> None:
    """`--access augwrite` is `+=` alone."""
    (access,) = record_of(state(index, asked("size", kinds=(AccessKind.AUGWRITE,)))).accesses
    assert (access.line, access.guards, access.owners) == (17, ("if result.lens",), ("app.Request",))


def test_a_computed_name_is_said_to_be_one(index: Index) -> None:
    """It may mean the field and is not counted for it."""
    view = state(index, asked("lens"))
    assert any("by a computed name may mean it, too: app.py:32" in note for note in view.notes)
    assert 32 not in {access.line for access in record_of(view).accesses}


def test_an_undeclared_attribute_is_said_to_be_one(tmp_path: Path) -> None:
    """A dataclass can be given what it does not declare; what it declares is not said to be so."""
    text = "from dataclasses import dataclass\n\n@dataclass\nclass A:\n    n: int\n\na = A(1)\na.label = 2\na.n = 3\n"
    index = index_of(tmp_path, {"app.py": text})
    said = {name: str(state(index, asked(name)).blocks) for name in ("label", "n")}
    assert "stored only by code outside of the class" in said["label"]
    assert "stored only by code outside of the class" not in said["n"]


def test_an_unknown_field_is_answered_with_the_nearest_and_their_owners(index: Index) -> None:
    """Exit code 1: the answer is no."""
    with pytest.raises(FlowmapError) as error:
        state(index, asked("lenz"))
    assert error.value.code is ExitCode.FINDING
    assert "Did you mean lens (of Result)?" in str(error.value)


@pytest.mark.parametrize("name", ["accepted", "take", "unknown"])
def test_locals_methods_and_parameters_are_no_fields(index: Index, name: str) -> None:
    """They are answered as any name that no field has."""
    with pytest.raises(FlowmapError, match="no class of the index has a field of this name"):
        state(index, asked(name))


@pytest.mark.parametrize(("name", "said"), [("verify", "is a function"), ("Request.take", "is a method")])
def test_what_is_called_is_answered_with_the_command_that_tells_of_it(index: Index, name: str, said: str) -> None:
    """Names like it would lead astray."""
    with pytest.raises(FlowmapError, match=rf"{said}.*\n.*flowmap callers {name}$"):
        state(index, asked(name))


@pytest.mark.parametrize("name", ["Result.", ".lens", ".", "Result.."])
def test_a_name_with_a_part_missing_names_no_field(index: Index, name: str) -> None:
    """It is repeated as it was given."""
    with pytest.raises(FlowmapError, match="names no field") as raised:
        state(index, asked(name))
    assert raised.value.code is ExitCode.USAGE
    assert raised.value.problems[0].where == name


def test_a_private_field_is_found_under_its_written_name(tmp_path: Path) -> None:
    """And told as it is written; a name with underscores on both sides is as it is."""
    text = "class A:\n    def __init__(self):\n        self.__kept = 1\n        self.__seen__ = 2\n\n\nA()\n"
    index = index_of(tmp_path, {"app.py": text})
    for name in ("__kept", "__seen__"):
        (access,) = record_of(state(index, asked(f"A.{name}"))).accesses
        assert (access.expr, access.via) == (f"self.{name}", "self")


def test_a_class_without_the_field_is_answered_with_those_that_have_it(index: Index) -> None:
    """So the next question can be right."""
    with pytest.raises(FlowmapError, match=r"Request has no field of this name\n.*: Result\."):
        state(index, asked("Request.lens"))


def test_exported_rows_have_the_keys_of_the_form(index: Index) -> None:
    """Sorted by place, and possible ones left out."""
    rows = [json.loads(line) for line in export_state(index, asked("lens"))]
    assert [row["line"] for row in rows] == [7, 16, 17, 25, 30]
    assert rows[3] == {
        "field": "lens",
        "owners": ["app.Result"],
        "file": "app.py",
        "line": 25,
        "col": 18,
        "function": "app.verify",
        "access": "write",
        "expr": "lens=accepted",
        "confidence": "proven",
    }


def traced(index: Index, *watched: str) -> View:
    """The trace of `main`, with fields watched."""
    up, down = trace_limits(None, (), Confidence.INFERRED, Detail.BRIEF)
    question = TraceQuestion("main", Direction.DOWN, up, down, Detail.BRIEF, watched=watched)
    return trace(index, watching(index, question))


def test_a_trace_marks_what_touches_a_watched_field(index: Index) -> None:
    """r reads, w writes, u updates; functions that do neither have no mark."""
    record = traced(index, "lens", "Request.size").record
    assert isinstance(record, TraceRecord)
    marks = {(one.symbol, one.field): one.marks for one in record.watched}
    assert marks == {
        ("app.main", "lens"): "u",
        ("app.verify", "lens"): "w",
        ("app.Request.__init__", "size"): "w",
        ("app.Request.take", "lens"): "r",
        ("app.Request.take", "size"): "u",
    }


def test_what_only_hands_an_object_on_carries_its_fields(tmp_path: Path) -> None:
    """In a parameter or a variable, of the class or of one below it; the class's own methods do not, and a class is no object."""
    app = """
class Box:
    def __init__(self):
        self.lens = 1
    def idle(self): ...
class Small(Box): ...
class Other: ...
def step(box): use(box)
def park(queue): queue.append(Small())
def take(queue):
    one = queue.pop()
    use(one)
def use(box): return box.lens
def pass_by(other): box_like(other)
def box_like(other): ...
def main():
    step(Box())
    queue = []
    park(queue)
    take(queue)
    pass_by(Other())
    Box().idle()
main()
"""
    record = traced(index_of(tmp_path, {"app.py": app}), "Box.lens").record
    assert isinstance(record, TraceRecord)
    marks = {one.symbol: one.marks for one in record.watched}
    assert marks == {"app.Box.__init__": "w", "app.step": "c", "app.take": "c", "app.use": "r"}


def test_nothing_is_marked_when_nothing_is_watched(index: Index) -> None:
    """And the legend is that of every trace."""
    view = traced(index)
    assert isinstance(view.record, TraceRecord)
    assert view.record.watched == ()
    assert not any("updates it in place" in note for note in view.notes)


@pytest.mark.parametrize(
    "store", ['setattr(self, "late", 1)', 'object.__setattr__(self, "late", 1)', 'setattr(other, "late", 1)']
)
def test_a_store_by_name_inside_the_class_is_not_from_outside(tmp_path: Path, store: str) -> None:
    """Only what no method of the class stores is said to come from outside."""
    text = f"class A:\n    def __init__(self, other: 'A'):\n        {store}\n\n\nA(A(None))\n"
    view = state(index_of(tmp_path, {"app.py": text}), asked("A.late"))
    assert [one.access for one in record_of(view).accesses] == [AccessKind.WRITE]
    assert "outside" not in str(view.blocks)


def test_a_base_that_is_never_made_is_answered_with_what_owns_its_field(tmp_path: Path) -> None:
    """Its own `__init__` assigns it; the field of a class below that it knows nothing of stays that class's."""
    text = """
class Base:
    def __init__(self): self.lens = [1]
class Low(Base):
    def __init__(self):
        super().__init__()
        self.other = 1
Low().lens
"""
    index = index_of(tmp_path, {"app.py": text})
    assert {access.owners for access in record_of(state(index, asked("Base.lens"))).accesses} == {("app.Low",)}
    with pytest.raises(FlowmapError, match="no field of this name"):
        state(index, asked("Base.other"))
