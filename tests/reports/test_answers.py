"""What reports must and must not say, beyond how it looks."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import cast

import pytest

from flowmap.model.problem import ExitCode, FlowmapError
from flowmap.model.program import Confidence
from flowmap.model.view import Tree, TreeNode, View
from flowmap.reports.class_orders import mro
from flowmap.reports.export_calls import export_calls
from flowmap.reports.export_mro import export_mro
from flowmap.reports.module import module
from flowmap.reports.paths import PathsQuestion, PathsRecord, paths
from flowmap.reports.phrases import Detail, callee_text, count, ordinal
from flowmap.reports.show import ShowRecord, show
from flowmap.reports.site_lists import ListQuestion, callers
from flowmap.reports.subjects import find
from flowmap.reports.trace import CutRecord, Direction, TraceQuestion, TraceRecord, trace, trace_limits
from flowmap.reports.traceback import FrameRecord, traceback
from flowmap.reports.walk import Cut, walk_down, walk_up
from flowmap.store.index import Index
from tests.toy import toy_index


@pytest.fixture(scope="module")
def index() -> Index:
    """The toy program's index."""
    return toy_index()


def traced(
    index: Index, name: str, depth: int | None = None, stop_at: tuple[str, ...] = (), strength: Confidence = Confidence.INFERRED
) -> View:
    """A trace in both directions."""
    up, down = trace_limits(depth, stop_at, strength, Detail.BRIEF)
    return trace(index, TraceQuestion(name, Direction.BOTH, up, down, Detail.BRIEF))


def record_of(view: View) -> TraceRecord:
    """A trace's record."""
    assert isinstance(view.record, TraceRecord)
    return view.record


def texts(view: View) -> list[str]:
    """The lines of all trees of a View, without their shape."""

    def below(node: TreeNode) -> list[str]:
        return ["".join(span.text for span in node.line), *(text for child in node.children for text in below(child))]

    return [text for block in view.blocks if isinstance(block, Tree) for root in block.roots for text in below(root)]


def test_a_trace_holds_every_site_once(index: Index) -> None:
    """Recursion is no trouble for a program: the record is a graph."""
    callees = record_of(traced(index, "Scheduler.process", 9)).callees
    places = [(level.site.file, level.site.line, level.site.col, level.site.expr) for level in callees]
    assert len(places) == len(set(places))
    assert {level.site.status for level in callees} >= {"resolved", "builtin", "unresolved"}


def test_a_trace_says_which_levels(index: Index) -> None:
    """A site's level is how many calls away from what was asked its function is."""
    levels = {(level.site.caller, level.level) for level in record_of(traced(index, "process_decode")).callers}
    assert ("toy.app.Scheduler.process", 1) in levels
    assert ("toy.app.main", 3) in levels


def test_nothing_weak_is_shown_unless_asked_for(index: Index) -> None:
    """A guess by name appears with --confidence possible, and only then."""
    assert not any("Base.emit" in text for text in texts(traced(index, "process_decode")))
    assert any("? Base.emit" in text for text in texts(traced(index, "process_decode", strength=Confidence.POSSIBLE)))


def test_a_function_is_told_once(index: Index) -> None:
    """`process` calls `split`, which calls both again: each is opened once, recursion is marked."""
    lines = texts(traced(index, "Scheduler.process", 9))
    assert sum("recursion" in line for line in lines) >= 2
    assert sum(line.startswith("OutputMixin.process_decode") for line in lines) == 1


def test_stop_at_keeps_a_function_closed(index: Index) -> None:
    """The function is shown, what it runs is not; the record says why."""
    view = traced(index, "Scheduler.run", 9, ("proc*",))
    assert not any("Scheduler.split" in line for line in texts(view))
    assert CutRecord("toy.app.Scheduler.process", Cut.STOP) in record_of(view).not_opened
    assert any("stopped here" in line for line in texts(view))


def test_depth_says_what_it_leaves_out(index: Index) -> None:
    """A function that is not opened says how many calls it has, and a note says how to see them."""
    view = traced(index, "Scheduler.run", 1)
    assert any("Scheduler.process" in line and "… 3 calls" in line for line in texts(view))
    assert any("--depth" in remark for remark in view.notes)
    assert not any("--depth" in remark for remark in traced(index, "Scheduler.run", 99).notes)


def test_weaker_ways_are_named_and_not_followed_where_stronger_ones_are_enough(index: Index) -> None:
    """The caller by inference stands in the record, closed, with the reason."""
    up, _ = trace_limits(None, (), Confidence.INFERRED, Detail.BRIEF)
    found = walk_up(index, find(index, "toy.workers.Worker.forward"), replace(up, followed=Confidence.PROVEN))
    assert list(found.cut.values()) == [Cut.WEAKER]
    assert any("main" in line for line in texts(traced(index, "toy.workers.Worker.forward")))  # no stronger way leads in


def test_a_level_with_too_many_sites_stays_closed(index: Index) -> None:
    """The first level is always shown; a depth that is asked for is always gone."""
    _, down = trace_limits(None, (), Confidence.INFERRED, Detail.BRIEF)
    roots = find(index, "Scheduler.run")
    few, many = (walk_down(index, roots, replace(down, n_sites=number)) for number in (1, 99))
    assert set(few.cut.values()) == {Cut.DEPTH}
    assert len(few.sites) == 1 < len(many.sites)


def test_unresolved_and_external_sites_are_counted(index: Index) -> None:
    """They are never dropped in silence: the reason and the number are said."""
    assert "+ 1 builtin, 1 unresolved (receiver unknown)" in texts(traced(index, "Scheduler.process"))


def paths_between(index: Index, start: str, end: str, *stop_at: str, depth: int = 99) -> PathsRecord:
    """The record of the paths from one function to another."""
    record = paths(index, PathsQuestion(start, end, Confidence.INFERRED, stop_at, depth, Detail.BRIEF)).record
    assert isinstance(record, PathsRecord)
    return record


def test_paths_come_shortest_first(index: Index) -> None:
    """The direct way, then the way through the mixin."""
    lengths = [len(path.steps) for path in paths_between(index, "main", "OutputMixin.emit").paths]
    assert lengths == [3, 4]


def test_paths_avoid_what_they_are_told_to(index: Index) -> None:
    """With the mixin's method shut only the direct way is left."""
    assert len(paths_between(index, "main", "OutputMixin.emit", "process_decode").paths) == 1


def test_a_function_reaches_itself_by_recursion(index: Index) -> None:
    """From `split` to `split` there is the direct call, and the way through `process`."""
    assert [len(path.steps) for path in paths_between(index, "split", "split").paths] == [1, 2]


def test_no_path_is_a_finding_that_tells_the_way_back(index: Index) -> None:
    """Asked the wrong way round, the message says so."""
    with pytest.raises(FlowmapError, match="there is one") as raised:
        paths_between(index, "OutputMixin.emit", "main")
    assert raised.value.code is ExitCode.FINDING
    with pytest.raises(FlowmapError, match="no path"):
        paths_between(index, "main", "OutputMixin.emit", depth=2)


def test_a_traceback_without_frames_is_a_finding(index: Index) -> None:
    """Any other text is no traceback."""
    with pytest.raises(FlowmapError, match="holds no traceback"):
        traceback(index, "ValueError: no\n", Confidence.INFERRED, Detail.BRIEF)


FRAMES = """\
{0}Traceback (most recent call last):
{0}  File "/srv/toy/app.py", line 19, in run
{1}  File "toy/app.py", line 41, in main
{0}    self.process(batch)
{0}  File "/srv/toy/app.py", line 29, in process
"""


@pytest.mark.parametrize("before", ["", "[rank0]: ", "2026-11-30 12:00:01,123 ERROR worker | ", "  | "])
def test_lines_of_a_traceback_may_stand_behind_something(index: Index, before: str) -> None:
    """A rank, a log's head, the bar of a group: what differs tells processes apart, each of which is told in one piece."""
    assert [(one.line, one.known) for one in framed(index, FRAMES.format(before, "[rank1]: "))] == [
        (19, True),
        (29, True),
        (41, True),
    ]


def framed(index: Index, text: str) -> tuple[FrameRecord, ...]:
    """The frames of a traceback."""
    return cast("tuple[FrameRecord, ...]", traceback(index, text, Confidence.INFERRED, Detail.BRIEF).record)


def test_colours_of_a_traceback_are_no_part_of_it(index: Index) -> None:
    """As newer Pythons print them on a terminal."""
    text = '  File \x1b[35m"toy/app.py"\x1b[0m, line \x1b[35m41\x1b[0m, in \x1b[35mmain\x1b[0m\n'
    assert [one.symbol for one in framed(index, text)] == ["toy.app.main"]


@pytest.mark.parametrize(
    "text", ["print('  File \"a.py\", line 3, in f')", 'x = """File "a.py", line 3"""', 'SomeFile "a.py", line 3']
)
def test_a_line_of_code_is_no_frame(index: Index, text: str) -> None:
    """Though it holds what a frame looks like."""
    with pytest.raises(FlowmapError, match="holds no traceback"):
        traceback(index, f"    {text}\n", Confidence.INFERRED, Detail.BRIEF)


@pytest.mark.parametrize(
    ("frame", "said"),
    [
        ('File "toy/app.py", line 4000, in <module>', "the file has 45 lines: another version ran"),
        ('File "toy/app.py", line 41, in run', "not run: another version ran"),
        ('File "toy/broken.py", line 1, in run', "the file did not parse"),
    ],
)
def test_a_frame_that_cannot_be_is_told_so(index: Index, frame: str, said: str) -> None:
    """Whatever ran there, it was not what is indexed."""
    view = traceback(index, f"  {frame}\n", Confidence.INFERRED, Detail.BRIEF)
    assert said in " ".join(texts(view))
    assert [one.known for one in framed(index, frame)] == [False]


def test_an_unknown_name_suggests_the_nearest(index: Index) -> None:
    """One message, with what was probably meant; the exit code of a finding."""
    with pytest.raises(FlowmapError, match="mean process_decode") as raised:
        find(index, "proces_decode")
    assert raised.value.code is ExitCode.FINDING


def test_an_ambiguous_name_lists_its_candidates(index: Index) -> None:
    """Each with a place that can be pasted back."""
    with pytest.raises(FlowmapError, match="FastWorker") as raised:
        find(index, "forward")
    assert raised.value.code is ExitCode.USAGE
    assert "workers.py:5" in str(raised.value)
    assert find(index, "workers.py:5")[0].symbol == "toy.workers.Worker.forward"


@pytest.mark.parametrize(
    ("place", "message"),
    [("app.py:999", "has 45 lines"), ("app.py:0", "has 45 lines"), ("none.py:1", "no file"), ("broken.py:1", "invalid syntax")],
)
def test_a_place_that_is_not_there(index: Index, place: str, message: str) -> None:
    """A line beyond the end, a file that is not there, a file that did not parse."""
    with pytest.raises(FlowmapError, match=message):
        find(index, place)


@pytest.mark.parametrize(("name", "message"), [("main", "a function, not a class"), ("Nothing", "no such name")])
def test_only_classes_have_an_order(index: Index, name: str, message: str) -> None:
    """A function has none."""
    with pytest.raises(FlowmapError, match=message):
        mro(index, name, Detail.BRIEF)
    with pytest.raises(FlowmapError, match=message):
        list(export_mro(index, [name]))


def test_a_file_that_did_not_parse_has_no_dossier(index: Index) -> None:
    """The message is the reason."""
    with pytest.raises(FlowmapError, match="invalid syntax"):
        module(index, "broken.py", Detail.BRIEF)


@pytest.mark.parametrize(
    ("asked", "first", "last"),
    [
        ("app.py:40-41", 40, 41),
        ("toy/app.py:43", 38, 45),
        ("app.py", 1, 45),
        ("main", 40, 41),
        ("app.py:44-99", 44, 45),
        ("app.py:1", 1, 6),
    ],
)
def test_show_takes_names_and_lines(index: Index, asked: str, first: int, last: int) -> None:
    """A function, a range, a line with what is around it, a whole file; never beyond its end."""
    record = show(index, ListQuestion(asked, Confidence.INFERRED, Detail.BRIEF)).record
    assert isinstance(record, ShowRecord)
    assert (record.first, record.last, len(record.text)) == (first, last, last - first + 1)


@pytest.mark.parametrize("asked", ["app.py:50-60", "app.py:9-3", "app.py:0", "torch.empty", "broken.pyi", ""])
def test_show_has_nothing_to_show(index: Index, asked: str) -> None:
    """Lines that are not there, a range backwards, a symbol outside the index."""
    with pytest.raises(FlowmapError):
        show(index, ListQuestion(asked, Confidence.INFERRED, Detail.BRIEF))


def test_a_file_stands_for_its_module(index: Index) -> None:
    """`callees app.py` asks about what the module itself runs."""
    assert find(index, "app.py")[0].symbol == "toy.app"


def test_callers_of_what_is_outside(index: Index) -> None:
    """Who calls a library's function is a question too."""
    view = callers(index, ListQuestion("torch.empty", Confidence.INFERRED, Detail.BRIEF))
    assert texts(view) == ["workers.py:6  Worker.forward"]


def test_exported_rows_are_sorted_and_valid(index: Index) -> None:
    """JSON Lines, by file, line and column, no row twice; weak targets are left out and their sites unresolved."""
    rows = [json.loads(line) for line in export_calls(index, Confidence.PROVEN)]
    places = [(row["file"], row["line"], row["col"]) for row in rows]
    assert places == sorted(places)
    assert len(rows) == len({json.dumps(row) for row in rows}) == 24
    (weak,) = [row for row in rows if row["expr"] == "self.worker.forward(batch)"]
    assert (weak["status"], weak["targets"]) == ("unresolved", [])
    targets = [
        target["confidence"] for line in export_calls(index, Confidence.INFERRED) for target in json.loads(line)["targets"]
    ]
    assert set(targets) == {"proven", "inferred"}


@pytest.mark.parametrize(
    ("expr", "expected"),
    [
        ("self.a.b(c, d(e))", "self.a.b"),
        ("f(a)(b)", "f(a)"),
        ("table[key(1)](x)", "table[key(1)]"),
        ("f('(')", "f"),
        ("x.attribute", "x.attribute"),
        ("(a or b)", "(a or b)"),
    ],
)
def test_the_callee_without_its_arguments(expr: str, expected: str) -> None:
    """Brackets inside arguments and strings do not confuse it."""
    assert callee_text(expr) == expected


def test_numbers_are_said_as_people_say_them() -> None:
    """Singular and plural, thousands, 11th."""
    assert [count(1, "call site"), count(1200, "call site"), count(2, "class", "classes")] == [
        "1 call site",
        "1,200 call sites",
        "2 classes",
    ]
    assert [ordinal(number) for number in (1, 2, 3, 4, 11, 12, 21, 112)] == [
        "1st",
        "2nd",
        "3rd",
        "4th",
        "11th",
        "12th",
        "21st",
        "112th",
    ]
