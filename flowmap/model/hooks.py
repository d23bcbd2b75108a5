"""Hook points: where work can be bypassed, what has to be done instead, and what that is judged by."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from flowmap.model.place import Place
from flowmap.model.program import Definition
from flowmap.model.query import Anchors, Find


class HookRole(StrEnum):
    """What a function could be hooked for."""

    SKIP = "skip"  # work could be bypassed there
    OBSERVE = "observe"  # a signal can be read there
    RESERVE = "reserve"  # only sizes are decided there
    SELECT = "select"  # which worker or which mode runs is decided there
    ORACLE = "oracle"  # changes the result, saves nothing


class Verdict(StrEnum):
    """How well a candidate serves, the best first."""

    CLEAN = "clean"
    WITH_CARE = "with care"
    HARD = "hard"
    INFEASIBLE = "infeasible"


class Standing(StrEnum):
    """Where a candidate stands to the operations that are to be bypassed."""

    OPERATION = "operation"  # one of them
    ABOVE = "above"  # on a way from an entry point to one of them
    BELOW = "below"  # one of them runs it
    BEFORE = "before"  # prepares what they read
    AFTER = "after"  # reads what they wrote
    BESIDE = "beside"  # decides which way is taken


class ObligationKind(StrEnum):
    """What has to be done instead of a region that is bypassed."""

    FIELD = "field"  # a field of an object that lives on: written there, read elsewhere
    RESULT = "result"  # a field of an object that the region makes and hands out
    RESOURCE = "resource"  # acquired there
    SHAPE = "shape"  # a size elsewhere that follows from the same constants
    TIMING = "timing"  # the result is taken up later than it is made
    RANKS = "ranks"  # all ranks take part in what runs there


@dataclass(frozen=True, slots=True)
class Obligation:
    """One thing to be done otherwise. `writes` are the places in the region, `reads` those outside that depend on it."""

    kind: ObligationKind
    name: str  # of a field with its owner: `Request.length`
    writes: tuple[Place, ...]
    reads: tuple[Place, ...]


class CriterionName(StrEnum):
    """What a candidate is judged by; `hooks/weights.toml` says how much each counts."""

    COVERS = "covers an operation"
    PASSED = "share of the ways"
    LEAVES = "leaves an operation to run"
    PAID = "an operation has run before"
    LIVES_ON = "changes an object that lives on"
    ENTRANCES = "entered from several places"
    NOTHING_SAVED = "saves no work"
    SIGNAL = "a signal can be read"
    FROZEN = "recorded, then replayed without it"
    COMPLETES = "completes what the operations hand out"
    FIXED_SIZE = "sizes are fixed elsewhere"


@dataclass(frozen=True, slots=True)
class Criterion:
    """One reason of a verdict, with what it counts and the places that show it. `bars`: it alone makes a hook infeasible."""

    name: CriterionName
    points: int
    says: str
    sites: tuple[Place, ...]
    bars: bool


@dataclass(frozen=True, slots=True)
class Sight:
    """A signal that can be read at a candidate, and the place that shows it: `what` is a field, with its owner."""

    signal: str
    what: str
    place: Place


@dataclass(frozen=True, slots=True)
class Candidate:
    """A function where something could be hooked in, and all that is known for and against it."""

    definition: Definition
    standing: Standing
    role: HookRole
    verdict: Verdict
    points: int
    share: float  # of the ways from the entry points to the operations, those that pass through it; 0 to 1
    covers: tuple[Definition, ...]  # the operations that do not run where it does not
    call_sites: tuple[Place, ...]  # all there are in the text
    live_call_sites: tuple[Place, ...]  # those that the configuration leaves
    sees: tuple[Sight, ...]
    obligations: tuple[Obligation, ...]
    criteria: tuple[Criterion, ...]


@dataclass(frozen=True, slots=True)
class HookPoints:
    """The candidates of one configuration, the best first. `notes`: what was left out, and why."""

    profile: str
    entries: tuple[Definition, ...]
    operations: tuple[Definition, ...]
    candidates: tuple[Candidate, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Signal:
    """Something that a policy wants to know, and the fields that tell it."""

    name: str
    fields: Anchors


@dataclass(frozen=True, slots=True)
class HookQuestion:
    """What is to be bypassed, and what has to be known for that. Only `bypass` must be given.

    `work`: what makes an operation dear. `machinery`: what runs a model, a store, a device; it is not looked into.
    `records`: what records calls to replay them later. `constants`: fields that sizes follow from, in `sizes`. `shows`: what a
    reader should see beside the candidates, under each configuration.
    """

    name: str
    question: str
    about: str
    bypass: Anchors
    entries: Anchors = ()
    work: Anchors = ()
    machinery: tuple[str, ...] = ()
    records: Anchors = ()
    acquires: Anchors = ()
    collectives: Anchors = ()
    constants: Anchors = ()
    sizes: Anchors = ()
    results: Anchors = ()
    signals: tuple[Signal, ...] = ()
    shows: tuple[Find, ...] = ()
    profiles: tuple[str, ...] = ()
