"""What a query finds: accesses, call sites and definitions, seen as one kind of thing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from flowmap.model.access import Access
from flowmap.model.place import Place
from flowmap.model.program import Confidence, Definition, Site
from flowmap.model.query import Find, Query

Found = Access | Site | Definition


@dataclass(frozen=True, slots=True)
class Hit:
    """One answer. `name`: that of the anchor by which it was found; `confidence`: how sure it is that this is meant."""

    name: str
    found: Found
    confidence: Confidence

    @property
    def place(self) -> Place:
        """Where it stands."""
        assert self.found.place is not None, "what stands outside of the index is no answer"
        return self.found.place

    @property
    def function(self) -> Definition:
        """The function, class or module that it stands in; a definition stands for itself."""
        match self.found:
            case Access(function=function):
                return function
            case Site(caller=caller):
                return caller
            case Definition():
                return self.found
            case _:
                assert_never(self.found)

    @property
    def code(self) -> str:
        """What stands there; of a definition its signature."""
        return self.found.signature if isinstance(self.found, Definition) else self.found.expr

    @property
    def guards(self) -> tuple[str, ...]:
        """All that must hold for it, of every kind."""
        match self.found:
            case Access() | Site():
                return (*self.found.guards, *self.found.expr_guards, *self.found.early_exit_guards)
            case Definition():
                return ()
            case _:
                assert_never(self.found)


@dataclass(frozen=True, slots=True)
class Answered:
    """What one [[find]] of a query found, by anchor and place, what is to be said of it, and which of its anchors are not in this
    release, as the query itself says."""

    find: Find
    hits: tuple[Hit, ...]
    notes: tuple[str, ...]
    absent: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a query found."""

    query: Query
    parts: tuple[Answered, ...]

    @property
    def hits(self) -> tuple[Hit, ...]:
        """All answers, those of the first [[find]] first; one that several parts found stands once."""
        return tuple({hit.found: hit for part in self.parts for hit in part.hits}.values())
