"""`flowmap diff`: what of calls, guards, class orders and fields is different between two states of a code base."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from flowmap.contracts.parameters import parts_in
from flowmap.model.change import (
    AccessChange,
    CallChange,
    Defined,
    Diff,
    FieldChange,
    GuardChange,
    Renamed,
    Reordered,
    Resigned,
    Side,
)
from flowmap.model.place import Place
from flowmap.model.view import Block, Line, Paragraph, Role, Section, Span, Tree, TreeNode, View
from flowmap.reports.abridged import abridged
from flowmap.reports.phrases import GAP, blank, count, heading, note
from flowmap.store.index import Index

Each = TypeVar("Each")
_LONGEST = 72
_N_NAMES = 4
_SIGNS = {Side.APPEARED: "+ ", Side.VANISHED: "- "}
_VERBS = {"read": "reads", "write": "writes", "augwrite": "counts up", "mutate": "changes in place", "declare": "declares"}


@dataclass(frozen=True, slots=True)
class Names:
    """How symbols and files are shown: with as much as tells them from the others."""

    modules: frozenset[str]
    paths: dict[str, str]

    def of(self, symbol: str) -> str:
        """A symbol without its module."""
        bare = symbol.removeprefix("ext:")
        module = bare
        while module and module not in self.modules:
            module = module.rpartition(".")[0]
        return (bare.removeprefix(f"{module}.") if module and module != bare else bare).replace(".<locals>", "")

    def at(self, place: Place | None) -> tuple[Span, ...]:
        """A place, where there is one."""
        return (GAP, Span(f"{self.paths.get(place.file, place.file)}:{place.line}", Role.PLACE, place)) if place else ()

    def was(self, place: Place | None) -> tuple[Span, ...]:
        """A place before the change: it leads nowhere now."""
        return (GAP, note(f"was {self.paths.get(place.file, place.file)}:{place.line}")) if place else ()


def diff(told: Diff, names: Names, most: int) -> View:
    """All differences, at most so many lines of a sort; more are counted."""
    blocks: list[Block] = []
    for section in sections(told, names, most):
        blocks += [blank(), heading(section.title, f"{section.number:,}"), section.tree]
    title = (Span(told.before, Role.SYMBOL), Span(" → "), Span(told.after, Role.SYMBOL))
    return View(
        title, (Paragraph((note(summary(told)),)), *blocks), told, f"{told.before} → {told.after}", tuple(_notes(told, names))
    )


def _notes(told: Diff, names: Names) -> Iterator[str]:
    if told.edited:
        shown = ", ".join(names.of(symbol) for symbol in told.edited[:_N_NAMES])
        more = f" and {len(told.edited) - _N_NAMES:,} more" if len(told.edited) > _N_NAMES else ""
        yield f"say something else, with the same calls, guards and fields: {shown}{more}"


def summary(told: Diff) -> str:
    """All that is different, counted."""
    calls = [one for one in told.calls if not one.is_outside]
    outside = len(told.calls) - len(calls)
    counted = (
        (len(told.renamed), "moved or renamed", "moved or renamed"),
        (sum(one.side is Side.APPEARED for one in told.definitions), "new definition", "new definitions"),
        (sum(one.side is Side.VANISHED for one in told.definitions), "definition gone", "definitions gone"),
        (len(told.signatures), "other signature", "other signatures"),
        (len(told.orders), "other class order", "other class orders"),
        (len(told.fields), "field came or went", "fields came or went"),
        (sum(one.side is Side.APPEARED for one in calls), "call appeared", "calls appeared"),
        (sum(one.side is Side.VANISHED for one in calls), "call vanished", "calls vanished"),
        (outside, "call of code outside", "calls of code outside"),
        (len(told.guards), "change of guards", "changes of guards"),
        (len(told.accesses), "access of fields", "accesses of fields"),
        (len(told.edited), "other text", "other texts"),
    )
    return ", ".join(count(number, one, many) for number, one, many in counted if number) or "nothing is different"


def sections(told: Diff, names: Names, most: int) -> tuple[Section, ...]:
    """The differences by sort, those of which there are some; of each at most so many lines at its outermost."""
    inside = [one for one in told.calls if not one.is_outside]
    outside = [one for one in told.calls if one.is_outside]
    new = [one for one in told.definitions if one.side is Side.APPEARED]
    gone = [one for one in told.definitions if one.side is Side.VANISHED]
    found = (
        ("Moved and renamed", len(told.renamed), [renamed_node(one, names) for one in told.renamed]),
        ("New", len(new), [_defined(one, names) for one in new]),
        ("Gone", len(gone), [_defined(one, names) for one in gone]),
        ("Signatures", len(told.signatures), [_resigned(one, names) for one in told.signatures]),
        ("Class orders", len(told.orders), [_reordered(one, names) for one in told.orders]),
        ("Fields", len(told.fields), [field_node(one, names) for one in told.fields]),
        ("Calls", len(inside), list(_calls(inside, names))),
        ("Guards", len(told.guards), list(guard_nodes(told.guards, names))),
        ("Accesses of fields", len(told.accesses), list(access_nodes(told.accesses, names))),
        ("Calls of code outside", len(outside), list(_calls(outside, names))),
    )
    return tuple(Section(title, number, cut(nodes, most)) for title, number, nodes in found if nodes)


def cut(nodes: Sequence[TreeNode], most: int) -> Tree:
    """So many lines, and below each so many; more are counted."""
    return Tree(tuple(TreeNode(node.line, _first(node.children, most), node.below) for node in _first(nodes, most)))


def _first(nodes: Sequence[TreeNode], most: int) -> tuple[TreeNode, ...]:
    left = len(nodes) - most
    more = (TreeNode((note(f"and {left:,} more: --most {len(nodes)}"),)),) if left > 0 else ()
    return (*nodes[:most], *more)


def renamed_node(one: Renamed, names: Names) -> TreeNode:
    """What has another name."""
    before, after = names.of(one.before), names.of(one.after)
    if before == after:
        before, after = one.before, one.after
    likely = () if one.is_sure else (GAP, note("likely"))
    line = (Span(before, Role.CODE), Span(" → "), Span(after, Role.SYMBOL, one.place))
    return TreeNode((*line, *names.at(one.place), GAP, note(one.how), *likely))


def _defined(one: Defined, names: Names) -> TreeNode:
    told = [f"hides {names.of(one.hides)}"] if one.hides else []
    told += [f"{count(one.n_inside, 'definition')} in it"] if one.n_inside else []
    told += [count(one.n_calls, "call")] if one.n_calls else []
    told += [count(one.n_accesses, "access of fields", "accesses of fields")] if one.n_accesses else []
    head = Span(f"{names.of(one.symbol)}{abridged(one.signature, _LONGEST)}", Role.CODE)
    at = names.at(one.place) if one.side is Side.APPEARED else names.was(one.place)
    return TreeNode((Span(_SIGNS[one.side]), head, *at, *((GAP, note(", ".join(told))) if told else ())))


def _resigned(one: Resigned, names: Names) -> TreeNode:
    """What is no more, and what is new; the whole where only the order is another."""
    line = (Span(names.of(one.symbol), Role.SYMBOL, one.place), *names.at(one.place))
    before, after = parts_in(one.before), parts_in(one.after)
    fewer, more = [part for part in before if part not in after], [part for part in after if part not in before]
    if not fewer and not more:
        fewer, more = list(before), list(after)
    told = ((sign, ", ".join(parts)) for sign, parts in (("- ", fewer), ("+ ", more)) if parts)
    return TreeNode(line, (), tuple((Span(sign), Span(text, Role.CODE)) for sign, text in told))


def _reordered(one: Reordered, names: Names) -> TreeNode:
    below = (GAP, note(f"and {count(one.n_below, 'class', 'classes')} below")) if one.n_below else ()
    line = (Span(names.of(one.symbol), Role.SYMBOL, one.place), *names.at(one.place), *below)
    orders = ((sign, ", ".join(map(names.of, order))) for sign, order in (("- ", one.before), ("+ ", one.after)))
    return TreeNode(line, (), tuple((Span(sign), Span(text, Role.CODE)) for sign, text in orders))


def field_node(one: FieldChange, names: Names) -> TreeNode:
    """A field that came or went."""
    at = names.at(one.place) if one.side is Side.APPEARED else names.was(one.place)
    return TreeNode((Span(_SIGNS[one.side]), Span(f"{names.of(one.owner)}.{one.field}", Role.CODE), *at))


def _calls(changes: Sequence[CallChange], names: Names) -> Iterator[TreeNode]:
    """The changes by function."""
    for caller, found in _grouped((one.caller, one) for one in changes):
        yield TreeNode((Span(names.of(caller), Role.SYMBOL),), tuple(_call(one, names) for one in found))


def _call(one: CallChange, names: Names) -> TreeNode:
    line = (Span(_SIGNS[one.side]), Span(names.of(one.callee), Role.CODE), *_where(one, names), *_often(one))
    return TreeNode(line, (), _under(one.guards))


def _where(one: CallChange | AccessChange, names: Names) -> Line:
    """Where it stands; of what vanished where it stood, and, for editors alone, the function as it is now."""
    if one.side is Side.APPEARED:
        return names.at(one.place)
    return (*names.was(one.was), *((Span("", Role.PLACE, one.place),) if one.place else ()))


def _often(one: CallChange | AccessChange) -> tuple[Span, ...]:
    if one.is_whole:
        return (GAP, note(f"{one.times} times")) if one.times > 1 else ()
    more = "more" if one.side is Side.APPEARED else "fewer"
    return (GAP, note(f"once {more}" if one.times == 1 else f"{one.times} times {more}"))


def _under(guards: Sequence[str]) -> tuple[Line, ...]:
    shown = [abridged(" ".join(guard.split()), _LONGEST) for guard in guards if guard not in ("try", "while True")]
    return ((Span(f"under {', '.join(shown)}", Role.GUARD),),) if shown else ()


def guard_nodes(changes: Sequence[GuardChange], names: Names) -> Iterator[TreeNode]:
    """Changes of guards by function."""
    for function, found in _grouped((one.function, one) for one in changes):
        line = (Span(names.of(function), Role.SYMBOL, found[0].place), *names.at(found[0].place))
        yield TreeNode(line, tuple(_guard(one, names) for one in found))


def _guard(one: GuardChange, names: Names) -> TreeNode:
    told = [*((f"{count(len(one.calls), 'call')}: {_few(map(names.of, one.calls))}",) if one.calls else ())]
    told += [f"{count(len(one.accesses), 'access', 'accesses')} of fields: {_few(one.accesses)}"] if one.accesses else []
    lines = [(Span(sign), Span(abridged(" ".join(text.split()), _LONGEST), Role.GUARD)) for sign, text in _signed(one)]
    return TreeNode(lines[0], (), (*lines[1:], (note("; ".join(told)),)))


def _signed(one: GuardChange) -> list[tuple[str, str]]:
    return [*(("- ", text) for text in one.fewer), *(("+ ", text) for text in one.more)]


def _few(texts: Iterable[str]) -> str:
    known = list(texts)
    more = f" and {len(known) - _N_NAMES} more" if len(known) > _N_NAMES else ""
    return f"{', '.join(known[:_N_NAMES])}{more}"


def access_nodes(changes: Sequence[AccessChange], names: Names) -> Iterator[TreeNode]:
    """Changes of accesses by function."""
    for function, found in _grouped((one.function, one) for one in changes):
        yield TreeNode((Span(names.of(function), Role.SYMBOL),), tuple(_access(one, names) for one in found))


def _access(one: AccessChange, names: Names) -> TreeNode:
    owner = f"{names.of(one.owners[0])}." if len(one.owners) == 1 else ""
    more = (GAP, note(f"of {_few(map(names.of, one.owners))}")) if len(one.owners) > 1 else ()
    what = Span(f"{_VERBS[one.kind]} {owner}{one.field}", Role.CODE)
    line = (Span(_SIGNS[one.side]), what, *_where(one, names), *_often(one), *more)
    return TreeNode(line, (), _under(one.guards))


def _grouped(pairs: Iterable[tuple[str, Each]]) -> list[tuple[str, list[Each]]]:
    found: dict[str, list[Each]] = {}
    for key, one in pairs:
        found.setdefault(key, []).append(one)
    return list(found.items())


def names_of(before: Index, after: Index) -> Names:
    """How the symbols and files of two indexes are shown."""
    modules = frozenset(entry.module for index in (before, after) for entry in index.files.values())
    return Names(modules, {**before.short_paths, **after.short_paths})
