"""Class orders (C3), subclasses, and which class of the order provides each name.

Source of C3: "The Python 2.3 Method Resolution Order", M. Simionato; `type.mro` gives the same on every class that Python
accepts (property test).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import reduce

from flowmap.link.given import class_given_by
from flowmap.link.names import Meaning, NameTable, Resolved
from flowmap.link.program import Classes, Layout
from flowmap.model.facts import ScopeKind

OBJECT = "builtins.object"
INCONSISTENT = "its bases have no consistent method resolution order"
IN_A_CIRCLE = "its bases lead back to itself"
Base = int | str


def order_classes(layout: Layout, names: NameTable) -> Classes:
    """Orders all classes of the program."""
    numbers = [number for number, scope in enumerate(layout.scopes) if scope.kind == ScopeKind.CLASS]
    named = {number: named_bases(layout, names, number) for number in numbers}
    order, problems = linearize(numbers, {number: class_bases(found) for number, found in named.items()})
    repeated = {number: what for number, found in named.items() if (what := wrong_by_itself(layout, found))}
    return Classes(
        order=order,
        below=subclasses(numbers, order),
        provides={number: provided(layout, order[number]) for number in numbers},
        fields={number: own_fields(layout, number) for number in numbers},
        metaclasses=metaclasses(layout, names, order),
        problems=tuple(sorted((repeated | dict(problems)).items())),
    )


def named_bases(layout: Layout, names: NameTable, number: int) -> tuple[tuple[Base, bool], ...]:
    """A class's bases as they are written: program numbers, or dotted names outside, "?" for what is computed, each with whether
    it can mean nothing else. Of conditional definitions the first indexed one counts.

    The class itself is among them where its own name is all that a base can mean: Python would find nothing there yet.
    """
    found: list[tuple[Base, bool]] = []
    for path, _ in layout.scopes[number].bases:
        meanings = meanings_of(layout, names, number, path)
        base = base_of(layout, number, meanings)
        if base == number and "." not in path:
            base = base_of(layout, number, names.around(layout.parent(number), path))
        found.append((base or (path if path[-1:] != ")" else "") or "?", len(meanings) == 1))
    return tuple(found)


def meanings_of(layout: Layout, names: NameTable, number: int, path: str) -> tuple[Resolved, ...]:
    """What the text of a class's base can mean."""
    around = layout.parent(number)
    if path.endswith("()"):
        return class_given_by(layout, names, names.dotted(around, path.removesuffix("()")))
    return names.dotted(around, path) if path else ()


def class_bases(named: Sequence[tuple[Base, bool]]) -> tuple[Base, ...]:
    """A class's bases, each once; `object` stands in every order anyway."""
    return tuple(base for base in dict.fromkeys(base for base, _ in named) if base != OBJECT)


def wrong_by_itself(layout: Layout, named: Sequence[tuple[Base, bool]]) -> str:
    """Why Python refuses a class for what is written in its own bases, "" where it does not."""
    certain = [base for base, is_certain in named if is_certain]
    for number, base in enumerate(certain):
        if base in certain[:number]:
            return f"it names its base {layout.scopes[base].name if isinstance(base, int) else base.rpartition('.')[2]} twice"
    return INCONSISTENT if OBJECT in certain[:-1] else ""


def base_of(layout: Layout, number: int, meanings: Sequence[Resolved]) -> Base:
    """The one of its meanings that a base counts as: the class itself where there is no other, "" where there is none."""
    classes = [
        one.number for one in meanings if one.meaning is Meaning.SCOPE and layout.scopes[one.number].kind == ScopeKind.CLASS
    ]
    inside = [one for one in classes if one != number]
    outside = [one.dotted for one in meanings if one.meaning is Meaning.OUTSIDE]
    return inside[0] if inside else outside[0] if outside else classes[0] if classes else ""


def metaclasses(layout: Layout, names: NameTable, order: dict[int, tuple[Base, ...]]) -> dict[int, int]:
    """The indexed metaclass of each class that has one, its own or inherited: the most derived one, as Python picks it."""
    named = {
        number: base_of(layout, number, names.dotted(layout.parent(number), layout.scopes[number].metaclass))
        for number in order
        if layout.scopes[number].metaclass
    }
    own = {number: meta for number, meta in named.items() if isinstance(meta, int)}
    found = {}
    for number, bases in order.items() if own else ():
        given = [own[one] for one in bases if isinstance(one, int) and one in own]
        if given:
            found[number] = next((one for one in given if all(other in order[one] for other in given)), given[0])
    return found


def linearize(
    numbers: Sequence[int], bases: dict[int, tuple[Base, ...]]
) -> tuple[dict[int, tuple[Base, ...]], list[tuple[int, str]]]:
    """The order of every class. Where C3 has no answer, or bases go round in a circle, depth first, and the problem is said."""
    order: dict[int, tuple[Base, ...]] = {}
    problems: list[tuple[int, str]] = []
    for number in by_depth(numbers, bases):
        direct = [base for base in bases[number] if base != number]
        inherited = [order.get(base, (base,)) if isinstance(base, int) else (base,) for base in direct]
        in_a_circle = len(direct) < len(bases[number]) or any(isinstance(base, int) and base not in order for base in direct)
        merged = c3_merge([*map(without_object, inherited), list(direct)])
        if in_a_circle or merged is None:
            problems.append((number, IN_A_CIRCLE if in_a_circle else INCONSISTENT))
            merged = list(dict.fromkeys(one for part in inherited for one in without_object(part)))
        order[number] = (number, *(one for one in merged if one != number), OBJECT)
    return order, problems


def without_object(order: Sequence[Base]) -> list[Base]:
    """An order without the `object` at its end."""
    return [one for one in order if one != OBJECT]


def by_depth(numbers: Sequence[int], bases: dict[int, tuple[Base, ...]]) -> list[int]:
    """Classes so that bases come before those that inherit from them; a cycle is cut where it is met."""
    done: dict[int, None] = {}
    for start in numbers:
        stack = [(start, iter(bases[start]))]
        path = {start}
        while stack:
            number, rest = stack[-1]
            following = next((b for b in rest if isinstance(b, int) and b not in done and b not in path), None)
            if following is None:
                stack.pop()
                path.discard(number)
                done[number] = None
            else:
                path.add(following)
                stack.append((following, iter(bases[following])))
    return list(done)


def c3_merge(sequences: list[list[Base]]) -> list[Base] | None:
    """The merge of C3; None where there is none."""
    merged: list[Base] = []
    waiting = [list(sequence) for sequence in sequences if sequence]
    while waiting:
        tails = {one for sequence in waiting for one in sequence[1:]}
        head = next((sequence[0] for sequence in waiting if sequence[0] not in tails), None)
        if head is None:
            return None
        merged.append(head)
        waiting = [rest for sequence in waiting if (rest := sequence[1:] if sequence[0] == head else sequence)]
    return merged


def subclasses(numbers: Sequence[int], order: dict[int, tuple[Base, ...]]) -> dict[int, tuple[int, ...]]:
    """Each class with all that have it in their order."""
    below: defaultdict[int, list[int]] = defaultdict(list)
    for number in numbers:
        for one in order[number]:
            if isinstance(one, int):
                below[one].append(number)
    return {number: tuple(below[number]) for number in numbers}


def provided(layout: Layout, order: Sequence[Base]) -> dict[str, int]:
    """For each name that some class of the order binds in its body, the first that does."""
    inside = [one for one in order if isinstance(one, int)]
    return reduce(lambda known, one: dict.fromkeys(layout.scopes[one].names, one) | known, inside, {})


def own_fields(layout: Layout, number: int) -> frozenset[str]:
    """The names that a class declares or binds in its body, or assigns through `self` in its methods."""
    scope = layout.scopes[number]
    return frozenset((*scope.declared, *scope.names, *scope.assigned))
