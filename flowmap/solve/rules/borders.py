"""What is handed over to run elsewhere: a call of its own kind, which stands where the handing over is written.

Such a call has a site of its own, numbered behind those of the text, so that the site of the text keeps what it runs itself.
"""

from __future__ import annotations

from flowmap.model.facts import Row
from flowmap.solve.lookup import call_special, only
from flowmap.solve.state import State
from flowmap.solve.values import Kind
from flowmap.subject.library import Border, Passing, Start


def hand_over(state: State, dotted: str, row: Row) -> None:
    """A call of something outside, where the library table knows that it runs elsewhere what it is given."""
    border = state.library.borders.get(dotted)
    if border is None or row[4] < 0:
        return
    site = state.border_site(row[4], border)
    for node in handed_over(border, row):
        if border.passing is Passing.MESSAGE:
            state.elsewhere.messages.setdefault(site, []).append(node)
            continue
        arguments, keywords = passed(state, border, row)
        result = state.side_node(row[0], f"what runs elsewhere, {node}")
        state.watch(node, state.tables["call"], (result, node, arguments, keywords, site))
        state.watch(node, state.tables["task"], (site, node))


def handed_over(border: Border, row: Row) -> list[int]:
    """The nodes of what is handed over."""
    given = [row[2][one] for one in border.positions if one < len(row[2])]
    named = [node for name, node in row[3] if name in border.keywords]
    return [one for one in (*given, *named) if one >= 0]


def passed(state: State, border: Border, row: Row) -> tuple[tuple[int, ...], tuple[tuple[str | None, int], ...]]:
    """What it is called with there: arguments and keywords as in rows of calls."""
    behind = border.positions[-1] + 1
    match border.passing:
        case Passing.REST:
            return row[2][behind:], tuple(one for one in row[3] if one[0] not in border.keywords)
        case Passing.PACKED:
            return unpacked(row, border.arguments)
        case Passing.ELEMENTS:
            return tuple(element(state, row[0], one) for one in row[2][behind:] if one >= 0), ()
        case _:
            return (), ()


def unpacked(row: Row, position: int) -> tuple[tuple[int, ...], tuple[tuple[str | None, int], ...]]:
    """The tuple and the dict of arguments that are passed in one piece."""
    given = dict(enumerate(one for one in row[2] if one >= 0))
    named = {name: node for name, node in row[3] if name}
    many, by_name = named.get("args", given.get(position, -1)), named.get("kwargs", given.get(position + 1, -1))
    return (~many,) if many >= 0 else (), ((None, by_name),) if by_name >= 0 else ()


def element(state: State, dst: int, iterable: int) -> int:
    """The node of an iterable's elements."""
    found = state.side_node(dst, f"element of {iterable}")
    state.watch(iterable, state.tables["element"], (found, iterable, -1))
    return found


def task_of_coroutine(state: State, value: int, row: Row) -> None:
    """A coroutine that is handed over: its function runs. Rows (site, node)."""
    site, node = row
    scope = state.elsewhere.coroutines.get(value)
    if scope is not None:
        state.target(site, scope, (node, value))


def starts_elsewhere(state: State, value: int, row: Row) -> bool:
    """A method of a base outside that starts the object itself, as `Thread.start` does. Rows (dst, base, name, site)."""
    dst, base, name, _ = row
    if start_of(state, value, name) is None:
        return False
    state.turn(dst, state.values.of(Kind.METHOD, (value, name)), (base, value))
    return True


def start_of(state: State, value: int, name: str) -> tuple[str, Start] | None:
    """The base by which an object is started by a method of this name, and what it then runs."""
    by_base = state.library.starts.get(name)
    if by_base is None or state.values.kinds[value] not in (Kind.INSTANCE, Kind.FAMILY):
        return None
    bases = state.variants.classes.outside_bases(state.values.payloads[value])
    known = ((base, by_base[one]) for base in bases for one in state.stubs.lineage(base) if one in by_base)
    return next(known, None)


def object_is_started(state: State, method: int, row: Row) -> None:
    """`thread.start()`: the object runs a method of its own elsewhere."""
    receiver, name = state.values.payloads[method]
    started = start_of(state, receiver, name)
    if started is None:
        return
    base, start = started
    _, callee, _, _, site = row
    state.target(site, f"ext:{base}.{name}", (callee, method))
    if site >= 0:
        running = state.side_node(callee, "what runs elsewhere", receiver)
        call = (running, only(state, callee, receiver), (), (), state.border_site(site, start.border))
        call_special(state, receiver, start.runs, call)


def method_of_package(state: State, value: int, name: str) -> int:
    """A method of an object from outside of which only the package is known, where it hands something over; -1 for others."""
    dotted = state.library.by_package.get((state.values.payloads[value], name))
    return -1 if dotted is None else state.values.of(Kind.OUTSIDE, dotted)
