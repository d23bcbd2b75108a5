"""Finds the fields that a command is asked about: `FIELD` or `CLASS.FIELD`, with the class to which they must belong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flowmap.model.access import Access
from flowmap.model.problem import ExitCode, FlowmapError, Problem
from flowmap.model.program import Confidence, Definition, DefinitionKind
from flowmap.reports.phrases import count, short_name
from flowmap.reports.subjects import find_class
from flowmap.store.accesses import accesses_of, nearest_fields, owned_by, owner_counts
from flowmap.store.index import Index
from flowmap.store.names import named

_N_OWNERS = 3
_CALLED = (DefinitionKind.METHOD, DefinitionKind.PROPERTY, DefinitionKind.FUNCTION)


@dataclass(frozen=True, slots=True)
class AskedField:
    """A field by its name, and the class that it is asked of; None for all classes."""

    name: str
    owner: Definition | None


def asked_field(index: Index, text: str, owner: str | None) -> AskedField:
    """What `FIELD` or `CLASS.FIELD` means.

    Errors: FlowmapError when the class is unknown or ambiguous, or no field is named.
    """
    written, dot, name = text.strip().rpartition(".")
    if not name or (dot and not written):
        raise FlowmapError(Problem(text, "names no field", "Write FIELD or CLASS.FIELD."), code=ExitCode.USAGE)
    cls = owner or written
    if not cls:
        return AskedField(name, None)
    found = _class_with(index, cls, name)
    return AskedField(private(found.name, name), found)


def private(cls: str, name: str) -> str:
    """The name of a field as Python has it: inside a class, one that begins with two underscores gets the class's name."""
    return f"_{cls.lstrip('_')}{name}" if name.startswith("__") and not name.endswith("__") else name


def _class_with(index: Index, text: str, field: str) -> Definition:
    """The class that `text` names; of several the only one that has the field."""
    classes = [] if ":" in text else [each for each in named(index, text) if each.kind is DefinitionKind.CLASS]
    owners = set(owner_counts(index, [field]).get(field, ())) if len(classes) > 1 else set()
    having = [each for each in classes if each.symbol in owners]
    return having[0] if len({each.symbol for each in having}) == 1 else find_class(index, text)


def accesses_asked(index: Index, fields: Sequence[AskedField], confidence: Confidence) -> tuple[Access, ...]:
    """The accesses of these fields, by file, line and column.

    Errors: FlowmapError when a field does not exist (with the nearest names and their owners), or its class does not have it
    (with those that do).
    """
    found = accesses_of(index, [one.name for one in fields], Confidence.POSSIBLE)
    kept: dict[Access, None] = {}
    for one in fields:
        own = [access for access in found if access.field == one.name]
        if not own:
            raise _unknown(index, one)
        kept.update((access, None) for access in _of_owner(index, one, own))
    strengths = list(Confidence)
    limit = strengths.index(confidence)
    return tuple(access for access in found if access in kept and strengths.index(access.confidence) <= limit)


def _of_owner(index: Index, field: AskedField, found: Sequence[Access]) -> Sequence[Access]:
    """Those of a class; of the nearest class of its order that has the field where it has none of its own."""
    if field.owner is None:
        return found
    own = owned_by(index, field.owner, found)
    if not own:
        raise _not_of(field, found)
    return own


def _unknown(index: Index, field: AskedField) -> FlowmapError:
    name = field.name
    meant = named(index, f"{field.owner.symbol}.{name}" if field.owner else name)
    method = next((each for each in meant if each.kind in _CALLED), None)
    if method is not None:
        what = f"is a {method.kind.value}, and no class of the index has a field of this name"
        return FlowmapError(Problem(name, what, f"flowmap callers {short_name(method)}"), code=ExitCode.FINDING)
    nearest = nearest_fields(index, name)
    owners = owner_counts(index, nearest)
    texts = [f"{each} ({_owners(list(owners.get(each, {})))})" for each in nearest]
    fix = f"Did you mean {', or '.join(texts)}?" if texts else "Nothing is like it; a local, a parameter or a method is no field."
    return FlowmapError(Problem(name, "no class of the index has a field of this name", fix), code=ExitCode.FINDING)


def _owners(symbols: Sequence[str]) -> str:
    if not symbols:
        return "owner unknown"
    names = [symbol.rpartition(".")[2] for symbol in symbols[:_N_OWNERS]]
    rest = len(symbols) - _N_OWNERS
    return f"of {', '.join(names)}" + (f" and {count(rest, 'more class', 'more classes')}" if rest > 0 else "")


def _not_of(field: AskedField, found: Sequence[Access]) -> FlowmapError:
    assert field.owner is not None, "there is a class that does not have it"
    owners = sorted({short_name(owner) for access in found for owner in access.owners})
    what = f"{short_name(field.owner)} has no field of this name"
    fix = f"Classes that have one: {', '.join(owners)}." if owners else "Its owners are unknown."
    return FlowmapError(Problem(field.name, what, fix), code=ExitCode.FINDING)
