"""What must stay true of a code base for something that leans on it, as data: contracts, and how they fared."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from flowmap.model.place import Place
from flowmap.model.program import Definition
from flowmap.model.query import Anchors, Only


class ContractKind(StrEnum):
    """What a contract says. The manual (`docs/how-to/hold-a-contract.md`) tells what each asks for."""

    ANCHOR_EXISTS = "anchor-exists"
    FIELD_EXISTS = "field-exists"
    SIGNATURE = "signature"
    CALLS = "calls"
    REACHES = "reaches"
    NEVER_CALLS = "never-calls"
    CALLS_IN_ORDER = "calls-in-order"
    ONLY_CALL_SITE = "only-call-site"
    CALLED_ONLY_IN = "called-only-in"
    GUARDED_BY = "guarded-by"
    READS = "reads"
    WRITES = "writes"
    READS_ONLY_IN = "reads-only-in"
    WRITES_ONLY_IN = "writes-only-in"
    SUBCLASS_OF = "subclass-of"
    MRO_PROVIDES = "mro-provides"


class Distance(StrEnum):
    """How far away a call may be."""

    ANY = "any"
    DIRECT = "direct"


@dataclass(frozen=True, slots=True)
class Contract:
    """One thing that must be so. Which of the fields mean something depends on the kind; `()` and "" are for the others.

    `written`: where the contract stands, in its own file. In releases before `since` and after `until` it says nothing. `inside`
    and `modules` say where something must happen, `only` which of the calls and accesses count at all.
    """

    name: str
    kind: ContractKind
    why: str
    written: Place
    of: Anchors = ()
    inside: Anchors = ()
    modules: tuple[str, ...] = ()
    fields: Anchors = ()
    classes: Anchors = ()
    bases: Anchors = ()
    method: str = ""
    definition: Anchors = ()
    parameters: tuple[str, ...] = ()
    guards: tuple[str, ...] = ()
    distance: Distance = Distance.ANY
    only: Only = Only()  # noqa: RUF009 - frozen
    since: str = ""
    until: str = ""


@dataclass(frozen=True, slots=True)
class ContractFile:
    """The contracts of one file. `about`: the project that they speak of, "" for any; `what`: what leans on them, in words."""

    name: str
    shown: str
    about: str
    what: str
    contracts: tuple[Contract, ...]


class Standing(StrEnum):
    """How a contract fares in one index."""

    HOLDS = "holds"
    BROKEN = "broken"
    SILENT = "says nothing of this release"


@dataclass(frozen=True, slots=True)
class Near:
    """What may be meant, or where something is instead: a name, and its place where it has one in the indexed code."""

    name: str
    place: Place | None


@dataclass(frozen=True, slots=True)
class Breach:
    """One way in which a contract is broken.

    `key` names it in every release alike, whatever the lines are. `place` is where it shows; None where nothing is there to be
    shown. `near` is told behind `lead`; `n_more` of them are left out.
    """

    key: str
    what: str
    place: Place | None
    lead: str = ""
    near: tuple[Near, ...] = ()
    n_more: int = 0


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a contract fares: `breaches` of a broken one, `places` that show that it holds; `meant`: the functions and classes that
    its names stand for in this index."""

    contract: Contract
    standing: Standing
    breaches: tuple[Breach, ...]
    places: tuple[Place, ...]
    meant: tuple[Definition, ...]
