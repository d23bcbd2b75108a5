"""Finds where something could be hooked in: on the ways to the operations, below them, before and after them, and beside."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache

from flowmap.hooks.roles import runs_after_work
from flowmap.hooks.step import Step
from flowmap.hooks.touched import Field
from flowmap.model.hooks import Standing
from flowmap.model.place import Place
from flowmap.model.program import Confidence, Definition, Site, StepKind
from flowmap.store.chains import evidence_chain
from flowmap.store.index import Index
from flowmap.store.sites import sites_of

DEEPEST_BELOW = 2  # calls below an operation


def candidates_of(step: Step) -> Mapping[int, Standing]:
    """The ids of all candidates, with how they stand to the operations."""
    found = dict.fromkeys(sorted(step.above - set(step.entries)), Standing.ABOVE)
    found |= dict.fromkeys([one for one in step.operations if one not in step.entries], Standing.OPERATION)
    found |= {one: Standing.BELOW for one in _below(step) if one not in found}
    outside = step.within - step.above - step.below - step.machinery - step.touched.making
    comes_before, comes_after = _orders(step)
    before = {one for one in _preparing(step, outside) if one in comes_before}
    after = {one for one in _sharing(step.touched.reads, outside, _written(step)) if one in comes_after}
    found |= dict.fromkeys(sorted(after), Standing.AFTER)
    found |= dict.fromkeys(sorted(before - after), Standing.BEFORE)
    found |= {one: Standing.BEFORE for one in sorted(before & after) if not _takes_up(step, one)}
    found = {one: standing for one, standing in found.items() if step.leaves_something(one)}
    return found | dict.fromkeys(sorted(_deciding(step, found)), Standing.BESIDE)


def _below(step: Step) -> Iterator[int]:
    """What the operations run, as far as it does any of the work, changes something, or comes right below one of them."""
    level: list[int] = list(step.operations)
    for depth in range(DEEPEST_BELOW):
        level = sorted({callee for one in level for callee in step.calls.callees(one)} - step.machinery - step.touched.making)
        yield from (
            one for one in level if one in step.working or _changes(step, one) or (depth == 0 and runs_after_work(step, one))
        )


def _changes(step: Step, function: int) -> bool:
    """Whether a function writes a field of something that it has not made itself."""
    return bool(step.touched.written_by(step.region(function) - step.touched.making))


def _orders(step: Step) -> tuple[frozenset[int], frozenset[int]]:
    """What runs before an operation in the same step, and what after one."""
    first: set[int] = set()
    then: set[int] = set()
    for function in step.above:
        runs = step.calls.runs.get(function, ())
        leading = [rank for rank, callee in runs if callee in step.above]
        first |= {callee for rank, callee in runs if leading and rank < max(leading)}
        then |= {callee for rank, callee in runs if leading and rank > min(leading)}
    return step.calls.reached(first), step.calls.reached(then)


def _preparing(step: Step, outside: Collection[int]) -> set[int]:
    """What writes fields that the operations read, or fields that are handed over to them in an object made of others."""
    inside = step.below - step.machinery
    wanted = step.touched.read_by(inside)
    found = set(_sharing(step.touched.writes, outside, wanted))
    handed = {owner for owner, _ in wanted}
    handing = [one for one in found if not handed.isdisjoint(step.touched.made.get(one, ()))]
    return found | set(_sharing(step.touched.writes, outside, step.touched.read_by(handing)))


def _written(step: Step) -> set[Field]:
    return step.touched.written_by(step.below - step.machinery)


def _sharing(touched: Mapping[int, Collection[Field]], among: Iterable[int], fields: Collection[Field]) -> Iterator[int]:
    for function in among:
        if any(field in fields for field in touched.get(function, ())):
            yield function


def _takes_up(step: Step, function: int) -> bool:
    """Whether a function that shares fields with the operations on both sides reads what they make."""
    made = step.made_in(step.below - step.machinery)
    written = _written(step)
    return any(field in written and field[0] in made for field in step.touched.reads.get(function, ()))


def _deciding(step: Step, known: Collection[int]) -> set[int]:
    """What decides which way is taken: it is asked in a test, or gives the object whose method runs on the way."""
    asking = step.index.definitions(sorted((step.above | set(known)) & step.within - step.machinery))
    sites = sites_of(step.index, asking, Confidence.INFERRED)
    tested = set(_tested(step, sites, set(known)))
    given = set(_giving(step, [site for site in sites if site.caller.id in step.above]))
    return (tested | given) - set(known) - step.machinery


def _tested(step: Step, sites: Iterable[Site], known: Collection[int]) -> Iterator[int]:
    """What is run by the tests that lead to candidates."""
    by_caller: dict[int, list[Site]] = {}
    for site in sites:
        by_caller.setdefault(site.caller.id, []).append(site)
    for group in by_caller.values():
        guards = [guard for site in group if any(each.definition.id in known for each in site.targets) for guard in _guards(site)]
        text = "\n".join(dict.fromkeys(guards))
        for site in group:
            if site.expr in text:
                yield from (each.definition.id for each in site.targets if _only_reads(step, each.definition))


def _guards(site: Site) -> tuple[str, ...]:
    return (*site.guards, *site.expr_guards, *site.early_exit_guards)


def _only_reads(step: Step, definition: Definition) -> bool:
    """Whether a function changes nothing and runs no work: it can only tell."""
    region = step.region(definition.id)
    return bool(definition.place) and not any(step.touched.writes.get(one) for one in region) and step.working.isdisjoint(region)


def _giving(step: Step, sites: Iterable[Site]) -> Iterator[int]:
    """The functions whose results are the objects that run on the ways to the operations."""
    spans = cache(lambda place: _innermost_function(step.index, place))
    for site in sites:
        for target in (each for each in site.targets if each.definition.id in step.above):
            for link in evidence_chain(step.index, target.evidence):
                if link.kind is StepKind.RESULT and link.place and (one := spans(link.place)) is not None:
                    yield one.id


def _innermost_function(index: Index, place: Place) -> Definition | None:
    """The function that a line stands in, the innermost one; None where it stands in none."""
    query = """SELECT id FROM symbol WHERE file = ? AND line <= ? AND end_line >= ? AND kind IN ('function', 'method', 'property')
        ORDER BY line DESC LIMIT 1"""
    found = index.definitions(number for (number,) in index.rows(query, index.file_ids[place.file], place.line, place.line))
    return found[0] if found else None
