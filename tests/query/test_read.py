"""A query is read as it is written, or everything that is wrong with its file is said at once."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from flowmap.model.access import AccessKind
from flowmap.model.problem import ExitCode, FlowmapError
from flowmap.model.program import SiteKind
from flowmap.model.query import Anchor, Name, Query, Show
from flowmap.query.files import QueryFile
from flowmap.query.read import _OF_EXPECTATION, _OF_FIND, _OF_QUERY, read_query

WHOLE = """
question = "Who writes the size, and who calls for it?"
about = "app"
show = ["owner", "conditions"]

[[find]]
what = "Writes"
fields = ["Result.size", ["Result.length", { name = "Result.n", since = "2.0", until = "2.4" }]]
access = ["write", "augwrite"]
in_module = ["app.*"]
reached_from = ["main"]
guarded_by = ["if *.ready"]

[[find]]
calls = [{ name = "Worker.run" }]
kind = ["call"]
not_guarded_by = ["debug"]
not_in_module = ["tests"]
in_function = ["main"]
with_value_of = ["Result.size"]

[[find]]
functions = ["Worker.*"]

[expect."2.0"]
at_least = 1
at_most = 9
in_functions = ["main"]
not_in_functions = ["Other.*"]
"""


def read(folder: Path, text: str) -> Query:
    """The query of a text."""
    path = folder / "sizes.toml"
    path.write_text(text, encoding="utf-8")
    return read_query(QueryFile(path, "queries/sizes.toml"))


def wrong(folder: Path, text: str) -> list[str]:
    """All that is said of a text."""
    with pytest.raises(FlowmapError) as error:
        read(folder, text)
    assert error.value.code is ExitCode.USAGE
    return list(map(str, error.value.problems))


def test_everything_that_may_be_written_is_read(tmp_path: Path) -> None:
    """Each key, and each form of a name."""
    query = read(tmp_path, WHOLE)
    writes, calls, functions = query.finds
    assert (query.name, query.about, query.show) == ("sizes", "app", (Show.OWNER, Show.CONDITIONS))
    assert writes.what == "Writes"
    assert writes.fields == (
        Anchor((Name("Result.size"),)),
        Anchor((Name("Result.length"), Name("Result.n", since="2.0", until="2.4"))),
    )
    assert writes.only.access == (AccessKind.WRITE, AccessKind.AUGWRITE)
    assert (writes.only.in_module, writes.only.guarded_by) == (("app.*",), ("if *.ready",))
    assert writes.only.reached_from == (Anchor((Name("main"),)),)
    assert calls.calls == (Anchor((Name("Worker.run"),)),)
    assert calls.only.kind == (SiteKind.CALL,)
    assert (calls.only.not_guarded_by, calls.only.not_in_module) == (("debug",), ("tests",))
    assert (calls.only.in_function, calls.only.with_value_of) == ((Anchor((Name("main"),)),), (Anchor((Name("Result.size"),)),))
    assert functions.functions == (Anchor((Name("Worker.*"),)),)
    (expected,) = query.expectations
    assert (expected.release, expected.at_least, expected.at_most) == ("2.0", 1, 9)
    assert (expected.in_functions, expected.not_in_functions) == (("main",), ("Other.*",))


def test_a_question_and_one_thing_to_find_are_enough(tmp_path: Path) -> None:
    """The rest has defaults."""
    query = read(tmp_path, 'question = "Who?"\n[[find]]\nfields = ["size"]\n')
    assert (query.about, query.show, query.expectations) == ("", (Show.ACCESS, Show.GUARDS), ())


FIND = 'question = "Who?"\n[[find]]\n'
FIELDS = f'{FIND}fields = ["size"]\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "has no question"),
        ('question = "Who?"', "looks for nothing"),
        ('question = "Who?"\nfind = 3', "`find` is not a list of tables"),
        ('question = "Who?"\n[find]\nfields = ["size"]', "`find` is not a list of tables"),
        (f"{FIND}what = 'x'", "[[find]] 1: says not what it looks for"),
        (f"{FIELDS}field = 3", "unknown key `field`\n    Did you mean `fields`?"),
        (f"quesion = 'x'\n{FIELDS}", "unknown key `quesion`\n    Did you mean `question`?"),
        (f"{FIND}fields = 'size'", "`fields` is not a list of names"),
        (f"{FIND}fields = []", "`fields` is not a list of names"),
        (f"{FIND}fields = [[]]", "`fields` holds an empty list"),
        (f"{FIND}fields = [3]", "`fields` holds 3, which is no name"),
        (f"{FIND}fields = [' ']", "which is no name"),
        (f'{FIND}fields = [{{ since = "1.0" }}]', "a table without a name"),
        (f'{FIND}fields = [{{ name = "x", sinse = "1.0" }}]', "unknown key `sinse`\n    Did you mean `since`?"),
        (f'{FIND}fields = [{{ name = "x", since = "new" }}]', "`since = 'new'` is no release"),
        (f'{FIND}fields = [{{ name = "x", until = 1 }}]', "`until` is no text"),
        (f'{FIELDS}access = ["writes"]', "`access` knows no `writes`\n    Did you mean `write`?"),
        (f'{FIELDS}access = "write"', "`access` is not a list of texts"),
        (f'{FIELDS}kind = ["call"]', "`kind` says nothing here: it is about calls"),
        (f'{FIND}calls = ["f"]\naccess = ["read"]', "`access` says nothing here: it is about fields"),
        (f'{FIND}calls = ["*"]', '`calls = ["*"]` is every call of the subject'),
        (f"{FIELDS}says = 1", "`says` is not a list of texts"),
        (f'{FIND}functions = ["f"]\nguarded_by = ["x"]', "functions have no guards"),
        (f'{FIELDS}with_value_of = ["x"]', "`with_value_of` says nothing here: it is about calls"),
        (f"{FIELDS}guarded_by = [1]", "`guarded_by` is not a list of texts"),
        (f"about = 1\n{FIELDS}", "`about` is no text"),
        (f'show = ["guard"]\n{FIELDS}', "`show` knows no `guard`\n    Did you mean `guards`?"),
        (f"expect = 1\n{FIELDS}", "`expect` is not a table for each release"),
        (f"{FIELDS}[expect.new]\nat_least = 1", "`new` is no release"),
        (f'{FIELDS}[expect."1.0"]', "expects nothing"),
        (f'{FIELDS}[expect."1.0"]\natleast = 1', "unknown key `atleast`\n    Did you mean `at_least`?"),
        (f'{FIELDS}[expect."1.0"]\nat_least = "1"', "`at_least` is no number of answers"),
        (f'{FIELDS}[expect."1.0"]\nat_most = -2', "`at_most` is no number of answers"),
        (f'{FIELDS}[expect."1.0"]\nat_least = 3\nat_most = 2', "at least 3 and at most 2 cannot both be"),
        (f'{FIELDS}[expect."1.0"]\nin_functions = "f"', "`in_functions` is not a list of texts"),
        ("question = ", "is not TOML"),
        (f"x = {'[' * 9999}", "is not TOML"),
    ],
)
def test_what_is_wrong_is_said_with_where_it_stands(tmp_path: Path, text: str, said: str) -> None:
    """In words, with the nearest word where one is not known."""
    assert any(said in one for one in wrong(tmp_path, text))
    assert all(one.startswith("queries/sizes.toml") for one in wrong(tmp_path, text))


def test_all_problems_of_a_file_are_said_at_once(tmp_path: Path) -> None:
    """One run tells all that has to be mended."""
    text = 'quesion = "Who?"\n[[find]]\nfield = ["x"]\naccess = ["writes"]\n[[find]]\ncalls = [1]\n[expect."1.0"]\nat_lest = 2\n'
    said = "\n".join(wrong(tmp_path, text))
    for part in ("`quesion`", "no question", "`field`", "`writes`", "holds 1", "`at_lest`", "says not what it looks for"):
        assert part in said
    assert "[[find]] 2" in said


VALUES = (
    "1",
    "true",
    "1.5",
    "''",
    "'x'",
    "[]",
    "[1]",
    "[[]]",
    "[['x']]",
    "[{}]",
    "{}",
    "{ name = 1 }",
    "{ x.y = [1] }",
    "1979-05-27",
)
PLACES = {"": (*_OF_QUERY, "x"), "[[find]]": (*_OF_FIND, "x"), '[expect."1.0"]': (*_OF_EXPECTATION, "x")}


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("place", PLACES)
def test_no_value_in_any_place_is_more_than_a_problem(tmp_path: Path, place: str, value: str) -> None:
    """A file is read, or what is wrong is said; nothing else happens, whatever stands in it."""
    for key in PLACES[place]:
        text = f"{place}\n{key} = {value}\n"
        with contextlib.suppress(FlowmapError):
            read(tmp_path, text if place else text + "[[find]]\nfields = ['x']\n")


def test_bytes_that_are_no_text_are_said_to_be_none(tmp_path: Path) -> None:
    """As is a folder in the place of a file."""
    path = tmp_path / "sizes.toml"
    path.write_bytes(b"\xff\xfe\x00")
    for file in (QueryFile(path, "sizes.toml"), QueryFile(tmp_path, "sizes.toml")):
        with pytest.raises(FlowmapError, match=r"is not TOML|cannot be read"):
            read_query(file)
