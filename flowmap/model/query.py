"""A question about a code base, as data: what is looked for, which of it counts, what is shown, and what is expected."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from flowmap.model.access import AccessKind
from flowmap.model.program import SiteKind


@dataclass(frozen=True, slots=True)
class Name:
    """The end of a symbol, or CLASS.FIELD; `*` stands for any text. In releases before `since` and after `until` it is not
    looked for; "" leaves that end open."""

    text: str
    since: str = ""
    until: str = ""


@dataclass(frozen=True, slots=True)
class Anchor:
    """One thing, by the names that it has had: the first one that exists counts."""

    names: tuple[Name, ...]

    def __str__(self) -> str:
        return " or ".join(name.text for name in self.names)


Anchors = tuple[Anchor, ...]


@dataclass(frozen=True, slots=True)
class Only:
    """Which of what is found counts; () leaves nothing out. `says`: texts of which its code contains one. Guards are texts that
    one of a place's guards contains."""

    access: tuple[AccessKind, ...] = ()
    kind: tuple[SiteKind, ...] = ()
    in_module: tuple[str, ...] = ()
    not_in_module: tuple[str, ...] = ()
    in_function: Anchors = ()
    reached_from: Anchors = ()
    guarded_by: tuple[str, ...] = ()
    not_guarded_by: tuple[str, ...] = ()
    says: tuple[str, ...] = ()
    with_value_of: Anchors = ()


EVERYTHING = "*"  # as the name of a call: whatever is called in the functions of the filter `in_function`


@dataclass(frozen=True, slots=True)
class Find:
    """One thing that a query looks for: accesses of fields, call sites that run `calls`, definitions of `functions`."""

    what: str
    fields: Anchors
    calls: Anchors
    functions: Anchors
    only: Only


class Show(StrEnum):
    """What is shown of an answer besides its place, its function and its code."""

    ACCESS = "access"  # the kind of access and the stage of the value's life; of a call what makes it run
    OWNER = "owner"  # of a field
    TARGETS = "targets"  # what a call may run
    GUARDS = "guards"  # the statements around it
    CONDITIONS = "conditions"  # every guard: inside the expression, and early exits before it, too


@dataclass(frozen=True, slots=True)
class Expectation:
    """What must be so in a release: how many answers there are (-1: as many as there may be), and in which functions."""

    release: str
    at_least: int
    at_most: int
    in_functions: tuple[str, ...]
    not_in_functions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Query:
    """A question in words with all that answers it. `about`: the project that it speaks of, "" for any."""

    name: str
    question: str
    about: str
    finds: tuple[Find, ...]
    show: tuple[Show, ...]
    expectations: tuple[Expectation, ...]
