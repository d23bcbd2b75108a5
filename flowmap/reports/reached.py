"""Through which classes a method is reached: where its class stands in each host's order, what it shadows, what overrides it."""

from __future__ import annotations

from dataclasses import dataclass

from flowmap.model.program import Definition
from flowmap.store.classes import class_of, head_of, hosts, members, orders, whole
from flowmap.store.index import Index


@dataclass(frozen=True, slots=True)
class Reached:
    """A class in whose order the owner of a method stands. `winner` is what the class gives under that name.

    `position` counts from 1; `shadowed` are the definitions of the same name further down the order.
    """

    host: Definition
    position: int
    n_classes: int
    winner: Definition
    shadowed: tuple[Definition, ...]


def reached_through(index: Index, method: Definition) -> tuple[Reached, ...]:
    """The classes that have the method's class in their order, that class first; empty for what is no method.

    A part of a property, or an overload, stands for the whole.
    """
    owner = class_of(index, method)
    if owner is None:
        return ()
    classes = (owner, *hosts(index, owner))
    found = orders(index, classes)
    own = members(index, {each.id: each for order in found.values() for each in order}.values())
    reached = []
    for host in classes:
        order = found.get(host.id, ())
        bodies = [own[each.id][method.name] for each in order if method.name in own.get(each.id, {})]
        along = [method if method in whole(body) else head_of(body) for body in bodies]
        if along:
            position = [each.id for each in order].index(owner.id) + 1
            after = along[along.index(method) + 1 :] if method in along else []
            reached.append(Reached(host, position, len(order), along[0], tuple(after)))
    return tuple(reached)
