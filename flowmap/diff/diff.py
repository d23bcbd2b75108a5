"""What is different between two indexes, each thing once: what only moved or was renamed leaves no other trace."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from flowmap.diff.facts import (
    AccessKey,
    CallKey,
    Guards,
    GuardTexts,
    Happening,
    Standing,
    accesses_in,
    calls_in,
    definitions_in,
    is_inside,
    orders_in,
    outermost,
)
from flowmap.diff.naming import Naming, naming_between
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
from flowmap.model.program import DefinitionKind
from flowmap.store.index import Index

MODULE_MOVED, FIELD_RENAMED = "module moved", "field renamed"


@dataclass(frozen=True, slots=True)
class _State:
    """All that is compared of one index, in the names of the second."""

    definitions: Mapping[str, Standing]
    orders: Mapping[str, tuple[str, ...]]
    calls: Mapping[CallKey, list[Happening]]
    accesses: Mapping[AccessKey, list[Happening]]


@dataclass(frozen=True, slots=True)
class _Change:
    """Both states, and the definitions that came and went."""

    before: _State
    after: _State
    gone: frozenset[str]
    new: frozenset[str]


def diff(before: Index, after: Index) -> Diff:
    """What is different in the second index."""
    naming = naming_between(before, after)
    change = _change_between(before, after, naming)
    calls, call_guards = _calls(change)
    accesses, access_guards = _accesses(change)
    guards = _folded(change, call_guards, access_guards)
    told = Diff(
        before=before.source,
        after=after.source,
        renamed=tuple(_renamed(change, naming)),
        definitions=tuple(_defined(change)),
        signatures=tuple(_resigned(change, naming)),
        orders=tuple(_reordered(change)),
        fields=tuple(_fields(change)),
        calls=calls,
        guards=guards,
        accesses=accesses,
        edited=(),
        touched=(),
    )
    return _with_edited(told, change, naming)


def _change_between(before: Index, after: Index, naming: Naming) -> _Change:
    plain = GuardTexts(after, lambda text: text)
    known = plain.all()
    first = _state(before, naming, GuardTexts(before, lambda text: text if text in known else naming.text(text)))
    second = _State(
        definitions_in(after, _same), orders_in(after, _same), calls_in(after, _same, plain), accesses_in(after, _same, plain)
    )
    first = replace(first, accesses=_with_new_names(first, naming, {name for _, name, _ in second.accesses}))
    gone = frozenset(first.definitions.keys() - second.definitions.keys())
    return _Change(first, second, gone, frozenset(second.definitions.keys() - first.definitions.keys()))


def _state(index: Index, naming: Naming, guards: GuardTexts) -> _State:
    of = naming.of
    return _State(definitions_in(index, of), orders_in(index, of), calls_in(index, of, guards), accesses_in(index, of, guards))


def _same(symbol: str) -> str:
    return symbol


def _with_new_names(state: _State, naming: Naming, still: Collection[str]) -> Mapping[AccessKey, list[Happening]]:
    """The accesses with the names that fields have by now: of the class that they belong to, or one above it. Where nobody knows
    whose field it is, where no field has the old name any more (`still`: those that fields have)."""
    renamed: dict[str, set[str]] = {}
    for (_, old), new in naming.fields.items():
        renamed.setdefault(old, set()).add(new)
    found: dict[AccessKey, list[Happening]] = {}
    for (function, name, kind), happenings in state.accesses.items():
        if name not in renamed:
            found.setdefault((function, name, kind), []).extend(happenings)
            continue
        (only, *others) = renamed[name]
        elsewhere = name if others or name in still else only
        for one in happenings:
            classes = [cls for owner in one.owners for cls in (owner, *state.orders.get(owner, ()))]
            new = next((naming.fields[cls, name] for cls in classes if (cls, name) in naming.fields), "")
            found.setdefault((function, new or (name if one.owners else elsewhere), kind), []).append(one)
    return found


def _place_of(change: _Change, symbol: str) -> Place | None:
    """Where a definition is now; of a module or lambda, the place of what it stands in."""
    while symbol:
        if symbol in change.after.definitions:
            return change.after.definitions[symbol].place
        symbol = symbol.rpartition(".")[0]
    return None


def _renamed(change: _Change, naming: Naming) -> Iterator[Renamed]:
    """The outermost of what goes under another symbol: what stands inside goes with it."""
    for module, now in sorted(naming.modules.items()):
        inside = (one.place for symbol, one in sorted(change.after.definitions.items()) if symbol.startswith(f"{now}."))
        place = next(inside, None)
        yield Renamed(module, now, MODULE_MOVED, True, Place(place.file, 1) if place else None)
    for pair in naming.pairs:
        owner, _, name = pair.before.rpartition(".")
        if pair.after != f"{naming.of(owner)}.{name}":
            yield Renamed(pair.before, pair.after, pair.how.value, pair.is_sure, _place_of(change, pair.after))
    owned = _owned(change.after) if naming.fields else {}
    for (owner, old), new in sorted(naming.fields.items()):
        before = next((was for was, now in naming.became.items() if now == owner), owner)
        yield Renamed(
            f"{before}.{old}", f"{owner}.{new}", FIELD_RENAMED, False, owned.get((owner, new)) or _place_of(change, owner)
        )


def _defined(change: _Change) -> Iterator[Defined]:
    for side, symbols, state in ((Side.APPEARED, change.new, change.after), (Side.VANISHED, change.gone, change.before)):
        tops = frozenset(outermost(symbols))
        inside = Counter(_top(symbol, tops) for symbol in symbols)
        calls = Counter(_top(caller, tops) for caller, _ in state.calls)
        accesses = Counter(_top(function, tops) for function, _, _ in state.accesses)
        for symbol in sorted(tops):
            one = state.definitions[symbol]
            yield Defined(
                side=side,
                symbol=symbol,
                kind=one.kind.value,
                signature=one.signatures[0],
                hides=_hidden(state, symbol),
                n_inside=inside[symbol] - 1,
                n_calls=calls[symbol],
                n_accesses=accesses[symbol],
                place=one.place,
            )


def _top(symbol: str, tops: frozenset[str]) -> str:
    while tops and symbol and symbol not in tops:
        symbol = symbol.rpartition(".")[0]
    return symbol if tops else ""


def _hidden(state: _State, symbol: str) -> str:
    """What a method hides that its class would have otherwise."""
    owner, _, name = symbol.rpartition(".")
    bases = state.orders.get(owner, ()) if state.definitions[symbol].kind is not DefinitionKind.CLASS else ()
    return next((f"{base}.{name}" for base in bases if f"{base}.{name}" in state.definitions), "")


def _resigned(change: _Change, naming: Naming) -> Iterator[Resigned]:
    for symbol, one in change.after.definitions.items():
        old = change.before.definitions.get(symbol)
        if old is None or one.kind is DefinitionKind.CLASS or old.signatures == one.signatures:
            continue
        before, after = (" | ".join(dict.fromkeys(each.signatures)) for each in (old, one))
        if naming.text(before) != after:
            yield Resigned(symbol, before, after, one.place)


def _reordered(change: _Change) -> Iterator[Reordered]:
    """Of the classes with another order those that have it for no other class's sake, with how many have it for theirs."""
    orders = change.after.orders
    different = {cls for cls, order in orders.items() if cls in change.before.orders and change.before.orders[cls] != order}
    for cls in sorted(different):
        if not any(base in different for base in orders[cls]):
            below = sum(cls in orders[other] for other in different)
            yield Reordered(cls, change.before.orders[cls], orders[cls], below, _place_of(change, cls))


def _fields(change: _Change) -> Iterator[FieldChange]:
    """Fields that classes have now and had not, and the other way round; those of classes that came or went are theirs. A field
    that a class above or below had is none."""
    before, after = _owned(change.before), _owned(change.after)
    for side, mine, others in ((Side.APPEARED, after, before), (Side.VANISHED, before, after)):
        for owner, name in sorted(mine.keys() - others.keys()):
            is_there = owner in change.before.definitions and owner in change.after.definitions
            if is_there and not _has_relative(change, owner, [cls for cls, field in others if field == name]):
                yield FieldChange(side, owner, name, mine[owner, name])


def _has_relative(change: _Change, cls: str, others: Iterable[str]) -> bool:
    orders = (change.before.orders, change.after.orders)
    return any(one in order.get(cls, ()) or cls in order.get(one, ()) for one in others for order in orders)


def _owned(state: _State) -> dict[tuple[str, str], Place]:
    found: dict[tuple[str, str], Place] = {}
    for (_, name, _), happenings in state.accesses.items():
        for one in happenings:
            for owner in one.owners:
                found[owner, name] = min(one.place, found.get((owner, name), one.place))
    return found


@dataclass(frozen=True, slots=True)
class _Moved:
    """A call or access that happens under other guards."""

    function: str
    what: str
    before: Guards
    after: Guards


def _calls(change: _Change) -> tuple[tuple[CallChange, ...], list[_Moved]]:
    changes: list[CallChange] = []
    moved: list[_Moved] = []
    for key in sorted(change.before.calls.keys() | change.after.calls.keys()):
        caller, callee = key
        if is_inside(caller, change.gone) or is_inside(caller, change.new):
            continue
        old, new = change.before.calls.get(key, []), change.after.calls.get(key, [])
        fewer, more, pairs = _compared(old, new)
        moved += [_Moved(caller, callee, one.guards, other.guards) for one, other in pairs]
        for side, left in ((Side.VANISHED, fewer), (Side.APPEARED, more)):
            if left:
                changes.append(
                    CallChange(
                        side=side,
                        caller=caller,
                        callee=callee,
                        guards=left[0].guards,
                        times=len(left),
                        is_whole=not (old and new),
                        is_outside=callee.startswith("ext:"),
                        place=left[0].place if side is Side.APPEARED else _place_of(change, caller),
                        was=left[0].place if side is Side.VANISHED else None,
                    )
                )
    return tuple(changes), moved


def _accesses(change: _Change) -> tuple[tuple[AccessChange, ...], list[_Moved]]:
    changes: list[AccessChange] = []
    moved: list[_Moved] = []
    for key in sorted(change.before.accesses.keys() | change.after.accesses.keys()):
        function, name, kind = key
        if is_inside(function, change.gone) or is_inside(function, change.new):
            continue
        first, second = change.before.accesses.get(key, []), change.after.accesses.get(key, [])
        if [(one.guards, one.owners) for one in first] == [(one.guards, one.owners) for one in second]:
            continue
        for old, new in _by_owner(change, first, second):
            fewer, more, pairs = _compared(old, new)
            what = f"{kind} {name}"
            moved += [_Moved(function, what, one.guards, other.guards) for one, other in pairs]
            for side, left in ((Side.VANISHED, fewer), (Side.APPEARED, more)):
                if left:
                    place = left[0].place if side is Side.APPEARED else _place_of(change, function)
                    was = left[0].place if side is Side.VANISHED else None
                    changes.append(
                        AccessChange(
                            side,
                            function,
                            name,
                            tuple(sorted({owner for one in left for owner in one.owners})),
                            kind,
                            left[0].guards,
                            len(left),
                            is_whole=not (old and new),
                            place=place,
                            was=was,
                        )
                    )
    return tuple(changes), moved


def _by_owner(change: _Change, old: list[Happening], new: list[Happening]) -> list[tuple[list[Happening], list[Happening]]]:
    """The accesses of one name, apart where no class owns both, nor has a base that does: that owners are known better or less
    well, or that a base is not made any more, is no difference."""
    mine = _with_bases(change.before, (owner for one in old for owner in one.owners))
    theirs = _with_bases(change.after, (owner for one in new for owner in one.owners))
    return [(old, [])] * bool(old) + [([], new)] * bool(new) if mine and theirs and not mine & theirs else [(old, new)]


def _with_bases(state: _State, classes: Iterable[str]) -> set[str]:
    return {each for cls in classes for each in (cls, *state.orders.get(cls, ())) if not each.startswith("ext:")}


def _compared(
    old: Sequence[Happening], new: Sequence[Happening]
) -> tuple[list[Happening], list[Happening], list[tuple[Happening, Happening]]]:
    """What happens less often, what more often, and what under other guards; what stays is in none of them."""
    if [one.guards for one in old] == [one.guards for one in new]:
        return [], [], []
    shared = Counter(one.guards for one in old) & Counter(one.guards for one in new)
    fewer, more = _less(old, shared), _less(new, shared)
    n_pairs = min(len(fewer), len(more))
    return fewer[n_pairs:], more[n_pairs:], list(zip(fewer[:n_pairs], more[:n_pairs], strict=True))


def _less(happenings: Sequence[Happening], shared: Counter[Guards]) -> list[Happening]:
    left = Counter(shared)
    kept = []
    for one in happenings:
        if left[one.guards] > 0:
            left[one.guards] -= 1
        else:
            kept.append(one)
    return kept


def _folded(change: _Change, calls: Iterable[_Moved], accesses: Iterable[_Moved]) -> tuple[GuardChange, ...]:
    """What changed of the guards in a function, once for all calls and accesses that it concerns in the same way."""
    found: dict[tuple[str, Guards, Guards], tuple[dict[str, None], dict[str, None]]] = {}
    for number, moved in enumerate((calls, accesses)):
        for one in moved:
            fewer, more = Counter(one.before) - Counter(one.after), Counter(one.after) - Counter(one.before)
            key = (one.function, tuple(sorted(fewer.elements())), tuple(sorted(more.elements())))
            found.setdefault(key, ({}, {}))[number][one.what] = None
    return tuple(
        GuardChange(function, fewer, more, tuple(called), tuple(touched), _place_of(change, function))
        for (function, fewer, more), (called, touched) in sorted(found.items())
    )


def _with_edited(told: Diff, change: _Change, naming: Naming) -> Diff:
    """The same, with what is touched, and those functions whose text alone says something else."""
    spoken = {
        *(one.after for one in told.renamed),
        *(one.symbol for each in (told.definitions, told.signatures, told.orders) for one in each),
        *(one.caller for one in told.calls),
        *(one.function for each in (told.guards, told.accesses) for one in each),
        *(one.owner for one in told.fields),
    }
    functions = {symbol for symbol, one in change.after.definitions.items() if one.kind is not DefinitionKind.CLASS}
    edited = {symbol for symbol in naming.edited & functions if symbol not in spoken and not _says_inside(symbol, spoken)}
    return replace(told, edited=tuple(sorted(edited)), touched=tuple(sorted(spoken | naming.edited)))


def _says_inside(symbol: str, spoken: Iterable[str]) -> bool:
    return any(one.startswith(f"{symbol}.") for one in spoken)
