"""Accesses of fields: what happens to a field at a place, and at which stage of its life."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from flowmap.model.place import Place
from flowmap.model.program import Confidence, Definition


class AccessKind(StrEnum):
    """What is done to a field. The index keeps the position of a member: a new one goes to the end."""

    READ = "read"
    WRITE = "write"
    AUGWRITE = "augwrite"  # `x.f += 1`
    MUTATE = "mutate"  # its value is changed in place


class LifeStage(StrEnum):
    """What an access is in the life of the field's value. The index keeps the position of a member."""

    DECLARED = "declared"  # in the body of its class
    BORN = "born"  # made by a call, a literal, a computation
    STORED = "stored"  # comes from elsewhere and becomes the field
    LOADED = "loaded"  # read
    DERIVED = "derived"  # read, and something else is computed of it at once
    UPDATED = "updated"  # changed in place
    DROPPED = "dropped"  # deleted, or overwritten by None


class Access(NamedTuple):
    """One access of a field. Guards as at call sites. `via` is the expression that it is read off, or what is called."""

    field: str
    owners: tuple[Definition, ...]  # () where the receiver is unknown or outside the index
    place: Place
    function: Definition
    kind: AccessKind
    stage: LifeStage
    expr: str
    via: str
    confidence: Confidence
    guards: tuple[str, ...]
    expr_guards: tuple[str, ...]
    early_exit_guards: tuple[str, ...]
