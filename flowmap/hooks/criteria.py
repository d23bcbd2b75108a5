"""What a candidate is judged by. Each criterion says what it counts, and where; `weights.toml` says how much that is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from flowmap.hooks.obligations import line_of, lives_on
from flowmap.hooks.step import Step
from flowmap.hooks.weights import Weights
from flowmap.model.hooks import Criterion, CriterionName, HookRole, Obligation, Sight, Standing
from flowmap.model.place import Place
from flowmap.model.program import Definition, Site


@dataclass(frozen=True, slots=True)
class Case:
    """All that is known of a candidate before it is judged."""

    step: Step
    definition: Definition
    standing: Standing
    role: HookRole
    obligations: tuple[Obligation, ...]
    static: tuple[Place, ...]
    live: tuple[Site, ...]
    sees: tuple[Sight, ...]
    recorded: frozenset[int]  # what runs while calls are recorded
    sized: frozenset[int]  # the functions that hand on a size which follows from the constants
    sizes: tuple[Place, ...]  # where such sizes are allocated


N_NAMED = 6
Found = tuple[CriterionName, int, str, Sequence[Place]]  # the criterion, how many things it counts, what it says, where


def judged(case: Case, weights: Weights) -> tuple[Criterion, ...]:
    """Every criterion that applies, in the order of `CRITERIA`."""
    return tuple(
        Criterion(name, weights.of(name, number), says, tuple(dict.fromkeys(places)), name in weights.bars)
        for find in CRITERIA
        for name, number, says, places in find(case)
    )


def covers(case: Case) -> Iterator[Found]:
    """The operations that do not run where the candidate does not."""
    covered = covered_by(case.step, case.definition.id)
    if covered and case.role is HookRole.SKIP:
        names = " and ".join(one.short for one in covered)
        yield CriterionName.COVERS, len(covered), f"bypasses {names}", _at(covered)


def passed(case: Case) -> Iterator[Found]:
    """The share of the ways from the entry points to the operations that pass through the candidate."""
    share = case.step.shares.get(case.definition.id, 0.0)
    if share:
        yield CriterionName.PASSED, round(share), f"{share:.0%} of the ways to the operations pass here", _places(case.live)


def leaves(case: Case) -> Iterator[Found]:
    """Operations that run all the same."""
    covered = covered_by(case.step, case.definition.id)
    left = [one for one in case.step.index.definitions(case.step.operations) if one not in covered]
    if covered and left:
        yield CriterionName.LEAVES, len(left), f"{' and '.join(one.short for one in left)} runs all the same", _at(left)


def paid(case: Case) -> Iterator[Found]:
    """An operation that it does not bypass has run before it, in the same step."""
    covered = covered_by(case.step, case.definition.id)
    others = [one for one in case.step.index.definitions(case.step.operations) if one not in covered]
    for one in others if covered else ():
        if any(True for _ in case.step.places_before(one.id, case.definition.id)):
            yield CriterionName.PAID, 1, f"{one.short} has run by then, and is paid for", _at([one])


def living_on(case: Case) -> Iterator[Found]:
    """Fields of objects that are there after the step, which the region changes and other code reads; those left out that an
    operation which runs afterwards writes anew."""
    anew = _written_anew(case)
    kept = {one.short for one in case.step.index.definitions(sorted(case.step.touched.kept))}
    found = [one for one in case.obligations if lives_on(kept, one) and one.name not in anew]
    if found:
        says = f"{_listed([one.name for one in found])}: kept after the step"
        yield CriterionName.LIVES_ON, len(found), says, [one.writes[0] for one in found]


def _written_anew(case: Case) -> set[str]:
    step, function = case.step, case.definition.id
    covered = {one.id for one in covered_by(step, function)}
    left = [one for one in step.operations if one not in covered] if covered else []
    later = [one for one in left if any(True for _ in step.places_before(function, one))]
    written = step.touched.written_by(step.calls.reached(later) - step.machinery)
    known = step.index.known({owner for owner, _ in written})
    return {f"{known[owner].short}.{name}" for owner, name in written}


def entrances(case: Case) -> Iterator[Found]:
    """Call sites beyond the first: other modes and other loops go through it, too."""
    if len(case.static) > 1:
        says = f"{len(case.static)} call sites enter it, {len(case.live)} of them in this configuration"
        yield CriterionName.ENTRANCES, len(case.static) - 1, says, case.static


def saves_nothing(case: Case) -> Iterator[Found]:
    """None of the work runs below it."""
    if case.role is HookRole.SKIP and case.definition.id not in case.step.working:
        yield CriterionName.NOTHING_SAVED, 1, "none of the work that makes a step dear runs below it", ()


def in_sight(case: Case) -> Iterator[Found]:
    """A signal can be read there: that is all that observing needs."""
    if case.role is HookRole.OBSERVE and case.sees:
        names = " and ".join(dict.fromkeys(one.signal for one in case.sees))
        yield CriterionName.SIGNAL, 1, f"{names} can be read there", [one.place for one in case.sees]


def frozen(case: Case) -> Iterator[Found]:
    """A call site that runs while calls are recorded: what is decided there is decided once, and replayed."""
    recorded = [site for site in case.live if site.caller.id in case.recorded]
    if recorded:
        says = "runs while a graph is recorded; the graph is replayed without it"
        yield CriterionName.FROZEN, 1, says, _places(recorded)


def completes(case: Case) -> Iterator[Found]:
    """It gives fields to objects that the operations make and hand on, and nothing between them and the readers does."""
    if case.standing is not Standing.AFTER or case.role is not HookRole.SKIP:
        return
    step = case.step
    inside = step.below - step.machinery
    made = step.made_in(inside)
    own = _fields_given(step, step.region(case.definition.id), made)
    missing = [one for one in case.obligations if one.name in own - _fields_given(step, inside, made)]
    if missing:
        says = f"{_listed([one.name for one in missing])}: missing then, where later code reads it"
        yield CriterionName.COMPLETES, 1, says, [place for one in missing for place in (one.writes[0], one.reads[0])]


def _fields_given(step: Step, functions: frozenset[int], made: frozenset[int]) -> set[str]:
    """The fields of objects of some classes that functions write, those left out that a class gives its own objects."""
    own = step.touched.own_methods
    names = {one.id: one.short for one in step.index.definitions(made)}
    return {
        f"{names[owner]}.{name}"
        for function in functions
        for owner, name in step.touched.writes.get(function, ())
        if owner in made and (owner, function) not in own
    }


def fixed_size(case: Case) -> Iterator[Found]:
    """It prepares an operation in a size that is fixed elsewhere: with another size, what was allocated does not fit."""
    if case.standing is Standing.BELOW and case.role is HookRole.SKIP and case.definition.id in case.sized and case.sizes:
        says = f"prepares sizes that {len(case.sizes)} allocations elsewhere have fixed"
        yield CriterionName.FIXED_SIZE, 1, says, case.sizes[:3]


CRITERIA: tuple[Callable[[Case], Iterator[Found]], ...] = (
    covers,
    passed,
    leaves,
    paid,
    living_on,
    entrances,
    saves_nothing,
    in_sight,
    frozen,
    completes,
    fixed_size,
)


def covered_by(step: Step, function: int) -> list[Definition]:
    """The operations that a function is, or runs on a way that cannot go round it."""
    region = step.calls.reached([function]) if step.shares.get(function) else ()
    return step.index.definitions(one for one in step.operations if one in region)


def _listed(names: Sequence[str]) -> str:
    more = [f"{len(names) - N_NAMED} more"] if len(names) > N_NAMED else []
    return ", ".join([*names[:N_NAMED], *more])


def _at(definitions: Sequence[Definition]) -> list[Place]:
    return [one.place for one in definitions if one.place]


def _places(sites: Sequence[Site]) -> list[Place]:
    return [line_of(site) for site in sites]
