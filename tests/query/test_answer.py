"""What a query finds in an index, what it leaves out, and what is said where a name is not there."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from flowmap.model.access import Access
from flowmap.model.problem import ExitCode, FlowmapError
from flowmap.model.program import Definition, Site
from flowmap.model.query import Query
from flowmap.query.answer import accesses_found, answer_query, expectation_for, unmet
from flowmap.query.files import QueryFile
from flowmap.query.hits import Answer
from flowmap.query.read import read_query
from flowmap.query.release import Release, release_of, version_in
from flowmap.store.index import Index
from tests.programs import index_of

APP = """
from dataclasses import dataclass
from app.pool import make


@dataclass
class Result:
    size: int = 0


class Other:
    def __init__(self):
        self.size = 1


class Settings:
    def __init__(self):
        self.n_draft = 3


class Worker:
    def __init__(self, settings):
        self.n = settings.n_draft + 1

    def run(self, batch):
        if batch:
            return Result(size=len(batch))
        return Result()

    def allocate(self):
        make((self.n, 2))
        make(7)


class FastWorker(Worker):
    def run(self, batch):
        return Result(2)


def main(batch, fast):
    worker = FastWorker(Settings()) if fast else Worker(Settings())
    worker.allocate()
    result = worker.run(batch)
    if result.size > 1 and batch:
        return result.size
    result.size += 1
    return Other().size


def unused(result: Result):
    return Worker(Settings()).run([result.size])
"""
POOL = """
import external


def make(shape):
    return external.empty(shape)
"""


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """The index of a program in two modules."""
    folder = tmp_path_factory.mktemp("query")
    return index_of(folder, {"app/__init__.py": "", "app/work.py": APP, "app/pool.py": POOL})


def asked(index: Index, folder: Path, text: str) -> Answer:
    """The answer to a query of this text."""
    return answer_query(index, query(folder, text))


def query(folder: Path, text: str) -> Query:
    """A query; where its text has no question, one is put in front."""
    path = folder / "sizes.toml"
    path.write_text(text if "question" in text else f'question = "?"\n{text}', encoding="utf-8")
    return read_query(QueryFile(path, "sizes.toml"))


def lines(answer: Answer) -> list[int]:
    """The lines of all answers."""
    return [hit.place.line for hit in answer.hits]


def functions(answer: Answer) -> set[str]:
    """The functions of all answers, without their module."""
    return {hit.function.symbol.removeprefix("app.work.") for hit in answer.hits}


def test_a_field_is_found_by_its_owner(index: Index, tmp_path: Path) -> None:
    """And the field of the same name of another class is not."""
    found = asked(index, tmp_path, '[[find]]\nfields = ["Result.size"]')
    assert all(isinstance(hit.found, Access) for hit in found.hits)
    assert functions(found) == {"Result", "Worker.run", "FastWorker.run", "main", "unused"}
    assert "Other.__init__" in functions(asked(index, tmp_path, '[[find]]\nfields = ["size"]'))


@pytest.mark.parametrize(
    ("only", "expected"),
    [
        ('access = ["augwrite"]', {"main"}),
        ('access = ["write"]', {"Result", "Worker.run", "FastWorker.run"}),
        ('access = ["mutate"]', set()),
        ('reached_from = ["main"]', {"Result", "Worker.run", "FastWorker.run", "main"}),
        ('reached_from = ["unused"]', {"Result", "Worker.run", "unused"}),
        ('in_function = ["Worker.run"]', {"Worker.run"}),
        ('in_function = ["*Worker.run"]', {"Worker.run", "FastWorker.run"}),
        ('guarded_by = ["result.size > 1"]', {"main"}),
        ('guarded_by = ["if batch"]', {"Worker.run"}),
        ('guarded_by = ["if b*h", "no such guard"]', {"Worker.run"}),
        ('not_guarded_by = ["batch"]', {"Result", "FastWorker.run", "main", "unused"}),
        ('in_module = ["app.work"]', {"Result", "Worker.run", "FastWorker.run", "main", "unused"}),
        ('in_module = ["app"]\nnot_in_module = ["w*k"]', set()),
        ('in_module = ["pool"]', set()),
    ],
)
def test_filters_leave_out_what_does_not_count(index: Index, tmp_path: Path, only: str, expected: set[str]) -> None:
    """Of the accesses of one field; several words of a list count alike."""
    assert functions(asked(index, tmp_path, f'[[find]]\nfields = ["Result.size"]\n{only}')) == expected


def test_an_early_exit_is_a_guard(index: Index, tmp_path: Path) -> None:
    """What must hold because something left before counts as what stands around."""
    found = asked(index, tmp_path, '[[find]]\nfields = ["Result.size"]\naccess = ["augwrite"]\nguarded_by = ["not (result.size"]')
    assert functions(found) == {"main"}


def test_calls_are_the_sites_that_run_it(index: Index, tmp_path: Path) -> None:
    """Resolved, not matched by name: `unused` does not run `FastWorker.run`. Of a class: where it is made; outside, too."""
    assert functions(asked(index, tmp_path, '[[find]]\ncalls = ["Worker.run"]')) == {"main", "unused"}
    assert functions(asked(index, tmp_path, '[[find]]\ncalls = ["FastWorker.run"]')) == {"main"}
    assert functions(asked(index, tmp_path, '[[find]]\ncalls = ["external.empty"]')) == {"app.pool.make"}
    assert functions(asked(index, tmp_path, '[[find]]\ncalls = ["Other"]')) == {"main"}
    assert all(isinstance(hit.found, Site) for hit in asked(index, tmp_path, '[[find]]\ncalls = ["Worker.run"]').hits)


def test_a_kind_of_call_can_be_asked_for(index: Index, tmp_path: Path) -> None:
    """`@dataclass` is applied and never called."""
    assert functions(asked(index, tmp_path, '[[find]]\ncalls = ["dataclass"]\nkind = ["decorator"]')) == {"app.work"}
    assert not asked(index, tmp_path, '[[find]]\ncalls = ["dataclass"]\nkind = ["call"]').hits


def test_calls_with_a_value_are_those_it_reaches(index: Index, tmp_path: Path) -> None:
    """Through a field of another class, a sum and a tuple; the call beside it with a number of its own is none."""
    found = asked(index, tmp_path, '[[find]]\ncalls = ["make"]\nwith_value_of = ["Settings.n_draft"]')
    assert [hit.found.expr for hit in found.hits if isinstance(hit.found, Site)] == ["make((self.n, 2))"]
    inside = asked(index, tmp_path, '[[find]]\ncalls = ["external.empty"]\nwith_value_of = ["Settings.n_draft"]')
    assert functions(inside) == {"app.pool.make"}
    assert not asked(index, tmp_path, '[[find]]\ncalls = ["make"]\nwith_value_of = ["Other.size"]').hits


def test_every_call_in_a_function_in_the_order_of_the_text(index: Index, tmp_path: Path) -> None:
    """What is not resolved, too; `says` leaves out what does not contain a text."""
    found = asked(index, tmp_path, '[[find]]\ncalls = ["*"]\nin_function = ["Worker.run", "Worker.allocate"]')
    assert [hit.code for hit in found.hits] == [
        "Result(size=len(batch))",
        "len(batch)",
        "Result()",
        "make((self.n, 2))",
        "make(7)",
    ]
    said = asked(index, tmp_path, '[[find]]\ncalls = ["*"]\nin_function = ["Worker.*"]\nsays = ["make(7", "size=*batch"]')
    assert [hit.code for hit in said.hits] == ["Result(size=len(batch))", "make(7)"]


def test_functions_are_found_by_a_pattern(index: Index, tmp_path: Path) -> None:
    """Where they are defined, once each."""
    found = asked(index, tmp_path, '[[find]]\nfunctions = ["*Worker.run", "main"]\nreached_from = ["main"]')
    assert functions(found) == {"Worker.run", "FastWorker.run", "main"}
    assert all(isinstance(hit.found, Definition) for hit in found.hits)


def test_every_call_of_a_function_bears_its_name(index: Index, tmp_path: Path) -> None:
    """So that a reader sees which function each belongs to."""
    found = asked(index, tmp_path, '[[find]]\ncalls = ["*", "main"]\nin_function = ["Worker.allocate"]')
    assert {hit.name for hit in found.hits} == {"Worker.allocate"}


def test_what_two_parts_find_counts_once(index: Index, tmp_path: Path) -> None:
    """And stands in both."""
    part = '[[find]]\nfields = ["Result.size"]\naccess = ["augwrite"]\n'
    found = asked(index, tmp_path, part + part)
    assert len(found.hits) == 1
    assert [len(each.hits) for each in found.parts] == [1, 1]


def test_of_the_names_of_one_thing_the_first_that_exists_counts(index: Index, tmp_path: Path) -> None:
    """Even when a later one exists, too."""
    found = asked(index, tmp_path, '[[find]]\nfields = [["Result.gone", "Result.size", "Other.size"]]')
    assert {hit.name for hit in found.hits} == {"Result.size"}


def test_names_that_nothing_bears_are_said_all_at_once(index: Index, tmp_path: Path) -> None:
    """With the nearest names, and what to do."""
    text = '[[find]]\nfields = ["Result.sise"]\nreached_from = ["mein"]\n[[find]]\ncalls = [["Worker.rum", "Worker.runn"]]'
    with pytest.raises(FlowmapError) as error:
        asked(index, tmp_path, text)
    assert error.value.code is ExitCode.FINDING
    said = [str(problem) for problem in error.value.problems]
    assert len(said) == 3
    assert "is called Result.sise\n    Did you mean size?" in said[0]
    assert "is called mein\n    Did you mean main?" in said[1]
    assert "is called Worker.rum or Worker.runn\n    Did you mean Worker.run" in said[2]


@pytest.mark.parametrize("name", ["make", "app.work"])
def test_a_function_is_no_field(index: Index, tmp_path: Path, name: str) -> None:
    """Nor is a module."""
    with pytest.raises(FlowmapError, match=f"is called {name}"):
        asked(index, tmp_path, f'[[find]]\nfields = ["{name}"]')


def released(index: Index, version: str) -> Index:
    """The same index, said to be of a release."""
    copy = Index(index._connection)
    copy.meta = {**index.meta, "source": f"pypi:app=={version}"}
    return copy


def test_a_name_is_looked_for_in_its_releases_alone(index: Index, tmp_path: Path) -> None:
    """`since` and `until` include the release that they name; without a known release every name is tried."""
    tied = '[[find]]\nfields = [{ name = "Result.size", since = "1.5", until = "2.0.1" }]'
    for version, is_found in (("1.4.9", False), ("1.5", True), ("1.10", True), ("2.0.1", True), ("2.0.2", False), ("2.1", False)):
        found = asked(released(index, version), tmp_path, tied)
        assert bool(found.hits) is is_found, version
        assert found.parts[0].absent == (() if is_found else ("Result.size",))
    assert asked(index, tmp_path, tied).hits


def test_a_name_that_is_missing_in_its_release_is_a_problem(index: Index, tmp_path: Path) -> None:
    """Where the release is not known, one that is tied to releases may be missing."""
    tied = '[[find]]\nfields = [{ name = "Result.gone", since = "1.5" }]'
    with pytest.raises(FlowmapError, match=r"is called Result\.gone"):
        asked(released(index, "2.0"), tmp_path, tied)
    found = asked(index, tmp_path, tied)
    assert found.parts[0].absent == ("Result.gone",)


def test_a_query_about_another_project_is_not_answered(index: Index, tmp_path: Path) -> None:
    """Where the project is known; it says how to ask it."""
    text = 'question = "?"\nabout = "other"\n[[find]]\nfields = ["size"]'
    assert asked(released(index, "1.0"), tmp_path, text.replace("other", "App")).hits
    with pytest.raises(FlowmapError, match=r"asks about other, and this is pypi:app==1\.0\n.*--source pypi:other==VERSION"):
        asked(released(index, "1.0"), tmp_path, text)
    assert asked(index, tmp_path, text).hits


def test_only_accesses_are_exported(index: Index, tmp_path: Path) -> None:
    """Sorted by place; a query that looks for no field says that it has none."""
    found = asked(index, tmp_path, '[[find]]\ncalls = ["main", "Worker.run"]\n[[find]]\nfields = ["Other.size", "Result.size"]')
    places = [access.place for access in accesses_found(found)]
    assert places == sorted(places)
    assert len(places) == sum(isinstance(hit.found, Access) for hit in found.hits) > 0
    with pytest.raises(FlowmapError, match="looks for no fields"):
        accesses_found(asked(index, tmp_path, '[[find]]\ncalls = ["Worker.run"]'))


EXPECTING = """
[[find]]
fields = ["Result.size"]
[expect."1.0"]
at_least = 3
at_most = 4
in_functions = ["Worker.run", "Other.__init__"]
not_in_functions = ["unused", "Worker.allocate"]
"""


def test_what_is_not_as_expected_is_said(index: Index, tmp_path: Path) -> None:
    """Each thing in a line; what is as expected is not mentioned."""
    found = asked(index, tmp_path, EXPECTING)
    (expected,) = found.query.expectations
    assert unmet(found, expected) == (
        f"{len(found.hits)} answers, at most 4 are expected",
        "no answer in Other.__init__, where one is expected",
        "an answer in unused, where none is expected",
    )
    fewer = dataclasses.replace(expected, at_least=99, at_most=-1, in_functions=(), not_in_functions=("Worker.allocate",))
    assert unmet(found, fewer) == (f"{len(found.hits)} answers, at least 99 are expected",)


def test_an_expectation_is_of_one_release(tmp_path: Path) -> None:
    """Of the same version however it is written; of no other, and of no other project."""
    one = query(tmp_path, EXPECTING)
    assert expectation_for(one, release("app", "1.0.0"))
    assert not expectation_for(one, release("app", "1.0.1"))
    assert not expectation_for(one, None)
    about = dataclasses.replace(one, about="other")
    assert not expectation_for(about, release("app", "1.0"))


def release(project: str, version: str) -> Release:
    """A release."""
    known = version_in(version)
    assert known is not None
    return Release(project, known)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("pypi:app==1.2.post1", "app 1.2.post1"),
        ("pypi:My.App==1.2", "my-app 1.2"),
        ("dist:app==0.9", "app 0.9"),
        ("down/my_app-1.2-py3-none-any.whl", "my-app 1.2"),
        ("down/app-1.2.tar.gz", "app 1.2"),
        ("pypi:app==1.0 + pypi:other==2.0", "app 1.0"),
        ("src/app", "None"),
        ("git:.@v1.2", "None"),
        ("notes.zip", "None"),
        ("pypi:app==new", "None"),
    ],
)
def test_a_release_is_told_by_the_name_of_the_source(source: str, said: str) -> None:
    """A folder tells none."""
    assert str(release_of(source)) == said
