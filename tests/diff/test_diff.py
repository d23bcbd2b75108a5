"""What is different between two states of a program is told once; what only looks different is not told."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from flowmap.diff.diff import diff
from flowmap.model.change import Diff, Side
from tests.programs import index_of

WORK = """
from app.pool import Pool, release


class Result:
    def __init__(self, size):
        self.size = size
        self.done = False


class Base:
    def verify(self, batch):
        return Result(1)

    def close(self):
        release(self)


class Worker(Base):
    def __init__(self, pool: Pool):
        self.pool = pool

    def draft(self, batch):
        drafts = []
        for each in batch:
            drafts.append(self.pool.take(each))
        return drafts

    def forward(self, batch):
        drafts = self.draft(batch)
        result = self.verify(drafts)
        result.done = True
        return result


class Fast(Worker):
    pass


def step(worker: Worker, batch, overlap):
    if overlap:
        return worker.forward(batch)
    return worker.verify(batch)


def main(batch):
    worker = Worker(Pool())
    result = step(worker, batch, True)
    print(result.size)
    worker.close()
    return result


main([1])
"""
POOL = """
class Pool:
    def take(self, each):
        return each


def release(thing):
    thing.pool = None
    return thing
"""
FILES = {"app/__init__.py": "", "app/work.py": WORK, "app/pool.py": POOL}


def work(*edits: tuple[str, str]) -> dict[str, str]:
    """The program with edits of its first module, each of which must change something."""
    text = WORK
    for old, new in edits:
        assert old in text, old
        text = text.replace(old, new)
    return {**FILES, "app/work.py": text}


def changed(folder: Path, after: dict[str, str], before: dict[str, str] | None = None) -> Diff:
    """What is different between two programs."""
    return diff(index_of(folder / "before", before or FILES), index_of(folder / "after", after))


def said(told: Diff) -> list[str]:
    """All that is told, in short lines."""
    sign = {Side.APPEARED: "+", Side.VANISHED: "-"}
    lines = [f"{one.before} => {one.after} ({one.how})" for one in told.renamed]
    lines += [f"{sign[one.side]} {one.kind} {one.symbol}{one.signature}" for one in told.definitions]
    lines += [f"signature {one.symbol}: {one.before} => {one.after}" for one in told.signatures]
    lines += [f"order {one.symbol}, {one.n_below} below" for one in told.orders]
    lines += [f"{sign[one.side]} field {one.owner}.{one.field}" for one in told.fields]
    calls = [one for one in told.calls if not one.is_outside]
    lines += [f"{sign[one.side]} {one.caller} > {one.callee}{'' if one.is_whole else ' again'}" for one in calls]
    for one in told.guards:
        lines.append(f"guards {one.function}: {list(one.fewer)} => {list(one.more)}: {', '.join((*one.calls, *one.accesses))}")
    lines += [
        f"{sign[one.side]} {one.function} {one.kind} {one.field}{'' if one.is_whole else ' again'}" for one in told.accesses
    ]
    lines += [f"edited {symbol}" for symbol in told.edited]
    return [line.replace("app.work.", "") for line in lines]


NOTHING = {
    "the same": FILES,
    "lines that moved": work(("class Result", "\n\n\n\nclass Result"), ("def main", "\n\n# main\n\n\ndef main")),
    "comments and docstrings": work(
        ("        drafts = []", "        # drafts\n        drafts = []"),
        ("batch, overlap):", 'batch, overlap):\n    """One step."""'),
    ),
    "functions in another order": work(
        ("class Fast(Worker):\n    pass\n\n\n", ""), ("main([1])", "class Fast(Worker):\n    pass\n\n\nmain([1])")
    ),
    "other layout": work(
        ("result = step(worker, batch, True)", "result = step(\n        worker,\n        batch,\n        True,\n    )"),
        ("drafts.append(self.pool.take(each))", "drafts.append(  self.pool.take( each ) )"),
    ),
    "redundant parentheses": work(
        ("    if overlap:", "    if (overlap):"),
        ("result.done = True", "result.done = (True)"),
        ("        return drafts", "        return (drafts)"),
        ("drafts.append(self.pool.take(each))", "(drafts).append((self.pool).take((each)))"),
    ),
    "imports in another form": work(
        ("from app.pool import Pool, release", "import app.pool\nfrom app.pool import Pool"),
        ("release(self)", "app.pool.release(self)"),
    ),
    "an early exit in the place of a branch": work(
        (
            "    if overlap:\n        return worker.forward(batch)\n    return worker.verify(batch)",
            "    if not overlap:\n        return worker.verify(batch)\n    return worker.forward(batch)",
        )
    ),
}
SAYS_THE_SAME = [*NOTHING][:6]


@pytest.mark.parametrize("name", NOTHING)
def test_what_only_looks_different_is_not_told(tmp_path: Path, name: str) -> None:
    """But for what is written otherwise, which is named as such."""
    told = changed(tmp_path, NOTHING[name])
    assert [line for line in said(told) if not line.startswith("edited")] == []
    assert told.is_empty == (name in SAYS_THE_SAME)
    assert bool(told.touched) == (name not in SAYS_THE_SAME)


TEST = ("if overlap:", "if ready(overlap):")
READY = "def ready(overlap):\n    wanted = overlap and 1\n    return bool(wanted)\n\n\ndef step"
RECURSIVE = """def joined(one, other):
    both = [one, other]
    return both


def fold(tree, depth):
    if depth:
        return joined(fold(tree, depth - 1), tree)
    return tree


print(fold([1], 3))


def step"""
ASKED = ("return worker.verify(batch)", "return worker.verify(batch) if worker.pool else None")
STORE = {**work(("self.pool", "self.store")), "app/pool.py": POOL.replace("thing.pool", "thing.store")}
MOVED = {
    "a function that is renamed": (FILES, work(("draft(", "propose(")), "Worker.draft => Worker.propose (renamed)"),
    "a class that is renamed": (FILES, work(("Worker", "Runner")), "Worker => Runner (renamed)"),
    "a module that is renamed": (
        FILES,
        {"app/__init__.py": "", "app/work.py": WORK.replace("app.pool", "app.store"), "app/store.py": POOL},
        "app.pool => app.store (module moved)",
    ),
    "a function that goes to another module": (
        FILES,
        {
            **work(("from app.pool import Pool, release", "from app.pool import Pool\nfrom app.free import release")),
            "app/free.py": POOL[POOL.index("def release") :],
            "app/pool.py": POOL[: POOL.index("def release")],
        },
        "app.pool.release => app.free.release (moved)",
    ),
    "a field": (FILES, STORE, "Worker.pool => Worker.store (field renamed)"),
    "a field that a test asks": (
        work(ASKED),
        {**work(ASKED, ("self.pool", "self.store"), ("worker.pool", "worker.store")), "app/pool.py": STORE["app/pool.py"]},
        "Worker.pool => Worker.store (field renamed)",
    ),
    "a recursive function and what it calls": (
        work(("def step", RECURSIVE)),
        work(("def step", RECURSIVE.replace("fold", "gather").replace("joined", "added"))),
        "fold => gather (renamed)\njoined => added (renamed)",
    ),
    "a field and its class": (
        FILES,
        {**work(("Worker", "Runner"), ("self.pool", "self.store")), "app/pool.py": STORE["app/pool.py"]},
        "Worker => Runner (renamed)\nWorker.pool => Runner.store (field renamed)",
    ),
    "a function that a test asks": (
        work(TEST, ("def step", READY)),
        work(("if overlap:", "if prepared(overlap):"), ("def step", READY.replace("ready", "prepared"))),
        "ready => prepared (renamed)",
    ),
}


@pytest.mark.parametrize("name", MOVED)
def test_what_moved_is_told_once(tmp_path: Path, name: str) -> None:
    """No call, guard or access of it is told besides."""
    before, after, expected = MOVED[name]
    assert said(changed(tmp_path, after, before)) == expected.split("\n")


CHANGED = {
    "a call more": (work(("    print(", "    release(result)\n    print(")), ["+ main > app.pool.release"]),
    "another callee": (
        work(("return worker.verify(batch)", "return worker.draft(batch)")),
        ["+ step > Worker.draft", "- step > Base.verify"],
    ),
    "called once more": (
        work(("    return worker.verify(batch)", "    worker.verify(batch)\n    return worker.verify(batch)")),
        ["+ step > Base.verify again"],
    ),
    "another guard": (
        work(("if overlap:", "if overlap and batch:")),
        [
            "guards step: ['not overlap'] => ['not (overlap and batch)']: Base.verify",
            "guards step: ['overlap'] => ['overlap and batch']: Worker.forward",
        ],
    ),
    "an early exit before it all": (
        work(("    if overlap:", "    if not batch:\n        return None\n    if overlap:")),
        ["guards step: [] => ['batch']: Base.verify, Worker.forward"],
    ),
    "a lock around a write": (
        work(("        result.done = True", "        with self.pool:\n            result.done = True")),
        ["guards Worker.forward: [] => ['with self.pool']: write done", "+ Worker.forward read pool"],
    ),
    "a write more": (
        work(("        result.done = True", "        result.done = True\n        result.size = 3")),
        ["+ Worker.forward write size"],
    ),
    "a read that is gone": (work(("print(result.size)", "print(1)")), ["- main read size"]),
    "a field more": (
        work(("        self.done = False", "        self.done = False\n        self.total = 0")),
        ["+ field Result.total", "+ Result.__init__ write total"],
    ),
    "another signature": (
        work(("batch, overlap):", "batch, overlap, fast=True):")),
        ["signature step: (worker: Worker, batch, overlap) => (worker: Worker, batch, overlap, fast=True)"],
    ),
    "a base more": (
        work(("class Base:", "class Log:\n    pass\n\n\nclass Base(Log):")),
        ["+ class Log()", "order Base, 2 below"],
    ),
    "a method that hides another": (
        work(
            ("        self.pool = pool\n", "        self.pool = pool\n\n    def verify(self, batch):\n        return Result(2)\n")
        ),
        [
            "+ method Worker.verify(self, batch)",
            "+ Worker.forward > Worker.verify",
            "- Worker.forward > Base.verify",
            "- step > Base.verify",
            "+ step > Worker.verify",
        ],
    ),
    "a function that is gone": (
        work(("\n    def close(self):\n        release(self)\n", ""), ("    worker.close()\n", "")),
        # nothing gives `release` a worker any more, so it changes no field of one
        ["- method Base.close(self)", "- main > Base.close", "- app.pool.release write pool"],
    ),
    "another number": (work(("return Result(1)", "return Result(2)")), ["edited Base.verify"]),
}


@pytest.mark.parametrize("name", CHANGED)
def test_what_is_different_is_told(tmp_path: Path, name: str) -> None:
    """And nothing besides."""
    after, expected = CHANGED[name]
    assert sorted(said(changed(tmp_path, after))) == sorted(expected)


PLACES = [number for number, line in enumerate(WORK.split("\n")) if number and not line.startswith("    ")]


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(inserted=st.lists(st.tuples(st.sampled_from(PLACES), st.sampled_from(["", "# note", "#", "\t# note"])), max_size=6))
def test_blank_lines_and_comments_never_count(tmp_path_factory: pytest.TempPathFactory, inserted: list[tuple[int, str]]) -> None:
    """Wherever they stand between statements of the module."""
    lines = WORK.split("\n")
    for place, text in sorted(inserted, reverse=True):
        lines.insert(place, text)
    told = changed(tmp_path_factory.mktemp("noise"), {**FILES, "app/work.py": "\n".join(lines)})
    assert told.is_empty


def test_what_is_renamed_and_changed_is_both(tmp_path: Path) -> None:
    """The rename is told once, and beside it only what is different in it."""
    edits = (
        ("self.draft(", "self.propose("),
        ("def draft(self, batch):\n        drafts = []", "def propose(self, batch):\n        drafts = []\n        release(self)"),
    )
    assert said(changed(tmp_path, work(*edits))) == [
        "Worker.draft => Worker.propose (renamed)",
        "+ Worker.propose > app.pool.release",
    ]


def test_a_function_with_nothing_like_it_is_no_rename(tmp_path: Path) -> None:
    """One came and another went."""
    before = work(("def step", "def empty():\n    return None\n\n\ndef step"))
    after = work(("def step", "def other(size):\n    return [size]\n\n\ndef step"))
    assert said(changed(tmp_path, after, before)) == ["+ function other(size)", "- function empty()"]


def test_what_a_new_function_does_is_counted_with_it(tmp_path: Path) -> None:
    """Its calls and accesses are no differences of their own."""
    new = "def again(worker: Worker):\n    worker.verify([])\n    worker.pool = None\n    return worker.draft([])\n\n\nmain([1])"
    told = changed(tmp_path, work(("main([1])", new)))
    (one,) = told.definitions
    assert (one.symbol, one.n_calls, one.n_accesses) == ("app.work.again", 2, 1)
    assert not told.calls
    assert not told.accesses


def test_places_are_those_after_the_change(tmp_path: Path) -> None:
    """Of a call that vanished, the function that called, and where the call was."""
    after = work(("return worker.verify(batch)", "return worker.draft(batch)"), ("class Result", "\nclass Result"))
    calls = {one.side: one for one in changed(tmp_path, after).calls}
    appeared, vanished = calls[Side.APPEARED], calls[Side.VANISHED]
    line = 1 + WORK.split("\n").index("    return worker.verify(batch)")
    assert str(appeared.place) == f"app/work.py:{line + 1}"
    assert (str(vanished.place), str(vanished.was)) == (f"app/work.py:{line - 2}", f"app/work.py:{line}")


def test_the_other_way_round_everything_is_the_other_way_round(tmp_path: Path) -> None:
    """What appeared has vanished."""
    other = work(("return worker.verify(batch)", "return worker.draft(batch)"), ("print(result.size)", "print(1)"))
    one, two = changed(tmp_path / "a", other), changed(tmp_path / "b", FILES, other)
    calls = [{(call.caller, call.callee, call.side) for call in told.calls} for told in (one, two)]
    opposite = {Side.APPEARED: Side.VANISHED, Side.VANISHED: Side.APPEARED}
    assert calls[0] == {(caller, callee, opposite[side]) for caller, callee, side in calls[1]}
    assert [access.side for access in one.accesses] == [Side.VANISHED]
    assert [access.side for access in two.accesses] == [Side.APPEARED]


def test_the_same_is_told_every_time(tmp_path: Path) -> None:
    """In the same order."""
    after = work(("Worker", "Runner"), ("if overlap:", "if overlap and batch:"), ("print(result.size)", "print(1)"))
    assert said(changed(tmp_path / "a", after)) == said(changed(tmp_path / "b", after))
