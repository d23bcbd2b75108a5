"""Each kind of contract holds where the program is as it says, and says what is otherwise where it is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from flowmap.contracts.check import check_contracts
from flowmap.contracts.parameters import names_in, parts_in
from flowmap.contracts.read import read_contracts
from flowmap.model.contract import Breach, Outcome, Standing
from flowmap.query.files import QueryFile
from flowmap.store.index import Index
from tests.programs import index_of

APP = """
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

    def draft(self, batch, *, fast=False, **more):
        return batch

    def verify(self, batch):
        return Result(len(batch))

    def extend(self, result):
        result.done = True

    def forward(self, batch):
        drafts = self.draft(batch)
        result = self.verify(drafts)
        self.extend(result)
        return result


class Fast(Worker):
    pass


def step(worker: Worker, batch, overlap):
    if overlap:
        return worker.forward(batch)
    result = worker.verify(batch)
    worker.draft(batch)
    return result


def main(batch):
    worker = Worker(Pool())
    result = step(worker, batch, True)
    print(result.size)
    stop(worker)


def stop(worker):
    worker.close()


def debug(worker: Worker, result: Result):
    result.size = 0
    worker.draft([])
    worker.draft([])
"""
POOL = """
class Pool:
    def take(self):
        return 1


def release(thing):
    return thing
"""


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """The index of a program in two modules."""
    return index_of(tmp_path_factory.mktemp("held"), {"app/__init__.py": "", "app/work.py": APP, "app/pool.py": POOL})


def outcome(index: Index, folder: Path, text: str) -> Outcome:
    """How one contract fares."""
    path = folder / "mine.toml"
    path.write_text(f'[[contract]]\nname = "one"\nwhy = "Something leans on it."\n{text}\n', encoding="utf-8")
    (found,) = check_contracts(index, read_contracts(QueryFile(path, "mine.toml")))
    return found


def told(one: Breach) -> str:
    """A breach in a line."""
    place = f" @{one.place}" if one.place else ""
    near = f" ({one.lead}: {', '.join(each.name for each in one.near)})" if one.near else f" ({one.lead})" * bool(one.lead)
    return f"{one.what}{place}{near}"


HOLDING = [
    'kind = "anchor-exists"\nof = "Worker.verify"',
    'kind = "anchor-exists"\nof = ["Worker.verify", ["Worker.old_draft", "Worker.draft"], "app.pool"]',
    'kind = "field-exists"\nfields = ["Result.size", "done"]',
    'kind = "signature"\nof = "Worker.draft"\nparameters = ["self", "batch", "*", "fast", "**more"]',
    'kind = "signature"\nof = "Worker.draft"\nparameters = ["self", "batch", "..."]',
    'kind = "signature"\nof = "Worker.draft"\nparameters = ["...", "fast", "..."]',
    'kind = "signature"\nof = "Worker"\nparameters = ["pool"]',
    'kind = "calls"\nin = "Worker.forward"\nof = ["Worker.draft", "Worker.verify"]',
    'kind = "calls"\nin = "main"\nof = ["Worker", "Pool"]',
    'kind = "calls"\nin = "app.work.Worker"\nof = "Worker.extend"',
    'kind = "calls"\nin = "step"\nof = "Worker.forward"\nguarded_by = ["if overlap"]',
    'kind = "reaches"\nin = "main"\nof = ["Worker.extend", "release", "Result"]',
    'kind = "never-calls"\nin = "step"\nof = ["release", "Pool.take"]',
    'kind = "never-calls"\nin = "main"\nof = "release"\ndistance = "direct"',
    'kind = "calls-in-order"\nin = "Worker.forward"\nof = ["Worker.draft", "Worker.verify", "Worker.extend"]',
    'kind = "only-call-site"\nof = "Worker.extend"\nin = "Worker.forward"',
    'kind = "only-call-site"\nof = "Worker.verify"\nin = "step"\nguarded_by = ["not (overlap)"]',
    'kind = "only-call-site"\nof = "Worker.verify"\nin = "Worker"\nnot_guarded_by = ["not (overlap)"]',
    'kind = "called-only-in"\nof = "Worker.draft"\nin = ["Worker", "step", "debug"]',
    'kind = "called-only-in"\nof = "Worker.draft"\nmodules = ["work"]',
    'kind = "guarded-by"\nof = "Worker.forward"\nguarded_by = ["overlap"]',
    'kind = "guarded-by"\nof = "Worker.draft"\nin = "step"\nguarded_by = ["not (overlap)"]',
    'kind = "reads"\nin = "main"\nfields = "Result.size"',
    'kind = "writes"\nin = ["Worker.extend", "Result"]\nfields = "Result.done"',
    'kind = "writes-only-in"\nfields = ["Result.done"]\nin = ["Result.__init__", "Worker.extend"]',
    'kind = "writes-only-in"\nfields = ["Result.size"]\nmodules = ["app.*"]',
    'kind = "reads-only-in"\nfields = ["Result.size"]\nin = ["main"]',
    'kind = "subclass-of"\nclass = ["Worker", "Fast"]\nbase = "Base"',
    'kind = "mro-provides"\nclass = "Fast"\nmethod = "verify"\ndefinition = "Worker.verify"',
    'kind = "mro-provides"\nclass = "Fast"\nmethod = "close"\ndefinition = [["Worker.close", "Base.close"]]',
]


@pytest.mark.parametrize("text", HOLDING)
def test_what_is_as_it_says_holds(index: Index, tmp_path: Path, text: str) -> None:
    """And it says where that shows."""
    found = outcome(index, tmp_path, text)
    assert (found.standing, found.breaches) == (Standing.HOLDS, ())
    assert found.places


BROKEN = [
    ('kind = "anchor-exists"\nof = ["Worker.verifi", "main"]', ["nothing is called Worker.verifi (did you mean: Worker.verify)"]),
    (
        'kind = "anchor-exists"\nof = "Runner.verify"',
        ["nothing is called Runner.verify @app/work.py:26 (did you mean: Worker.verify, Base.verify)"],
    ),
    ('kind = "anchor-exists"\nof = "builtins.print"', ["builtins.print stands outside the indexed code"]),
    (
        'kind = "field-exists"\nfields = ["Worker.size"]',
        ["no field is called Worker.size @app/work.py:7 (did you mean: Result.size, size)"],
    ),
    (
        'kind = "signature"\nof = "Worker.draft"\nparameters = ["self", "batch", "speed"]',
        [
            "Worker.draft takes (self, batch, *, fast, **more), not (self, batch, speed) @app/work.py:23 "
            "(new: *, fast, **more; gone: speed)"
        ],
    ),
    (
        'kind = "signature"\nof = "Worker.extend"\nparameters = ["result", "self"]',
        ["Worker.extend takes (self, result), not (result, self) @app/work.py:29 (the order is another)"],
    ),
    (
        'kind = "calls"\nin = "step"\nof = "Worker.extend"',
        ["step does not call Worker.extend @app/work.py:43 (it is called in: Worker.forward)"],
    ),
    ('kind = "calls"\nin = "main"\nof = "Pool.take"', ["main does not call Pool.take @app/work.py:51 (it is called nowhere)"]),
    (
        'kind = "reaches"\nin = "debug"\nof = "release"',
        ["debug does not reach release @app/work.py:62 (it is called in: Base.close)"],
    ),
    ('kind = "never-calls"\nin = "main"\nof = "release"', ["main calls release, through stop → Base.close @app/work.py:16"]),
    (
        'kind = "never-calls"\nin = "step"\nof = "Worker.draft"',
        ["step calls Worker.draft @app/work.py:47 (and it runs from: Worker.forward)"],
    ),
    (
        'kind = "calls-in-order"\nin = "step"\nof = ["Worker.draft", "Worker.verify"]',
        ["step calls Worker.verify before Worker.draft @app/work.py:46"],
    ),
    (
        'kind = "calls-in-order"\nin = "main"\nof = ["step", "Worker.verify"]',
        ["main does not call Worker.verify @app/work.py:51"],
    ),
    (
        'kind = "only-call-site"\nof = "Worker.draft"\nin = "Worker.forward"',
        ["Worker.draft is called in step, too @app/work.py:47", "Worker.draft is called in debug, 2 times, too @app/work.py:64"],
    ),
    (
        'kind = "only-call-site"\nof = "Worker.draft"\nin = "debug"\nin_module = ["app"]\nsays = ["[]"]',
        ["Worker.draft is called in debug 2 times @app/work.py:65"],
    ),
    ('kind = "only-call-site"\nof = "Pool.take"\nin = "main"', ["Pool.take is not called in main, nor anywhere @app/work.py:51"]),
    (
        'kind = "called-only-in"\nof = "Worker.draft"\nin = "Worker"\nmodules = ["pool"]',
        ["Worker.draft is called in step, too @app/work.py:47", "Worker.draft is called in debug, 2 times, too @app/work.py:64"],
    ),
    (
        'kind = "guarded-by"\nof = "Worker.forward"\nguarded_by = ["fast", "slow"]',
        ["Worker.forward is called in step without `fast` or `slow` @app/work.py:45 (what guards it is: if overlap)"],
    ),
    (
        'kind = "guarded-by"\nof = "stop"\nguarded_by = ["x"]',
        ["stop is called in main without `x` @app/work.py:55 (nothing guards it)"],
    ),
    (
        'kind = "guarded-by"\nof = "stop"\nin = "step"\nguarded_by = ["x"]',
        ["stop is not called in step @app/work.py:43 (it is called in: main)"],
    ),
    (
        'kind = "reads"\nin = "debug"\nfields = "Result.size"',
        ["debug does not read Result.size @app/work.py:62 (what reads it is: main)"],
    ),
    (
        'kind = "writes"\nin = "main"\nfields = "Result.size"',
        ["main does not write Result.size @app/work.py:51 (what writes it is: Result.__init__, debug)"],
    ),
    (
        'kind = "writes-only-in"\nfields = ["Result.size"]\nin = "Result"',
        ["Result.size is written in debug, too @app/work.py:63"],
    ),
    (
        'kind = "reads-only-in"\nfields = ["Result.size"]\nmodules = ["pool"]',
        ["Result.size is read in main, too @app/work.py:54"],
    ),
    (
        'kind = "subclass-of"\nclass = "Fast"\nbase = "Pool"',
        ["Fast is no subclass of Pool @app/work.py:39 (its bases are: Worker, Base)"],
    ),
    ('kind = "subclass-of"\nclass = "main"\nbase = "Pool"', ["main is no class @app/work.py:51"]),
    (
        'kind = "mro-provides"\nclass = "Fast"\nmethod = "verify"\ndefinition = "Base.verify"',
        ["Fast has verify not from Base.verify @app/work.py:26 (it comes from: Worker.verify)"],
    ),
    (
        'kind = "mro-provides"\nclass = "Fast"\nmethod = "open"\ndefinition = "Base.close"',
        ["Fast has no open, from Base.close or any other @app/work.py:39"],
    ),
]


@pytest.mark.parametrize(("text", "said"), BROKEN)
def test_what_is_otherwise_is_said_with_where_it_is(index: Index, tmp_path: Path, text: str, said: list[str]) -> None:
    """And what stands near, or does it instead."""
    found = outcome(index, tmp_path, text)
    assert found.standing is Standing.BROKEN
    assert [told(one) for one in found.breaches] == said


def test_keys_stay_when_lines_move(index: Index, tmp_path: Path) -> None:
    """Each breach has one of its own, which no line is a part of."""
    text = 'kind = "only-call-site"\nof = "Worker.draft"\nin = "Worker.forward"'
    moved = index_of(tmp_path / "moved", {"app/__init__.py": "", "app/work.py": f"\n\n# moved\n{APP}", "app/pool.py": POOL})
    first, second = (outcome(one, tmp_path, text).breaches for one in (index, moved))
    assert [one.place and one.place.line for one in first] != [one.place and one.place.line for one in second]
    assert [one.key for one in first] == [one.key for one in second]
    assert [one.key for one in first] == [
        "mine/one: Worker.draft in app.work.step",
        "mine/one: Worker.draft in app.work.debug",
    ]


def released(index: Index, version: str) -> Index:
    """The same index, said to be of a release."""
    copy = Index(index._connection)
    copy.meta = {**index.meta, "source": f"pypi:app=={version}"}
    return copy


def test_a_contract_speaks_of_its_releases_alone(index: Index, tmp_path: Path) -> None:
    """So do its names; of a release that is not known everything is tried, and names tied to one may be missing."""
    broken = 'kind = "anchor-exists"\nof = "gone"\nsince = "1.5"\nuntil = "2.0"'
    for version, standing in (
        ("1.4", Standing.SILENT),
        ("1.5", Standing.BROKEN),
        ("2.0", Standing.BROKEN),
        ("2.1", Standing.SILENT),
    ):
        assert outcome(released(index, version), tmp_path, broken).standing is standing, version
    assert outcome(index, tmp_path, broken).standing is Standing.BROKEN
    tied = 'kind = "anchor-exists"\nof = [{ name = "gone", since = "1.5" }]'
    assert outcome(index, tmp_path, tied).standing is Standing.SILENT
    assert outcome(released(index, "1.4"), tmp_path, tied).standing is Standing.SILENT
    assert outcome(released(index, "1.6"), tmp_path, tied).standing is Standing.BROKEN


def test_what_the_names_stand_for_is_told(index: Index, tmp_path: Path) -> None:
    """A change to it touches the contract."""
    found = outcome(index, tmp_path, 'kind = "calls"\nin = "Worker.forward"\nof = ["Worker.draft", "Worker.verify"]')
    assert {one.symbol for one in found.meant} == {"app.work.Worker.forward", "app.work.Worker.draft", "app.work.Worker.verify"}


@pytest.mark.parametrize(
    ("signature", "names"),
    [
        ("()", ()),
        ("(self) -> None", ("self",)),
        (
            "(a, /, b: dict[str, int]={'x,(': 1}, *args: int, c=(1, 2), **more) -> tuple[int, str]",
            ("a", "/", "b", "*args", "c", "**more"),
        ),
        ("(a='it\\'s, so', *, b)", ("a", "*", "b")),
        ("", ()),
        ("(…)", ()),
    ],
)
def test_the_names_of_parameters_are_told_apart(signature: str, names: tuple[str, ...]) -> None:
    """Whatever stands in annotations and defaults."""
    assert names_in(signature) == names


def test_what_is_given_back_is_a_part_of_a_signature() -> None:
    """It stands last."""
    assert parts_in("(self, b: dict[str, int]=1) -> tuple[int, str]") == ("self", "b: dict[str, int]=1", "-> tuple[int, str]")
    assert parts_in("()") == ()
