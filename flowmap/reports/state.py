"""`flowmap state`: every access of a field, by owner and by the stage of its value's life."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from flowmap.model.access import Access, AccessKind, LifeStage
from flowmap.model.program import Confidence, Definition
from flowmap.model.view import Block, Line, Paragraph, Role, Span, Tree, TreeNode, View
from flowmap.reports.abridged import abridged
from flowmap.reports.fields import accesses_asked, asked_field
from flowmap.reports.phrases import (
    GAP,
    Detail,
    blank,
    count,
    early_exits,
    expression_guards,
    guard_line,
    mark,
    note,
    place_span,
    short_name,
    symbol_span,
)
from flowmap.store.accesses import by_computed_names
from flowmap.store.index import Index

_LEGEND = "~ inferred, ? possible; accesses without a mark are proven"
_NO_OWNER = "owner unknown"
_LONGEST_EXPRESSION = 72
_N_OWNERS_NAMED = 6
_OWN = ("self", "cls")


@dataclass(frozen=True, slots=True)
class StateQuestion:
    """Which fields are asked for, of which class, which kinds of access; from which confidence on, and how much is said."""

    fields: tuple[str, ...]
    owner: str | None
    kinds: tuple[AccessKind, ...]  # () for all
    confidence: Confidence
    detail: Detail


@dataclass(frozen=True, slots=True)
class AccessRecord:
    """An access, in the words of `flowmap export state`, with its stage, what it goes through, and its guards."""

    field: str
    owners: tuple[str, ...]
    file: str
    line: int
    col: int
    function: str
    access: AccessKind
    stage: LifeStage
    expr: str
    via: str
    confidence: Confidence
    guards: tuple[str, ...]
    expr_guards: tuple[str, ...]
    early_exit_guards: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StateRecord:
    """The accesses of the fields that were asked for."""

    fields: tuple[str, ...]
    accesses: tuple[AccessRecord, ...]


def accesses_for(index: Index, question: StateQuestion) -> tuple[Access, ...]:
    """The accesses that a question asks for, by file, line and column.

    Errors: FlowmapError when a field or class is unknown, or the class does not have the field.
    """
    asked = [asked_field(index, text, question.owner) for text in question.fields]
    found = accesses_asked(index, asked, question.confidence)
    return tuple(access for access in found if not question.kinds or access.kind in question.kinds)


def state(index: Index, question: StateQuestion) -> View:
    """All accesses of some fields: grouped by owner, and within by life stage.

    Errors: as `accesses_for`.
    """
    found = accesses_for(index, question)
    names = tuple(dict.fromkeys(text.rpartition(".")[2] for text in question.fields))
    groups = _groups(found)
    blocks: list[Block] = [Paragraph((note(_counted(found)),))]
    if len(groups) > 1:
        blocks.append(Paragraph((note("owners: "), Span(_owners_counted(groups)))))
    for owners, own in groups.items():
        blocks.extend((blank(), Paragraph(_heading(index, owners, own)), Tree(_stages(index, own, question.detail))))
    record = StateRecord(names, tuple(map(access_record, found)))
    title: Line = (Span(", ".join(question.fields), Role.SYMBOL),)
    return View(title, tuple(blocks), record, index.source, (*_computed(index, names, groups), _LEGEND))


def access_record(access: Access) -> AccessRecord:
    """The record of an access."""
    return AccessRecord(
        field=access.field,
        owners=tuple(owner.symbol for owner in access.owners),
        file=access.place.file,
        line=access.place.line,
        col=access.place.col,
        function=access.function.symbol,
        access=access.kind,
        stage=access.stage,
        expr=access.expr,
        via=access.via,
        confidence=access.confidence,
        guards=access.guards,
        expr_guards=access.expr_guards,
        early_exit_guards=access.early_exit_guards,
    )


_Groups = dict[tuple[Definition, ...], list[Access]]


def _groups(found: Iterable[Access]) -> _Groups:
    """By owners: one class before several, none last; within, those with the most accesses first."""
    groups: _Groups = {}
    for access in found:
        groups.setdefault(access.owners, []).append(access)
    order = sorted(groups, key=lambda owners: (not owners, len(owners), -len(groups[owners]), [one.symbol for one in owners]))
    return {owners: groups[owners] for owners in order}


def _counted(found: Sequence[Access]) -> str:
    if not found:
        return "no access that is known this surely"
    kinds = Counter(access.kind for access in found)
    parts = ", ".join(f"{kinds[kind]:,} {kind.value}" for kind in AccessKind if kinds[kind])
    return f"{count(len(found), 'access', 'accesses')} ({parts}) in {count(len({each.function for each in found}), 'function')}"


def _owners_counted(groups: _Groups) -> str:
    return ", ".join(f"{_names(owners)} {len(own):,}" for owners, own in groups.items())


def _names(owners: Sequence[Definition]) -> str:
    rest = len(owners) - _N_OWNERS_NAMED
    more = [f"{rest} more"] if rest > 0 else []
    return " or ".join([*map(short_name, owners[:_N_OWNERS_NAMED]), *more]) or _NO_OWNER


def _heading(index: Index, owners: Sequence[Definition], own: Sequence[Access]) -> Line:
    place: Line = (GAP, note(place_span(index, owners[0].place).text)) if len(owners) == 1 and owners[0].place else ()
    texts = [] if owners else ["the receiver is unknown or comes from outside the index"]
    if owners and _is_stored_outside(own):
        texts = ["stored only by code outside of the class, which does not declare it"]
    why: Line = tuple(span for text in texts for span in (GAP, note(text)))
    return (Span(_names(owners), Role.HEADING), *place, *why, GAP, note(count(len(own), "access", "accesses")))


def _is_stored_outside(own: Sequence[Access]) -> bool:
    """Whether all that is written is written from outside: not declared, not through `self`, not by a constructor."""
    writes = [access for access in own if access.kind in (AccessKind.WRITE, AccessKind.AUGWRITE)]
    return bool(writes) and all(
        access.stage is not LifeStage.DECLARED
        and access.via not in _OWN
        and not access.expr.startswith((f"{access.field}=", *(f"{access.via}({own}," for own in _OWN)))
        and not any(access.function.symbol.startswith(f"{owner.symbol}.") for owner in access.owners)
        for access in writes
    )


def _stages(index: Index, own: Sequence[Access], detail: Detail) -> tuple[TreeNode, ...]:
    by_stage = {stage: [access for access in own if access.stage is stage] for stage in LifeStage}
    return tuple(
        TreeNode((note(stage.value),), tuple(_row(index, access, detail) for access in accesses))
        for stage, accesses in by_stage.items()
        if accesses
    )


def _row(index: Index, access: Access, detail: Detail) -> TreeNode:
    expr = access.expr if detail is Detail.FULL else abridged(access.expr, _LONGEST_EXPRESSION)
    place, function = place_span(index, access.place), symbol_span(access.function)
    is_plain = access.stage is LifeStage.DECLARED or access.expr.startswith(access.via)
    through: Line = () if is_plain else (GAP, note(f"through {access.via}"))
    line = (place, GAP, *mark(access.confidence), function, GAP, Span(expr, Role.CODE), *through)
    return TreeNode(line, (), _guards(access, detail))


def _guards(access: Access, detail: Detail) -> tuple[Line, ...]:
    inside = expression_guards(access.expr_guards, detail)
    lines = (guard_line(access.guards, detail), inside, early_exits(access.early_exit_guards, detail))
    return tuple(line for line in lines if line)


def _computed(index: Index, names: Sequence[str], groups: _Groups) -> tuple[str, ...]:
    """What is said of accesses by computed names."""
    owners = list(dict.fromkeys(owner for group in groups for owner in group))
    places = {access.place: None for name in names for access in by_computed_names(index, name, owners)}
    if not places:
        return ()
    shown = ", ".join(f"{index.short_paths[place.file]}:{place.line}" for place in list(places)[:_N_OWNERS_NAMED])
    more = ", …" if len(places) > _N_OWNERS_NAMED else ""
    return (f"{count(len(places), 'access', 'accesses')} by a computed name may mean it, too: {shown}{more}",)
