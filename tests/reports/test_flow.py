"""What `flow`, `impact` and `depends` say about a small program, and about questions that cannot be answered."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from flowmap.follow.search import Following
from flowmap.model.problem import ExitCode, FlowmapError
from flowmap.model.view import View
from flowmap.render.json import write_json
from flowmap.render.lines import write_lines
from flowmap.render.piped import write_piped
from flowmap.reports.export_flow import export_flow
from flowmap.reports.flow import FlowQuestion, flow
from flowmap.reports.flow_slices import SliceQuestion, flow_slice
from flowmap.reports.phrases import Detail
from flowmap.store.index import Index
from tests.programs import index_of

PROGRAM = """\
from collections import deque


class Result:
    def __init__(self, length):
        self.length = length


class Other:
    length: int = 0


class Request:
    def __init__(self):
        self.done = 0


class Loop:
    def __init__(self):
        self.waiting = deque()

    def step(self, request: Request):
        if self.waiting:
            last = self.waiting.popleft()
            request.done += last.length.item()
        count = sample()
        self.waiting.append(Result(count))


def sample():
    return read("file")


def peek(other: Other):
    return other.length
"""


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """The program's index."""
    return index_of(tmp_path_factory.mktemp("flow"), {"app.py": PROGRAM})


def asked(start: str, end: str = "", limit: int = 5, most_steps: int = 5_000) -> FlowQuestion:
    """A question with its usual bounds."""
    return FlowQuestion(start, end, limit, most_steps, Detail.BRIEF)


def sliced(name: str, following: Following, limit: int = 20) -> SliceQuestion:
    """A question for a slice with its usual bounds."""
    return SliceQuestion(name, following, limit, 5_000, Detail.BRIEF)


def text(view: View) -> list[str]:
    """The lines of a report on a page of 80 columns, without the source."""
    stream = io.StringIO()
    write_piped(view, stream, 80)
    return stream.getvalue().split("\n\nsource:")[0].splitlines()


def test_a_path_says_what_happens_where(index: Index) -> None:
    """Each step with its place and function, and the line of the text under the first step of it."""
    assert text(flow(index, asked("sample()", "Request.done"))) == [
        "sample() → Request.done  1 path",
        "",
        "Path 1  10 steps",
        "returned   app.py:30  sample",
        "           def sample():",
        "renamed    app.py:26  Loop.step",
        "           count = sample()",
        "passed     app.py:27  Loop.step",
        "           self.waiting.append(Result(count))",
        "stored     app.py:6  Result.__init__",
        "           self.length = length",
        "carried    app.py:27  Loop.step",
        "           self.waiting.append(Result(count))",
        "carried    app.py:24  Loop.step  (in a later call)",
        "           last = self.waiting.popleft()",
        "loaded     app.py:25  Loop.step",
        "           request.done += last.length.item()",
        "derived    app.py:25  Loop.step  .item()",
        "derived    app.py:25  Loop.step  +=",
        "stored     app.py:25  Loop.step  → Request.done",
    ]


def test_without_an_end_the_fields_that_are_reached_first(index: Index) -> None:
    """A path to each, the nearest first."""
    record = json_of(flow(index, asked("app.py:26:count")))["record"]
    assert record["ends"] == [["Result.length"], ["Request.done"]]


TWICE = """\
class Both:
    def __init__(self, given):
        self.first = self.second = given


class One:
    def __init__(self, given):
        self.first = given
        self.second = given
"""


def test_fields_that_the_same_steps_reach_share_a_path(tmp_path: Path) -> None:
    """Which is told once, with the names of both; steps of two lines are two paths."""
    twice = index_of(tmp_path, {"app.py": TWICE})
    both, one = (json_of(flow(twice, asked(f"{name}.__init__(given)")))["record"] for name in ("Both", "One"))
    assert both["ends"] == [["Both.first", "Both.second"]]
    assert one["ends"] == [["One.first"], ["One.second"]]


def test_a_path_that_ends_at_no_field_names_none(index: Index) -> None:
    """It ends at a local."""
    told = text(flow(index, asked("sample()", "app.py:27:count")))
    assert not [line for line in told[1:] if "→" in line]


def test_impact_of_a_function_is_that_of_its_results_and_of_what_it_writes(index: Index) -> None:
    """As if each were asked about."""
    lines = {name: text(flow_slice(index, sliced(name, Following.VALUE))) for name in ("sample", "Result.__init__")}
    assert "  1  renamed    app.py:26  Loop.step" in lines["sample"]
    assert "  1  loaded     app.py:25  Loop.step" in lines["Result.__init__"]


@pytest.mark.parametrize(
    ("name", "following", "said"),
    [
        ("Loop.__init__()", Following.VALUE, "reaches nothing"),
        ("sample", Following.ORIGIN, "is a function and no value"),
        ("Loop", Following.VALUE, "is a class and no value"),
        ("idle", Following.VALUE, "reaches nothing"),
    ],
)
def test_where_nothing_is_changed_there_is_no_impact(tmp_path: Path, name: str, following: Following, said: str) -> None:
    """Of a function that gives and writes nothing, of a class; `depends` asks for a value."""
    index = index_of(tmp_path, {"app.py": PROGRAM + "\n\ndef idle():\n    sample()\n"})
    with pytest.raises(FlowmapError, match=said):
        flow_slice(index, sliced(name, following))


def json_of(view: View) -> dict[str, Any]:
    """A report as a program reads it."""
    stream = io.StringIO()
    write_json(view, stream)
    return dict(json.loads(stream.getvalue()))


def test_the_lines_are_places(index: Index) -> None:
    """Every step is a line that an editor can go to."""
    stream = io.StringIO()
    write_lines(flow(index, asked("app.py:26:count", "Result.length")), stream)
    places = [line.split(": ")[0] for line in stream.getvalue().splitlines()]
    assert places == ["app.py:26:1", "app.py:27:1", "app.py:6:1"]


def test_the_export_has_a_path_a_line(index: Index) -> None:
    """In the words of the exported form, and no other keys."""
    (row,) = export_flow(index, asked("app.py:26:count", "Result.length", limit=1))
    steps = json.loads(row)["steps"]
    assert [(step["what"], step["line"], step["function"]) for step in steps] == [
        ("born", 26, "app.Loop.step"),
        ("passed", 27, "app.Loop.step"),
        ("stored", 6, "app.Result.__init__"),
    ]
    assert {key for step in steps for key in step} == {"file", "line", "function", "what", "expr"}


def test_impact_ranks_by_distance_and_gives_the_reason(index: Index) -> None:
    """What a field reaches: the loads of it first; the other class's field of the same name is not among it."""
    assert text(flow_slice(index, sliced("Result.length", Following.VALUE))) == [
        "Result.length  reaches 5 steps in 1 function",
        "",
        "  1  loaded     app.py:25  Loop.step",
        "                request.done += last.length.item()",
        "  2  derived    app.py:25  Loop.step  .item()  because of loaded app.py:25",
        "                request.done += last.length.item()",
        "  3  derived    app.py:25  Loop.step  +=  because of derived app.py:25",
        "                request.done += last.length.item()",
        "  4  stored     app.py:25  Loop.step  because of derived app.py:25",
        "                request.done += last.length.item()",
        "  5  loaded     app.py:25  Loop.step  because of stored app.py:25",
        "                request.done += last.length.item()",
    ]


def test_depends_goes_back_to_where_the_value_is_made(index: Index) -> None:
    """The last members are those in `sample`."""
    record = json_of(flow_slice(index, sliced("Result.length", Following.ORIGIN)))["record"]
    steps = [(one["distance"], one["step"]["what"], one["step"]["line"]) for one in record["members"]]
    assert steps == [
        (1, "stored", 6),
        (2, "passed", 27),
        (3, "renamed", 26),
        (4, "returned", 26),
        (5, "returned", 31),
        (6, "derived", 31),
    ]
    assert not record["bounded"]


IN_ORDER = """\
class One:
    def __init__(self):
        self.value = 1


class Many:
    def __init__(self):
        self.value = 1


def use(box):
    return box.value


def once():
    box = One()
    before = use(box)
    box.value = late()
    after = box.value


def often():
    box = Many()
    while True:
        before = box.value
        box.value = again()
"""

TWICE_STORED = """\
class Box:
    def __init__(self):
        self.value = 1


def main():
    box = Box()
    given = start()
    box.value = given
    first = box.value
    box.value = given
"""


@pytest.mark.parametrize(
    ("program", "name", "reached"),
    [
        (IN_ORDER, "app.py:18:late()", [18, 19, 19]),
        (IN_ORDER, "app.py:26:again()", [25, 25, 26]),
        (TWICE_STORED, "app.py:8:start()", [8, 9, 10, 10, 11]),
    ],
)
def test_impact_leaves_out_what_was_read_before(tmp_path: Path, program: str, name: str, reached: list[int]) -> None:
    """Of an object that each call makes anew: not in a loop, and not where another store of the field comes before the read."""
    index = index_of(tmp_path, {"app.py": program})
    members = json_of(flow_slice(index, sliced(name, Following.VALUE)))["record"]["members"]
    assert sorted(one["step"]["line"] for one in members) == reached


@pytest.mark.parametrize(("name", "lines"), [("app.py:17:before", {3, 12, 17}), ("app.py:19:after", {3, 18, 19})])
def test_depends_leaves_out_what_is_stored_later(tmp_path: Path, name: str, lines: set[int]) -> None:
    """The same, seen from the read."""
    index = index_of(tmp_path, {"app.py": IN_ORDER})
    members = json_of(flow_slice(index, sliced(name, Following.ORIGIN)))["record"]["members"]
    assert {one["step"]["line"] for one in members} == lines


PUT_IN = """\
class Box:
    def __init__(self):
        self.items = []
        self.table = {}
        self.total = start()

    def more(self, values):
        held = self.items
        held.extend(values)
        self.table.update(a=one())
        self.table["b"] = two()
        self.total.add_(one())

    def both(self):
        return self.table["a"], self.table["b"]


def start(): return 0
def one(): return 1
def two(): return 2


def fill(target, value):
    target.append(value)


box = Box()
fill(box.items, one())
fill([], two())
box.more([three()])
a, b = box.both()
"""


@pytest.mark.parametrize(
    ("name", "with_them", "without"),
    [
        ("Box.items", {9, 24, 28, 30}, {29, 20}),
        ("Box.table", {10, 11, 19, 20}, {9, 12}),
        ("Box.total", {12, 19}, {10, 20}),
        ("app.py:31:b", {11, 20}, {10, 19}),
    ],
)
def test_depends_takes_what_is_put_into_the_container_of_a_field(
    tmp_path: Path, name: str, with_them: set[int], without: set[int]
) -> None:
    """Through a name of it or a parameter, by key and in place; not what goes elsewhere, or under another key."""
    index = index_of(tmp_path, {"app.py": PUT_IN})
    members = json_of(flow_slice(index, sliced(name, Following.ORIGIN)))["record"]["members"]
    lines = {one["step"]["line"] for one in members}
    assert with_them <= lines
    assert not without & lines


def test_a_parameter_is_named_by_the_line_that_declares_it(tmp_path: Path) -> None:
    """As a local is by its own; a name that the line does not declare is none."""
    index = index_of(tmp_path, {"app.py": PUT_IN})
    members = json_of(flow_slice(index, sliced("app.py:23:value", Following.VALUE)))["record"]["members"]
    assert members[0]["step"]["line"] == 24
    with pytest.raises(FlowmapError, match="has no values"):
        flow_slice(index, sliced("app.py:23:values", Following.VALUE))


EXCLUDING = """\
class Sink:
    def __init__(self):
        self.value = 0


def closed(fast, sink: Sink):
    if fast:
        given = make()
    else:
        given = other()
    if not fast:
        sink.value = given


def bound_anew(fast, sink: Sink):
    if fast:
        given = make()
    else:
        given = other()
    fast = not fast
    if not fast:
        sink.value = given


def by_turns(flags, sink: Sink):
    given = None
    for fast in flags:
        if fast:
            given = make()
        if not fast:
            sink.value = given


def one_after_another(fast, slow, sink: Sink):
    if fast:
        given = make()
    if not slow:
        sink.value = given


class Worker:
    def __init__(self, fast):
        self.fast = fast
        self.kept = self.other = None
        self.asked = False

    def run(self, sink: Sink):
        if self.fast:
            self.kept = make()
        if not self.fast:
            sink.value = self.kept

    def ask(self, sink: Sink):
        if self.asked:
            self.other = make()
        if not self.asked:
            sink.value = self.other

    def turn(self):
        self.asked = not self.asked


def main():
    worker = Worker(True)
    worker.run(Sink())
    worker.ask(Sink())
    worker.turn()
"""


@pytest.mark.parametrize(
    ("start", "excluded"),
    [
        ("app.py:8:make()", ("fast", 8, 12)),
        ("app.py:17:make()", None),
        ("app.py:29:make()", None),
        ("app.py:36:make()", None),
        ("app.py:49:make()", ("self.fast", 49, 51)),
        ("app.py:55:make()", None),
    ],
)
def test_a_path_says_that_its_branches_exclude_each_other(
    tmp_path: Path, start: str, excluded: tuple[str, int, int] | None
) -> None:
    """Unless something of the test is bound anew in between, or in a loop around both, or a method stores it."""
    index = index_of(tmp_path, {"app.py": EXCLUDING})
    record = json_of(flow(index, asked(start, "Sink.value", limit=1)))["record"]
    (found,) = [one and (one["test"], one["holds"][1], one["fails"][1]) for one in record["exclusions"]]
    assert found == excluded
    said = "\n".join(text(flow(index, asked(start, "Sink.value", limit=1))))
    assert ("only if this changes in between" in said) == (excluded is not None)


RANKED = """\
class Sink:
    def __init__(self):
        self.value = 0


def main(fast, sink: Sink):
    given = make()
    if fast:
        kept = given
    else:
        kept = None
    if not fast:
        sink.value = kept
    turned = hand(hand(given))
    sink.value = turned


def hand(thing):
    return thing


main(True, Sink())
"""


def test_a_path_that_cannot_be_comes_last(tmp_path: Path) -> None:
    """Though it is the shorter one; where one path is asked for, it is the one that can be."""
    index = index_of(tmp_path, {"app.py": RANKED})
    all_of_them, one = (json_of(flow(index, asked("app.py:7:make()", "Sink.value", limit)))["record"] for limit in (5, 1))
    assert [each is None for each in all_of_them["exclusions"]] == [True, False]
    assert [step["line"] for step in one["paths"][0]][-1] == 15


CARRIED = """\
class Box:
    def __init__(self):
        self.value = 0


class Kept:
    def __init__(self):
        self.box = None


class Worker:
    def __init__(self, fast):
        self.fast = fast

    def run(self, box: Box):
        if self.fast:
            box.value = make()
        if self.fast:
            passed = hand(hand(box))
            show(passed)
        else:
            show(box)


def hand(box):
    return box


def show(box):
    return box.value


Worker(True).run(Box())
"""


def test_the_object_takes_branches_that_can_be_taken(tmp_path: Path) -> None:
    """Of two ways of the object that holds the value, the longer one, since the shorter one's branch is closed by where it was
    stored."""
    index = index_of(tmp_path, {"app.py": CARRIED})
    record = json_of(flow(index, asked("app.py:17:make()", "show()", limit=1)))["record"]
    lines = [step["line"] for step in record["paths"][0]]
    assert 20 in lines
    assert 22 not in lines


def test_a_line_stands_for_what_it_binds(index: Index) -> None:
    """And the calls on it have a name of their own."""
    assert json_of(flow_slice(index, sliced("app.py:26", Following.VALUE)))["record"]["members"][0]["step"]["line"] == 27
    assert json_of(flow(index, asked("app.py:26:sample()", "Result.length")))["record"]["paths"][0][0]["what"] == "born"


def test_a_slice_that_is_cut_says_so(index: Index) -> None:
    """And how to go on."""
    view = flow_slice(index, sliced("Result.length", Following.VALUE, limit=2))
    assert len(json_of(view)["record"]["members"]) == 2
    assert view.notes == ("there is more: --limit 8 shows more, --most-steps 25000 looks further",)


@pytest.mark.parametrize(
    ("start", "end", "code", "said"),
    [
        ("Result.lenght", "", ExitCode.FINDING, "Did you mean length?"),
        ("length", "", ExitCode.USAGE, "2 classes have a field of this name"),
        ("Nobody.length", "", ExitCode.FINDING, "Did you mean Result.length, Other.length?"),
        ("app.py:26:cuont", "", ExitCode.FINDING, "On this line: count."),
        ("app.py:1", "", ExitCode.FINDING, "holds no value that can be followed"),
        ("Loop.step(reqest)", "", ExitCode.FINDING, "Its parameters: self, request."),
        ("Request.done", "Result.length", ExitCode.FINDING, "no path leads to Result.length"),
        ("app.py:x", "", ExitCode.USAGE, "is not FILE:LINE:NAME"),
        ("Other", "", ExitCode.USAGE, "Give one of its fields: Other.length."),
        ("sample", "", ExitCode.USAGE, '"sample()" is what it returns'),
        ("nothing.py:3:x", "", ExitCode.FINDING, "no file or module"),
    ],
)
def test_what_cannot_be_answered_says_what_can(index: Index, start: str, end: str, code: ExitCode, said: str) -> None:
    """The nearest names, the owners, the names on the line."""
    with pytest.raises(FlowmapError) as raised:
        flow(index, asked(start, end))
    assert said in str(raised.value)
    assert raised.value.code is code


def test_a_search_that_was_bounded_says_how_to_go_on(index: Index) -> None:
    """No path within three steps of search is not the same as no path."""
    with pytest.raises(FlowmapError, match=r"where it stopped\n.*--most-steps 15 looks further"):
        flow(index, asked("sample()", "Request.done", most_steps=3))


def test_the_same_fields_are_known_as_to_state(tmp_path: Path) -> None:
    """What only reads a name of a class has no such field; what a body assigns is one though nothing touches it."""
    text = """
class Has:
    def __init__(self): self.lens = [1]
class Shadow:
    lens = None
class Lacks: ...
def read(one: Lacks): return one.lens
read(Lacks())
Has().lens
"""
    index = index_of(tmp_path, {"app.py": text})
    with pytest.raises(FlowmapError, match="2 classes have a field") as told:
        flow(index, FlowQuestion("lens", "", 3, 1000, Detail.BRIEF))
    assert "app.Has.lens" in str(told.value)
    assert "app.Shadow.lens" in str(told.value)
    with pytest.raises(FlowmapError, match="has no field of this name"):
        flow(index, FlowQuestion("Lacks.lens", "", 3, 1000, Detail.BRIEF))
    with pytest.raises(FlowmapError, match="no path leads onward"):
        flow(index, FlowQuestion("Shadow.lens", "", 3, 1000, Detail.BRIEF))
