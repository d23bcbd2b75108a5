"""What can be asked of an index, on the toy program."""

from __future__ import annotations

import pytest

from flowmap.model.place import Place
from flowmap.model.program import Confidence, Definition, DefinitionKind, Status, StepKind
from flowmap.store.chains import evidence_chain
from flowmap.store.classes import class_of, class_order, hosts, providers
from flowmap.store.index import Index, _shortest_suffixes
from flowmap.store.modules import definition_at, entry_points, files_ending, imports_from, imports_of, table_rows
from flowmap.store.names import named, nearest
from flowmap.store.sites import (
    BY_NAME_ONLY,
    callees,
    callers,
    counts,
    counts_by_confidence,
    sites_covering,
    sites_of,
    sites_on,
    sites_running,
)
from tests.toy import toy_index


@pytest.fixture(scope="module")
def index() -> Index:
    """The toy program's index."""
    return toy_index()


def one(index: Index, name: str) -> Definition:
    """The only definition of a name."""
    (definition,) = named(index, name)
    return definition


def symbols(definitions: tuple[Definition, ...]) -> list[str]:
    """The symbols of definitions."""
    return [each.symbol for each in definitions]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("process_decode", ["toy.mixins.OutputMixin.process_decode"]),
        ("OutputMixin.process_decode", ["toy.mixins.OutputMixin.process_decode"]),
        ("toy.mixins.OutputMixin.process_decode", ["toy.mixins.OutputMixin.process_decode"]),
        ("forward", ["toy.workers.FastWorker.forward", "toy.workers.Worker.forward"]),
        ("toy.app", ["toy.app"]),
        ("app", ["toy.app"]),
        ("Scheduler", ["toy.app.Scheduler"]),
        ("run()", ["toy.app.Scheduler.run"]),
        ("toy.app:main", ["toy.app.main"]),
        ("Scheduler.emit", ["toy.mixins.OutputMixin.emit"]),
        ("torch.empty", ["ext:torch.empty"]),
    ],
)
def test_names_match_by_suffix(index: Index, name: str, expected: list[str]) -> None:
    """The end of a name is enough; a method may be named through a class that inherits it."""
    assert symbols(named(index, name)) == expected


@pytest.mark.parametrize(
    "name", ["", "()", "process_dec", "decode", "cheduler.run", "Worker.process", "toy.", "Scheduler.nothing"]
)
def test_a_piece_of_a_name_is_no_suffix(index: Index, name: str) -> None:
    """Names match from a dot on; letters in the middle match nothing."""
    assert named(index, name) == ()


@pytest.mark.parametrize(
    ("name", "best"),
    [
        ("proces_decode", "process_decode"),
        ("Schedulr.run", "Scheduler.run"),
        ("SCHEDULER", "Scheduler"),
        ("make_workers", "make_worker"),
    ],
)
def test_the_nearest_name_is_suggested(index: Index, name: str, best: str) -> None:
    """A slip of the finger, another case, a plural: the name that was meant comes first."""
    assert nearest(index, name)[0] == best


def test_nothing_is_suggested_for_nonsense(index: Index) -> None:
    """What is like no name gets no suggestion."""
    assert nearest(index, "xyzzy_quux_42") == ()


@pytest.mark.parametrize(
    ("line", "symbol"), [(1, "toy.app"), (7, "toy.app.Scheduler"), (16, "toy.app.Scheduler.run"), (45, "toy.app")]
)
def test_the_innermost_definition_around_a_line(index: Index, line: int, symbol: str) -> None:
    """A line belongs to the smallest function or class around it, else to the module."""
    found = definition_at(index, Place("toy/app.py", line))
    assert found is not None
    assert found.symbol == symbol


def test_a_file_without_facts_has_no_definitions(index: Index) -> None:
    """A file that did not parse has a problem and nothing else."""
    assert definition_at(index, Place("toy/broken.py", 1)) is None
    assert index.files[index.file_ids["toy/broken.py"]].problem
    assert [problem.where for problem in index.problems()] == ["toy/broken.py:1"]


def test_a_definition_knows_its_surroundings(index: Index) -> None:
    """Kind, owner, module, signature and place stand beside the symbol."""
    method = one(index, "Scheduler.process")
    assert (method.kind, method.owner, method.module) == (DefinitionKind.METHOD, "toy.app.Scheduler", "toy.app")
    assert (method.place, method.end_line, method.signature) == (Place("toy/app.py", 27, 4), 32, "(self, batch) -> None")


def test_sites_of_a_caller_come_in_the_order_in_which_they_run(index: Index) -> None:
    """`Scheduler(…).run()` constructs first, though both calls begin at the same place."""
    sites = sites_of(index, [one(index, "main")], Confidence.INFERRED)
    assert [site.expr for site in sites] == ["Scheduler(fast=True)", "Scheduler(fast=True).run()"]
    assert [site.targets[0].definition.name for site in sites] == ["__init__", "run"]


def test_arguments_come_before_their_call(index: Index) -> None:
    """`len(batch)` runs before the call that it is passed to."""
    sites = sites_of(index, [one(index, "Worker.forward")], Confidence.INFERRED)
    assert [site.expr for site in sites] == ["len(batch)", "torch.empty(len(batch))"]


def test_a_site_carries_its_guards(index: Index) -> None:
    """Enclosing statements, early exits and conditions inside the expression are three things."""
    (site,) = sites_running(index, [one(index, "FastWorker.forward")], Confidence.INFERRED)
    assert site.guards == ("while True", "if batch")
    assert site.early_exit_guards == ("not (batch.closed)",)
    (site,) = sites_of(index, [one(index, "process_decode")], Confidence.INFERRED)
    assert site.expr_guards == ("request.finished",)


def test_a_weak_target_is_given_only_when_asked_for(index: Index) -> None:
    """A guess by name is no answer unless `possible` is."""
    base = [one(index, "Base.emit")]
    assert sites_running(index, base, Confidence.INFERRED) == ()
    (site,) = sites_running(index, base, Confidence.POSSIBLE)
    assert [target.confidence for target in site.targets] == [Confidence.PROVEN, Confidence.POSSIBLE]


def test_a_site_with_only_weak_targets_is_unresolved(index: Index) -> None:
    """Where only `proven` counts, an inferred call is unresolved, and the reason says why."""
    (site,) = (site for site in sites_of(index, [one(index, "run")], Confidence.PROVEN) if site.place.line == 19)
    assert (site.status, site.targets, site.reason) == (Status.UNRESOLVED, (), BY_NAME_ONLY)


def test_sites_by_place(index: Index) -> None:
    """By the lines where they begin, and by a line that they cover."""
    assert [site.expr for site in sites_on(index, "toy/app.py", range(28, 30), Confidence.INFERRED)] == [
        "batch.is_decode()",
        "self.process_decode(batch)",
    ]
    assert len(sites_covering(index, Place("toy/app.py", 36), Confidence.INFERRED)) == 1
    assert sites_on(index, "toy/none.py", range(1, 9), Confidence.INFERRED) == ()
    assert sites_on(index, "toy/app.py", range(9, 9), Confidence.INFERRED) == ()
    assert sites_covering(index, Place("toy/app.py", 1), Confidence.INFERRED) == ()


def test_the_bare_graph(index: Index) -> None:
    """Callees and callers as ids, each once."""
    split, process = one(index, "split").id, one(index, "Scheduler.process").id
    assert split in callees(index, [process], Confidence.PROVEN)[process]
    assert callers(index, [split], Confidence.PROVEN) == {split: (process, split)}
    assert callers(index, [], Confidence.PROVEN) == {}


def test_evidence_is_a_chain(index: Index) -> None:
    """The last thing known comes first; a target without evidence has an empty chain."""
    (site,) = sites_running(index, [one(index, "main")], Confidence.INFERRED)
    steps = evidence_chain(index, site.targets[0].evidence)
    assert [(step.kind, step.name) for step in steps] == [(StepKind.ATTRIBUTE, "main"), (StepKind.DEFINED, "main")]
    assert [step.place for step in steps] == [Place("toy/app.py", 45), Place("toy/app.py", 40)]
    assert evidence_chain(index, -1) == ()


def test_class_orders(index: Index) -> None:
    """The order, what it provides, who hosts a mixin, and the definitions of one name along it."""
    scheduler, mixin = one(index, "Scheduler"), one(index, "OutputMixin")
    order = class_order(index, scheduler)
    assert order is not None
    assert order.order == ("toy.app.Scheduler", "toy.mixins.OutputMixin", "toy.mixins.Base", "builtins.object")
    assert dict(order.provides)["emit"] == "toy.mixins.OutputMixin.emit"
    assert symbols(hosts(index, mixin)) == ["toy.app.Scheduler"]
    assert hosts(index, scheduler) == ()
    assert symbols(providers(index, [scheduler, mixin, one(index, "Base")], "emit")) == [
        "toy.mixins.OutputMixin.emit",
        "toy.mixins.Base.emit",
    ]
    assert class_order(index, one(index, "main")) is None


def test_only_a_method_has_a_class(index: Index) -> None:
    """A function of a module has none, nor has a module."""
    owner = class_of(index, one(index, "Scheduler.run"))
    assert owner is not None
    assert owner.symbol == "toy.app.Scheduler"
    assert class_of(index, one(index, "main")) is None
    assert class_of(index, one(index, "toy.app")) is None


def test_a_file_and_its_neighbours(index: Index) -> None:
    """Imports, importers, tables and entry points."""
    assert [(each.module, each.name, each.target) for each in imports_of(index, "toy/app.py")][-1] == (
        "toy.workers",
        "make_worker",
        "toy/workers.py",
    )
    assert [each.place for each in imports_from(index, "toy/workers.py")] == [Place("toy/app.py", 4)]
    assert imports_from(index, "toy/app.py") == ()
    assert [(row.table, row.key, symbols(row.targets)) for row in table_rows(index, "toy/workers.py")] == [
        ("RUNNERS", "'cuda'", ["toy.workers.FastWorker"]),
        ("RUNNERS", "'npu'", ["toy.workers.Worker"]),
    ]
    assert [entry.definition.symbol for entry in entry_points(index)] == ["toy.app.main"]


@pytest.mark.parametrize(
    ("path", "n_found"),
    [("app.py", 1), ("toy/app.py", 1), ("./toy/app.py", 1), ("toy\\app.py", 1), ("pp.py", 0), ("o/app.py", 0)],
)
def test_files_are_named_by_the_end_of_their_path(index: Index, path: str, n_found: int) -> None:
    """From a folder's border on, as typed on any system."""
    assert len(files_ending(index, path)) == n_found


def test_sites_are_counted(index: Index) -> None:
    """Every site is counted once by status; the resolved ones by their best target."""
    by_status = counts(index)
    assert (by_status[Status.RESOLVED], by_status[Status.UNRESOLVED], by_status[Status.DYNAMIC]) == (15, 2, 0)
    assert counts_by_confidence(index) == {Confidence.PROVEN: 14, Confidence.INFERRED: 1, Confidence.POSSIBLE: 0}


def test_short_paths_tell_files_apart() -> None:
    """As much of a path as no other file ends with; a path that is another one's end stays whole."""
    short = _shortest_suffixes(["a/x/m.py", "a/y/m.py", "a/n.py", "m.py"])
    assert short == {"a/x/m.py": "x/m.py", "a/y/m.py": "y/m.py", "a/n.py": "n.py", "m.py": "m.py"}


def test_the_text_is_kept(index: Index) -> None:
    """The source is shown as it was indexed; a file that is not there has none."""
    assert index.text_lines("toy/app.py")[6] == "class Scheduler(OutputMixin, Base):"
    assert index.text_lines("toy/none.py") == ()


def test_a_question_costs_few_queries(index: Index) -> None:
    """The number of queries does not grow with the number of functions asked about."""
    everything = index.definitions(range(10))
    statements: list[str] = []
    index._connection.set_trace_callback(statements.append)
    sites_of(index, everything, Confidence.INFERRED)
    index._connection.set_trace_callback(None)
    assert len([text for text in statements if "json_each" in text]) <= 5
