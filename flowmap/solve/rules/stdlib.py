"""Objects of the standard library: what their methods and attributes give, what iterating, entering and awaiting them gives."""

from __future__ import annotations

from flowmap.model.facts import Row
from flowmap.model.stubs import Said
from flowmap.solve.rules.typed import StubCall, call_by_stub, give
from flowmap.solve.state import State
from flowmap.solve.stub_members import Member
from flowmap.solve.stubs import HOMES
from flowmap.solve.values import Kind


def call_named(state: State, dotted: str, row: Row, at: tuple[int, int]) -> bool:
    """Calls a function or class by its dotted name. False when no stub says what it gives."""
    cls = state.stubs.class_(dotted)
    if cls is not None:
        construct(state, dotted, row, at)
        return True
    member = state.stubs.callable(dotted)
    if member is None or not member.signatures:
        return False
    call_by_stub(state, member, StubCall(row, -1, dotted, site_of(state, member, row), at))
    return True


def site_of(state: State, member: Member, row: Row) -> int:
    """The call's site, unless what is passed runs later, elsewhere."""
    site: int = row[4]
    return -1 if member.name in state.library.later or gives_callable(member) else site


def gives_callable(member: Member) -> bool:
    """Whether a function gives back a callable: it wraps or registers what it is given, and calls nothing."""
    return any(one.result[0] == Said.CALLABLE for one in member.signatures)


def construct(state: State, dotted: str, row: Row, at: tuple[int, int]) -> None:
    """A class from the standard library makes an object, and keeps what it is given."""
    cls = state.stubs.class_(dotted)
    assert cls is not None, "the caller has found it"
    dst = row[0]
    made = state.slots.made(cls.name, dst) if cls.parameters else state.values.of(Kind.THING, dotted)
    new, init = state.stubs.member(dotted, "__new__"), state.stubs.member(dotted, "__init__")
    if not cls.parameters:
        state.turn(dst, made, at)
        new, init = (one if one is not None and one.calls else None for one in (new, init))
    site = row[4] if cls.name in state.library.eager else -1
    call = StubCall(row, made, dotted, site, at, 1)
    if new is not None:
        call_by_stub(state, new, call)
    if init is not None:
        call_by_stub(state, init, call)
    if new is None or init is not None:
        state.turn(dst, made, at)


STORERS = frozenset(
    (
        "append",
        "appendleft",
        "add",
        "insert",
        "put",
        "put_nowait",
        "extend",
        "extendleft",
        "setdefault",
        "set",
        "set_result",
        "__init__",
    )
)  # methods that keep what they are given, which annotations do not say


def type_of_value(state: State, value: int) -> str:
    """The class of an outside object, as its stub or short name; "" where it is not known."""
    kind, payload = state.values.kinds[value], state.values.payloads[value]
    if kind == Kind.THING:
        return payload if "." in payload else ""
    if kind == Kind.CONTAINER:
        return str(payload[0])
    return "builtins.str" if kind == Kind.STRING else ""


def member_of_value(state: State, value: int, name: str) -> Member | None:
    """A member of an outside object, None where no stub tells."""
    type_name = type_of_value(state, value)
    return state.stubs.member(type_name, name) if type_name else None


def call_known(state: State, value: int, name: str, row: Row) -> bool:
    """Calls a special method of an outside object. False where no stub tells what it gives."""
    return call_method_of(state, value, name, row, (row[1], value))


def call_method_of(state: State, value: int, name: str, row: Row, at: tuple[int, int]) -> bool:
    """Calls a method of an outside object. False where no stub tells what it gives."""
    member = member_of_value(state, value, name)
    if member is None or not member.signatures:
        return False
    type_name = type_of_value(state, value)
    dotted = f"{HOMES.get(type_name, type_name)}.{name}"
    call_by_stub(state, member, StubCall(row, value, dotted, site_of(state, member, row), at, int(name in STORERS)))
    return True


def read_member(state: State, value: int, name: str, row: Row) -> bool:
    """An attribute of an outside object that is no method. False where no stub tells what it is. Rows (dst, base, ...)."""
    member = member_of_value(state, value, name)
    if member is None or member.signatures:
        return False
    call = StubCall((row[0], row[1], (), (), -1), value, f"{type_of_value(state, value)}.{name}", -1, (row[1], value))
    give(state, call, member.said, row[0])
    return True


def iterate_object(state: State, value: int, row: Row) -> bool:
    """What iterating over an outside object gives. False where no stub tells. Rows (dst, base, site)."""
    dst, base, _ = row
    for name in ("__iter__", "__aiter__"):
        if member_of_value(state, value, name) is not None:
            iterator = state.side_node(dst, name, value)
            call_known(state, value, name, (iterator, base, (), (), -1))
            state.watch(iterator, state.tables["next"], (dst, iterator, -1))
            return True
    return call_known(state, value, "__getitem__", (dst, base, (), (), -1))


def step_object(state: State, value: int, row: Row) -> None:
    """`__next__` of an iterator from outside. Rows (dst, base, site)."""
    dst, base, _ = row
    if not call_known(state, value, "__next__", (dst, base, (), (), -1)):
        call_awaited(state, value, "__anext__", row)


def call_awaited(state: State, value: int, name: str, row: Row) -> bool:
    """Calls a coroutine method of an outside object, and awaits it. Rows (dst, base, site)."""
    dst, base, _ = row
    if member_of_value(state, value, name) is None:
        return False
    waiting = state.side_node(dst, name, value)
    call_known(state, value, name, (waiting, base, (), (), -1))
    state.watch(waiting, state.tables["await"], (dst, waiting, -1))
    return True


def enter_object(state: State, value: int, row: Row) -> bool:
    """`with` an outside object. False where no stub tells what it gives. Rows (dst, src, site)."""
    dst, src, _ = row
    return call_known(state, value, "__enter__", (dst, src, (), (), -1)) or call_awaited(state, value, "__aenter__", row)


def await_object(state: State, value: int, row: Row) -> bool:
    """`await` an outside object: what the generator that `__await__` gives returns. False where no stub tells."""
    return call_awaited(state, value, "__await__", row)
