"""The rows of the index, from a solved program."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from flowmap.flow.accesses import Cut, accesses
from flowmap.flow.held import held_classes
from flowmap.flow.moves import move_tables
from flowmap.link.program import Layout
from flowmap.model.facts import KEYED, Scope, ScopeFlag, ScopeKind
from flowmap.model.problem import Problem
from flowmap.model.program import DefinitionKind, SiteKind, Status
from flowmap.model.typed import encodable
from flowmap.solve.borders import Crossing, crossings
from flowmap.solve.bounds import ANYTHING
from flowmap.solve.definitions import definitions_at
from flowmap.solve.dispatch import Dispatch, dispatch_rows
from flowmap.solve.evidence import Evidence
from flowmap.solve.makers import Makers
from flowmap.solve.outcome import CONFIDENCE, KINDS, Outcome, outcomes
from flowmap.solve.state import Found, State
from flowmap.solve.widened import Widened
from flowmap.store.access_rows import FieldUse, access_rows
from flowmap.store.assigned_rows import assigned_rows
from flowmap.store.entries import entry_rows
from flowmap.store.generated_rows import generated_rows
from flowmap.store.write import IndexTables, Row, Rows

SCOPE_KINDS = {
    ScopeKind.MODULE: DefinitionKind.MODULE,
    ScopeKind.CLASS: DefinitionKind.CLASS,
    ScopeKind.LAMBDA: DefinitionKind.LAMBDA,
}


@dataclass(frozen=True, slots=True)
class Subject:
    """What the index says of its subject beside the program: its digests, commands, problems and texts."""

    digests: Mapping[str, str]  # by path
    entry_points: tuple[tuple[str, str], ...]
    problems: tuple[Problem, ...]
    text_of: Callable[[str], bytes]  # by path
    expression_at: Callable[[str, tuple[int, int], tuple[int, int]], str]  # path, start, end
    cut: Cut  # the text between two positions
    meta: Mapping[str, str]


@dataclass(slots=True)
class Outside:
    """Symbols outside the indexed code, numbered behind those inside as they are met."""

    first: int
    numbers: dict[str, int] = field(default_factory=dict)

    def number(self, text: str) -> int:
        """The number of a symbol; `text` begins with `ext:`."""
        return self.numbers.setdefault(text, self.first + len(self.numbers))

    def rows(self) -> Iterator[Row]:
        """Their rows of the table `symbol`."""
        for text, number in self.numbers.items():
            name = text.removeprefix("ext:").rpartition(".")[2]
            yield (number, text, name, DefinitionKind.EXTERNAL.value, None, 0, 0, 0, None, "", "[]", "")


def tables_of(state: State, subject: Subject) -> IndexTables:
    """All rows of the index. Rows come in the same order whatever the order of work was."""
    layout = state.layout
    outside = Outside(len(layout.scopes))
    guards = GuardLists()
    calls = call_rows(state, subject, outside, guards)
    table_rows, table_targets = table_rows_of(state)
    orders = list(order_rows(state, outside))
    entries = entry_rows(state, subject.entry_points)
    moves = move_tables(state)
    state.calls_told()
    touched = access_rows(state.layout, FieldUse(accesses(state, subject.cut), held_classes(state)), guards.number)
    return IndexTables(
        file=list(file_rows(layout, subject)),
        symbol=[*symbol_rows(layout), *outside.rows()],
        guard_list=guards.rows(),
        site=calls.sites,
        target=calls.targets,
        evidence=calls.evidence,
        stopped=calls.stopped,
        widened=calls.widened,
        class_order=orders,
        member=member_rows(state),
        assigned=assigned_rows(state),
        generated=generated_rows(state),
        import_=import_rows(layout),
        table_row=table_rows,
        table_target=table_targets,
        entry=entries,
        problem=problem_rows(state, subject),
        meta=subject.meta,
        text=text_rows(layout, subject),
        made=calls.made,
        refused=state.program.classes.problems,
        flow_scope=moves.scopes,
        flow_field=moves.fields(),
        flow_file=moves.files,
        field=touched.fields,
        phrase=touched.phrases,
        owners=touched.owners,
        access=touched.accesses,
        held=touched.held,
    )


class CallRows(NamedTuple):
    """The rows about call sites."""

    sites: Rows
    targets: Rows
    made: Rows
    evidence: Rows
    stopped: Rows
    widened: Rows


def call_rows(state: State, subject: Subject, outside: Outside, guards: GuardLists) -> CallRows:
    """The rows about call sites. What it takes to find them is let go before the next rows are made."""
    makers = Makers(state.layout)
    evidence = Evidence(state, makers)
    found = found_sites(state, subject, guards, makers)
    sites, targets, made = site_rows(state, found, (outside, evidence))
    stopped = stopped_rows(state, found, evidence)
    widened = Widened(state, makers, evidence.steps).rows({one.site: number for number, one in enumerate(found)})
    state.evidence_told()
    return CallRows(sites, targets, made, evidence.rows, stopped, widened)


def file_rows(layout: Layout, subject: Subject) -> Iterator[Row]:
    for number, facts in enumerate(layout.files):
        problem = "" if facts.problem is None else facts.problem[0]
        yield (number, facts.path, facts.module, subject.digests.get(facts.path, ""), facts.n_lines, problem)


def text_rows(layout: Layout, subject: Subject) -> Iterator[Row]:
    for number, facts in enumerate(layout.files):
        yield (number, zlib.compress(subject.text_of(facts.path), 1))


def symbol_rows(layout: Layout) -> Iterator[Row]:
    for number, scope in enumerate(layout.scopes):
        parent = layout.parent(number)
        kind = definition_kind(layout, number, scope)
        name = layout.files[layout.scope_file[number]].module.rpartition(".")[2] if parent < 0 else scope.name
        yield (
            number,
            layout.symbol(number),
            name,
            kind.value,
            layout.scope_file[number],
            scope.line,
            scope.col,
            scope.end_line,
            None if parent < 0 else parent,
            scope.signature,
            json.dumps(scope.decorators),
            scope.doc,
        )


def definition_kind(layout: Layout, number: int, scope: Scope) -> DefinitionKind:
    """What a scope defines."""
    known = SCOPE_KINDS.get(scope.kind)
    if known is not None:
        return known
    if scope.flags & (ScopeFlag.PROPERTY | ScopeFlag.SETTER | ScopeFlag.DELETER):
        return DefinitionKind.PROPERTY
    in_class = layout.scopes[layout.parent(number)].kind == ScopeKind.CLASS
    return DefinitionKind.METHOD if in_class else DefinitionKind.FUNCTION


class GuardLists:
    """Lists of guards, each kept once for the whole program."""

    def __init__(self) -> None:
        self.numbers: dict[tuple[str, ...], int] = {(): 0}

    def number(self, texts: tuple[str, ...]) -> int:
        """The number of a list."""
        return self.numbers.setdefault(texts, len(self.numbers))

    def rows(self) -> list[Row]:
        """The rows of the table `guards`."""
        return [(number, json.dumps(texts, ensure_ascii=False)) for texts, number in self.numbers.items()]


@dataclass(frozen=True, slots=True)
class FoundSite:
    """A site in the making: its row without number and outcome, the outcome, and its number in the program."""

    place: tuple[int, ...]
    row: Row
    outcome: Outcome
    site: int


IN_A_TABLE = -1  # the number of what stands in a dispatcher's table
BEHIND_A_BORDER = -1  # the number of what a call hands over to run elsewhere


def found_sites(state: State, subject: Subject, guards: GuardLists, makers: Makers) -> list[FoundSite]:
    """All sites by file, line and column, as they are numbered."""
    found: list[FoundSite] = []
    for file, index, site, outcome in outcomes(state, makers):
        row = state.layout.sites(file)[index]
        place = (file, row[1], row[3], row[4], row[5], row[6], index)
        found.append(FoundSite(place, site_row(state, subject, guards, (file, index)), outcome, site))
    for one in dispatch_rows(state):
        place = (one.file, one.line, one.col, one.line, one.col, 0, one.site)
        found.append(FoundSite(place, dispatch_row(state, subject, guards, one), one.outcome, IN_A_TABLE))
    for each in crossings(state):
        file, index = state.layout.site_at(each.site)
        row = state.layout.sites(file)[index]
        place = (file, row[1], row[3], row[4], row[5], BEHIND, index)
        found.append(FoundSite(place, border_row(state, subject, guards, each), each.outcome, BEHIND_A_BORDER))
    found.sort(key=lambda one: one.place)
    return found


def site_rows(state: State, found: list[FoundSite], parts: tuple[Outside, Evidence]) -> tuple[list[Row], list[Row], list[Row]]:
    """The rows of `site`, of `target` and of `made`."""
    sites: list[Row] = []
    targets: list[Row] = []
    made: list[Row] = []
    for number, one in enumerate(found):
        sites.append((number, *one.row[:10], one.outcome.status.value, one.outcome.reason, *one.row[10:]))
        targets.extend(target_rows(number, one.outcome, parts))
        made.extend(made_rows(number, state.made.get(one.site, {}), parts[1]))
    return sites, targets, made


UNKNOWN = (Status.UNRESOLVED, Status.DYNAMIC)


def stopped_rows(state: State, found: list[FoundSite], evidence: Evidence) -> list[Row]:
    """The rows of `stopped`: the sites of which nothing is known, or only that it comes from somewhere outside."""
    rows: list[Row] = []
    for number, one in enumerate(found):
        somewhere = one.outcome.status is Status.EXTERNAL and state.outside_sites.get(one.site) == ANYTHING
        if one.outcome.status in UNKNOWN or (somewhere and not one.outcome.targets):
            first = evidence.stopped(one.site)
            if first is not None:
                rows.append((number, first))
    return rows


def site_row(state: State, subject: Subject, guards: GuardLists, at: tuple[int, int]) -> Row:
    """One row of `site` without its number and outcome; `at` is the file and the index in it."""
    file, index = at
    facts = state.layout.files[file]
    scope, line, name_line, col, end_line, end_col, shape, name, expr, *lists = state.layout.sites(file)[index]
    kind = KINDS[shape]
    text = expr or subject.expression_at(facts.path, (line, col), (end_line, end_col))
    caller = scope + state.layout.scope_base[file]
    numbers = (guards.number(facts.guards[one_list]) for one_list in lists)
    named = name_line if kind in (SiteKind.CALL, SiteKind.PROPERTY) else line
    return (caller, file, line, named, col, end_line, end_col, name, text, kind.value, *numbers, index)


BEHIND = 99  # after all kinds of sites of the text: what runs behind a border follows the call


def border_row(state: State, subject: Subject, guards: GuardLists, each: Crossing) -> Row:
    """The row of `site` for what a call hands over: it stands at the call."""
    caller, *place, name, text, _, around, inside, early, rank = site_row(state, subject, guards, state.layout.site_at(each.site))
    return (caller, *place, name, text, SiteKind.BORDER.value, around, inside, early, rank)


def dispatch_row(state: State, subject: Subject, guards: GuardLists, one: Dispatch) -> Row:
    """The row of `site` for a row of a dispatcher's table: it stands in the table, and runs where the dispatcher is called."""
    file, index = state.layout.site_at(one.site)
    caller, _, _, _, _, _, _, name, text, _, _, inside, early, rank = site_row(state, subject, guards, (file, index))
    texts = state.layout.files[file].guards[state.layout.sites(file)[index][9]]
    under = guards.number((*texts, f"case {one.key}"))
    place = (one.line, one.name_line, one.col, one.name_line, one.col)
    return (caller, one.file, *place, name, text, SiteKind.DISPATCH.value, under, inside, early, rank)


def target_rows(number: int, outcome: Outcome, parts: tuple[Outside, Evidence]) -> Iterator[Row]:
    """The rows of `target` for one site."""
    outside, evidence = parts
    for position, (what, found) in enumerate(outcome.targets):
        symbol = what if isinstance(what, int) else outside.number(what)
        yield (number, position, symbol, CONFIDENCE[evidence.sureness(found)].value, evidence.chain(found))


def made_rows(number: int, classes: Mapping[int, Found], evidence: Evidence) -> Iterator[Row]:
    """The rows of `made` for one site."""
    for position, (cls, found) in enumerate(sorted(classes.items(), key=lambda one: one[0])):
        yield (number, position, cls, CONFIDENCE[found.stage].value, evidence.chain(found))


def order_rows(state: State, outside: Outside) -> Iterator[Row]:
    for cls, order in state.program.classes.order.items():
        for position, one in enumerate(order):
            yield (cls, position, one if isinstance(one, int) else outside.number(f"ext:{one}"))


def member_rows(state: State) -> list[Row]:
    return sorted({(cls, name, method) for method, (cls, name) in state.program.methods.items()})


def import_rows(layout: Layout) -> Iterator[Row]:
    for number, facts in enumerate(layout.files):
        for line, col, module, name, alias in facts.imports:
            target = layout.modules.get(f"{module}.{name}") if name else None
            if target is None:
                target = layout.modules.get(module)
            yield (number, line, col, module, name, alias, target)


def table_rows_of(state: State) -> tuple[list[Row], list[Row]]:
    """The rows of tables from keys to classes and functions; other dicts are left out."""
    rows: list[Row] = []
    targets: list[Row] = []
    for file, facts in enumerate(state.layout.files):
        base = state.layout.node_base[file]
        for _, _, _, name, _, shape, entries in facts.tables:
            meant = [definitions_at(state, value_node(state, node + base, shape)) for _, node, _, _, _ in entries]
            if not all(meant):
                continue
            for (key, _, line, col, _), symbols in zip(entries, meant, strict=True):
                targets.extend((len(rows), symbol) for symbol in symbols)
                rows.append((len(rows), file, line, col, name, key))
    return rows, targets


def value_node(state: State, node: int, shape: int) -> int:
    """The node of a table row's value."""
    return node if shape == KEYED else state.slots.known(state.slots.made("tuple", node), 1)


def problem_rows(state: State, subject: Subject) -> list[Row]:
    """What was wrong with the subject's files and classes."""
    rows: list[Row] = [tuple(map(encodable, (one.where, one.what, one.fix))) for one in subject.problems]
    for facts in state.layout.files:
        if facts.problem is not None:
            rows.append((facts.path, *facts.problem))
    for hint, what in state.hints.idle:
        rows.append((hint.where, f"matches nothing: {what}", "Correct the hint, or take it away."))
    for cls, what in state.program.classes.problems:
        facts = state.layout.files[state.layout.scope_file[cls]]
        line = state.layout.scopes[cls].line
        rows.append((f"{facts.path}:{line}", f"{state.layout.scopes[cls].name}: {what}", "Python would refuse this class"))
    return rows
