"""Contracts are read as they are written, or everything that is wrong with their file is said at once."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from flowmap.contracts.read import _EVERY_KEY, _OF_FILE, KEYS, read_contracts
from flowmap.model.contract import ContractFile, ContractKind, Distance
from flowmap.model.problem import ExitCode, FlowmapError
from flowmap.model.query import Anchor, Name
from flowmap.query.files import QueryFile

WHOLE = """
about = "app"
what = "The patch of the worker."

[[contract]]
name = "one site"
kind = "only-call-site"
of = ["Worker.run", ["Worker.old", { name = "Worker.older", until = "1.4" }]]
in = "step"
why = "The patch wraps it there."
not_in_module = ["tests"]
guarded_by = ["if fast"]
since = "1.2"

[[contract]]
name = "under a test"
kind = "guarded-by"
of = { name = "Worker.run", since = "2.0" }
guarded_by = ["fast"]
why = "The patch counts on it."

[[contract]]
name = "alone"
kind = "never-calls"
in = ["step"]
of = ["free"]
distance = "direct"
why = "It would be freed twice."
"""


def read(folder: Path, text: str) -> ContractFile:
    """The contracts of a text."""
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return read_contracts(QueryFile(path, "queries/contracts/mine.toml"))


def wrong(folder: Path, text: str) -> list[str]:
    """All that is said of a text."""
    with pytest.raises(FlowmapError) as error:
        read(folder, text)
    assert error.value.code is ExitCode.USAGE
    return list(map(str, error.value.problems))


def test_what_is_written_is_read(tmp_path: Path) -> None:
    """A name alone needs no list; a guard is a filter but for `guarded-by`, which asks for it."""
    file = read(tmp_path, WHOLE)
    assert (file.name, file.about, file.what) == ("mine", "app", "The patch of the worker.")
    site, guard, alone = file.contracts
    assert site.of == (Anchor((Name("Worker.run"),)), Anchor((Name("Worker.old"), Name("Worker.older", until="1.4"))))
    assert site.inside == (Anchor((Name("step"),)),)
    assert (site.only.guarded_by, site.only.not_in_module, site.guards) == (("if fast",), ("tests",), ())
    assert (site.since, site.why, site.distance) == ("1.2", "The patch wraps it there.", Distance.ANY)
    assert (guard.guards, guard.only.guarded_by) == (("fast",), ())
    assert guard.of == (Anchor((Name("Worker.run", since="2.0"),)),)
    assert alone.distance is Distance.DIRECT


def test_each_contract_knows_its_line(tmp_path: Path) -> None:
    """So that a finding without a place in the code has one."""
    assert [one.written.line for one in read(tmp_path, WHOLE).contracts] == [5, 15, 22]
    inline = 'contract = [{ name = "a", kind = "anchor-exists", of = "f", why = "…" }]'
    assert [str(one.written) for one in read(tmp_path, inline).contracts] == ["queries/contracts/mine.toml:1"]


ONE = '[[contract]]\nname = "a"\nwhy = "…"\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "holds no contract\n    Write [[contract]]"),
        ("contract = 1", "`contract` is not a list of tables"),
        ("[contract]\nname = 'a'", "`contract` is not a list of tables"),
        ("abuot = 'x'\n" + ONE, "unknown key `abuot`\n    Did you mean `about`?"),
        (ONE, "[[contract]] a: says not of which kind it is\n    Known: anchor-exists,"),
        (ONE + 'kind = "never-call"', "there is no kind `never-call`\n    Did you mean `never-calls`?"),
        (ONE + "kind = 1", "`kind` is no text"),
        (ONE + 'kind = "calls"\nof = "f"', "`calls` needs `in`"),
        (ONE + 'kind = "mro-provides"\nclass = "C"\ndefinition = "f"', '`mro-provides` needs `method`\n    Write `method = "…"`'),
        (ONE + 'kind = "writes-only-in"\nfields = "f"', "`writes-only-in` needs `in` or `modules`"),
        (ONE + 'kind = "anchor-exists"\nof = "f"\nfields = "g"', "`fields` says nothing here\n    `anchor-exists` takes `of`."),
        (ONE + 'kind = "anchor-exists"\noff = "f"\nof = "f"', "unknown key `off`\n    Did you mean `of`?"),
        (ONE + 'kind = "anchor-exists"\nof = []', "`of` is not a list of names"),
        (ONE + 'kind = "anchor-exists"\nof = [1]', "`of` holds 1, which is no name"),
        (ONE + 'kind = "guarded-by"\nof = "f"\nguarded_by = []', "`guarded_by` is an empty list"),
        (ONE + 'kind = "guarded-by"\nof = "f"\nguarded_by = "x"', "`guarded_by` is not a list of texts"),
        (ONE + 'kind = "calls-in-order"\nin = "f"\nof = "g"', "an order is one of two or more"),
        (ONE + 'kind = "never-calls"\nin = "f"\nof = "g"\ndistance = "directly"', "`distance` knows no `directly`"),
        (ONE + 'kind = "anchor-exists"\nof = "f"\nsince = "new"', "`since = 'new'` is no release"),
        ('[[contract]]\nname = "a"\nkind = "anchor-exists"\nof = "f"', "says no why"),
        ('[[contract]]\nwhy = "…"\nkind = "anchor-exists"\nof = "f"', "[[contract]] 1: says no name"),
        (2 * (ONE + 'kind = "anchor-exists"\nof = "f"\n'), "two contracts are called `a`"),
        ("contract = ", "is not TOML"),
    ],
)
def test_what_is_wrong_is_said_with_where_it_stands(tmp_path: Path, text: str, said: str) -> None:
    """In words, with the nearest word where one is not known."""
    assert any(said in one for one in wrong(tmp_path, text)), wrong(tmp_path, text)
    assert all(one.startswith("queries/contracts/mine.toml") for one in wrong(tmp_path, text))


def test_all_problems_of_a_file_are_said_at_once(tmp_path: Path) -> None:
    """One run tells all that has to be mended."""
    text = '[[contract]]\nkind = "call"\nfield = "x"\n[[contract]]\nname = "b"\nkind = "calls"\nof = [1]\nsince = "x"\n'
    said = "\n".join(wrong(tmp_path, text))
    for part in ("no name", "no why", "no kind `call`", "`field`", "[[contract]] b", "needs `in`", "holds 1", "no release"):
        assert part in said


VALUES = ("1", "true", "''", "'x'", "[]", "[1]", "[[]]", "[['x']]", "[{}]", "{}", "{ name = 1 }", "1979-05-27")


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("kind", ["x", *ContractKind])
def test_no_value_in_any_place_is_more_than_a_problem(tmp_path: Path, kind: str, value: str) -> None:
    """A file is read, or what is wrong is said; nothing else happens, whatever stands in it."""
    for key in (*_EVERY_KEY, "x"):
        with contextlib.suppress(FlowmapError):
            read(tmp_path, f"[[contract]]\nkind = '{kind}'\n" * (key != "kind") + f"{key} = {value}\n")
    for key in _OF_FILE:
        with contextlib.suppress(FlowmapError):
            read(tmp_path, f"{key} = {value}\n")


def test_every_kind_has_its_keys() -> None:
    """None is forgotten."""
    assert set(KEYS) == set(ContractKind)
