"""One step of a program, as a question about hooks sees it: what runs, what it touches, and where the operations stand in it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from flowmap.hooks.calls import Calls, all_calls, looked_into
from flowmap.hooks.dominators import Dominators, dominators
from flowmap.hooks.touched import Touched, touched_by
from flowmap.hooks.ways import shares
from flowmap.model.hooks import HookQuestion
from flowmap.model.problem import ExitCode, FlowmapError, Problem
from flowmap.model.program import Confidence, DefinitionKind
from flowmap.model.query import Anchors
from flowmap.query.anchors import Subject, definitions_meant
from flowmap.query.release import release_of
from flowmap.store.index import Index
from flowmap.store.sites import callers

N_SHOWN = 5
_RUN = (DefinitionKind.FUNCTION, DefinitionKind.METHOD, DefinitionKind.PROPERTY)


@dataclass(frozen=True, slots=True)
class Step:
    """What the entry points run. Sets hold ids of definitions.

    `everything` are the calls without regard to machinery, and `running` what runs by them; `calls` end there. `within` is all
    that runs in a step by these, `above` what leads to an operation, `below` what the operations run, themselves among it,
    `working` what runs any of the work.
    """

    index: Index
    everything: Calls
    calls: Calls
    dominators: Dominators
    running: frozenset[int]
    touched: Touched
    entries: tuple[int, ...]
    operations: tuple[int, ...]
    work: frozenset[int]
    working: frozenset[int]
    machinery: frozenset[int]
    within: frozenset[int]
    above: frozenset[int]
    below: frozenset[int]
    shares: Mapping[int, float]
    notes: tuple[str, ...]

    def region(self, function: int) -> frozenset[int]:
        """What runs when a function does: what is not run, or not then, where it is bypassed."""
        return self.calls.reached([function]) - self.machinery

    def made_in(self, functions: Collection[int]) -> frozenset[int]:
        """The classes that are made anew when some functions run, by the machinery that they run, too."""
        return self.touched.made_by(self.everything.reached(functions) & (self.machinery | set(functions)))

    def elsewhere(self, function: int) -> frozenset[int]:
        """What still runs in a step where a function is bypassed; what machinery calls back, too."""
        return self.running - self.dominators.dominated_by(function) - self.machinery

    def leaves_something(self, function: int) -> bool:
        """Whether something besides the entry points still runs where a function is bypassed."""
        return bool(self.elsewhere(function) - set(self.entries))

    def places_before(self, first: int, second: int) -> Iterator[tuple[int, int, int]]:
        """Where a function above both runs the one before the other: (the function, what it runs first, what then)."""
        to_first = self.calls.reaching([first], self.within)
        to_second = self.calls.reaching([second], self.within)
        for function in sorted(to_first & to_second & self.within):
            runs = self.calls.runs.get(function, ())
            for rank, callee in runs:
                if callee not in to_first or callee in to_second:
                    continue
                yield from (
                    (function, callee, other)
                    for later, other in runs
                    if later > rank and other in to_second and other not in to_first
                )


def step_of(index: Index, question: HookQuestion) -> Step:
    """What runs in a step, and where the operations stand in it.

    Errors: FlowmapError when a name is unknown, or no entry point reaches an operation: then with how far they get.
    """
    subject = Subject(index, release_of(index.source), question.name, question.about)
    bypass, entries = _functions(subject, question.bypass), _functions(subject, question.entries)
    work = frozenset(_ids(subject, question.work) or bypass)
    if subject.problems:
        raise FlowmapError(*dict.fromkeys(subject.problems), code=ExitCode.FINDING)
    machinery = (frozenset(_matching(index, question.machinery)) | work) - set(bypass)
    everything = all_calls(index)
    calls = looked_into(everything, machinery)
    entries, idle = _running(index, entries or tuple(_tops(calls, bypass)))
    within, running = calls.reached(entries), everything.reached(entries)
    operations = tuple(one for one in bypass if one in within)
    if not operations:
        raise FlowmapError(*_unreached(index, calls, entries, bypass), code=ExitCode.FINDING)
    above, below = calls.reaching(operations, within), calls.reached(operations)
    return Step(
        index=index,
        everything=everything,
        calls=calls,
        dominators=dominators(everything, entries),
        running=running,
        touched=touched_by(index, running - machinery, machinery),
        entries=entries,
        operations=operations,
        work=work,
        working=calls.reaching(sorted(work & within), within),
        machinery=machinery,
        within=within,
        above=above,
        below=below,
        shares=shares(calls, entries, operations, above),
        notes=(*_left_out(index, bypass, operations), *idle),
    )


def _functions(subject: Subject, anchors: Anchors) -> tuple[int, ...]:
    """What anchors stand for, each for a function at least."""
    for name, definitions in definitions_meant(Subject(subject.index, subject.release, "", ""), anchors):
        if not any(one.kind in _RUN for one in definitions):
            kind = definitions[0].kind.value
            subject.problems.append(Problem(name, f"is a {kind}, and no function", f"Name functions: {name}.NAME."))
    return _ids(subject, anchors)


def _ids(subject: Subject, anchors: Anchors) -> tuple[int, ...]:
    found = (one for _, definitions in definitions_meant(subject, anchors) for one in definitions)
    return tuple(dict.fromkeys(one.id for one in found if one.kind in _RUN))


def _matching(index: Index, patterns: Iterable[str]) -> Iterator[int]:
    """The functions whose symbols match patterns in which `*` stands for any text."""
    for pattern in patterns:
        yield from (row[0] for row in index.rows("SELECT id FROM symbol WHERE text GLOB ? AND kind <> 'external'", pattern))


def _tops(calls: Calls, operations: Collection[int]) -> list[int]:
    """Where no entry point is named: what leads to an operation and is run by nothing."""
    everybody = set(calls.runs)
    leading = calls.reaching(operations, everybody)
    run = {callee for caller in leading & everybody for callee in calls.callees(caller)}
    return sorted(leading - run) or sorted(operations)


def _running(index: Index, entries: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """The entry points that run in this configuration, and what is said of the others."""
    if not index.configuration:
        return entries, ()
    called = callers(index, entries, Confidence.INFERRED)
    running = tuple(one for one in entries if called.get(one)) or entries
    idle = [one.short for one in index.definitions(one for one in entries if one not in running)]
    return running, tuple(f"{name} does not run under {index.configuration}" for name in idle)


def _left_out(index: Index, bypass: Collection[int], operations: Collection[int]) -> Iterator[str]:
    for one in index.definitions(one for one in bypass if one not in operations):
        yield f"{one.short} is not reached{_under(index)}: left out"


def _under(index: Index) -> str:
    return f" under {index.configuration}" if index.configuration else ""


def _unreached(index: Index, calls: Calls, entries: Collection[int], bypass: Collection[int]) -> Iterator[Problem]:
    """How far the entry points get, and from where the operations are run."""
    within = calls.reached(entries)
    leading = calls.reaching(bypass, set(calls.runs)) - set(bypass)
    names = ", ".join(each.short for each in index.definitions(bypass))
    from_ = ", ".join(each.short for each in index.definitions(entries))
    what = f"does not reach {names}{_under(index)}: it runs {len(within):,} functions, and none of them"
    yield Problem(from_, what, _nearest(index, calls, leading))


def _nearest(index: Index, calls: Calls, leading: Collection[int]) -> str:
    run = {callee for caller in leading for callee in calls.callees(caller)}
    shown = index.definitions(sorted(set(leading) - run)[:N_SHOWN])
    if not shown:
        return "Nothing in the indexed code runs them: flowmap callers NAME says why."
    return f"What leads to them begins at {', '.join(each.short for each in shown)}: name one of these as an entry."
