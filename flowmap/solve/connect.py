"""Connecting a call: which activation runs, what its parameters receive, where its result goes."""

from __future__ import annotations

from flowmap.model.facts import Op, Row, ScopeFlag, ScopeKind
from flowmap.solve.activations import Signature
from flowmap.solve.install import placed_tree
from flowmap.solve.slots import AWAITED, SENT
from flowmap.solve.state import State

MOST_CONTEXTS = 4096  # activations of one function by call site; further sites share its own nodes


def call_function(state: State, value: int, row: Row) -> None:
    """A plain call. A method called through its class takes its receiver from the first argument."""
    scope, definer = state.values.payloads[value]
    if scope in state.program.methods and not state.scope_has(scope, ScopeFlag.STATIC) and row[2]:
        state.watch(first_argument(state, row), state.tables["receiver"], (value, row))
        return
    connect(state, scope, plain_activation(state, scope, definer, row[4]), row, 0)


def first_argument(state: State, row: Row) -> int:
    """The node of a call's first argument; of a starred one, what stands first in it."""
    given: int = row[2][0]
    if given >= 0:
        return given
    first = state.side_node(row[0], "first argument")
    state.watch(~given, state.tables["item"], (first, ~given, 0, ~given, -1))
    return first


def plain_activation(state: State, scope: int, definer: int, site: int) -> int:
    """The activation that a call of a function enters."""
    activations = state.activations
    if site >= 0 and makes_functions(state, scope):
        count = activations.by_site.get(scope, 0)
        if (scope, definer, site) in activations.made or count < MOST_CONTEXTS:
            activations.by_site[scope] = count + ((scope, definer, site) not in activations.made)
            return activations.own(scope, definer, site)
    return activations.own(scope, definer, None) if definer else 0


def call_method(state: State, value: int, receiver: int, row: Row) -> None:
    """A call with a receiver: the activation for its class."""
    scope, definer = state.values.payloads[value]
    if not state.activations.receives(scope, receiver):
        return
    if state.activations.is_crowded(scope):
        call_shared(state, value, receiver, row)
        return
    for given in state.families.each(receiver):
        one = state.activations.followed(scope, definer, (given, row[4]))
        activation = method_activation(state, scope, definer, (one, row[4]))
        signature = state.activations.signature(scope, activation)
        if signature.positional:
            state.add(signature.positional[0], one, row[1])
        elif signature.variadic >= 0:
            state.add(state.slots.node(state.slots.made("tuple", signature.variadic), 0), one, row[1])
        connect(state, scope, activation, row, 1)


def call_shared(state: State, value: int, receiver: int, row: Row) -> None:
    """A call of a method that more classes share than are told apart: one activation for all. What it returns of itself
    is the receiver."""
    scope, definer = state.values.payloads[value]
    activation = state.activations.own(scope, definer, None) if definer else 0
    signature = state.activations.signature(scope, activation)
    receive(state, signature, receiver, row[1])
    if state.layout.scopes[scope].flags & (ScopeFlag.GENERATOR | ScopeFlag.ASYNC):
        connect(state, scope, activation, row, 1)
        return
    if is_new(state, scope, activation, row):
        pass_positional(state, signature, row[2], 1)
        pass_keywords(state, signature, row[3])
    key = (row[0], "result", receiver, signature.result)
    if row[0] not in state.nothing and key not in state.specials:
        state.specials.add(key)
        state.watch(signature.result, state.tables["result"], (row[0], signature.result, receiver, scope))


def receive(state: State, signature: Signature, receiver: int, giver: int) -> None:
    """A receiver arrives at `self`, unless the family that stands there holds it."""
    if not signature.positional and signature.variadic < 0:
        return
    rest = state.slots.made("tuple", signature.variadic)
    node = signature.positional[0] if signature.positional else state.slots.node(rest, 0)
    families = state.families
    if not any(families.is_family(one) and families.holds(one, receiver) for one in state.points[node] or ()):
        state.add(node, families.unbound(receiver), giver)


def method_activation(state: State, scope: int, definer: int, context: tuple[int, int]) -> int:
    """The activation of a method for a receiver; one that makes functions is read for each site, too."""
    receiver, site = context
    if site >= 0 and makes_functions(state, scope):
        return state.activations.for_receiver(scope, definer, (receiver, site))
    return state.activations.for_receiver(scope, definer, receiver)


def makes_functions(state: State, scope: int) -> bool:
    """Whether a function may return a function that it makes, so that its callers must be told apart."""
    found = state.makers.get(scope)
    if found is None:
        found = state.makers[scope] = returns_function(state, scope)
    return found


def returns_function(state: State, scope: int) -> bool:
    """Whether a nested function, or what wraps one, reaches the result by steps inside the function; or a parameter as it is."""
    row = state.layout.scopes[scope]
    if row.kind not in (ScopeKind.FUNCTION, ScopeKind.LAMBDA):
        return False
    if gives_back(state, scope):
        return True
    return bool(row.flags & ScopeFlag.CLOSURE) and returns_made(state, scope)


def gives_back(state: State, scope: int) -> bool:
    """Whether a parameter, the receiver apart, that may be a function or class reaches the result unchanged."""
    layout = state.layout
    row = layout.scopes[scope]
    file = layout.scope_file[scope]
    place = layout.node_base[file].__add__
    feeds: dict[int, list[int]] = {}
    for op in layout.rows(scope):
        if op[0] == Op.COPY:
            feeds.setdefault(op[1], []).append(op[2])
        elif op[0] == Op.ANNOTATE and state.declared.lets_functions_through(placed_tree(op[3], place)):
            feeds.setdefault(op[2], []).append(op[1])
    first = 1 if scope in state.program.methods and not row.flags & ScopeFlag.STATIC else 0
    return reaches(row.result, feeds, {node for _, node, kind, _ in row.params[first:] if kind in PASSED_ALONE})


PASSED_ALONE = (0, 1, 3)  # kinds of parameters that hold one argument, as inspect.Parameter counts them


def returns_made(state: State, scope: int) -> bool:
    """Whether a nested function, or what wraps one, reaches the result by steps inside the function."""
    layout = state.layout
    row = layout.scopes[scope]
    feeds: dict[int, list[int]] = {}
    made = set()
    for op in layout.rows(scope):
        match op[0]:
            case Op.COPY | Op.ANNOTATE:
                src, dst = (op[2], op[1]) if op[0] == Op.COPY else (op[1], op[2])
                feeds.setdefault(dst, []).append(src)
            case Op.FUNCTION:
                made.add(op[1])
            case Op.DECORATE:
                feeds.setdefault(op[1], []).append(op[3])
            case Op.CALL:
                feeds.setdefault(op[1], []).append(op[2])
                feeds[op[1]].extend(a for a in (*op[3], *(node for _, node in op[4])) if a >= 0)
            case Op.DISPLAY:
                feeds.setdefault(op[1], []).extend(node for _, node in op[3])
            case _:
                pass
    return reaches(row.result, feeds, made)


def reaches(start: int, feeds: dict[int, list[int]], made: set[int]) -> bool:
    """Whether one of `made` feeds `start`."""
    stack, seen = [start], {start}
    while stack:
        node = stack.pop()
        if node in made:
            return True
        for src in feeds.get(node, ()):
            if src not in seen:
                seen.add(src)
                stack.append(src)
    return False


def connect(state: State, scope: int, activation: int, row: Row, skip: int) -> None:
    """Arguments into parameters, result to the call's node."""
    if is_new(state, scope, activation, row):
        signature = state.activations.signature(scope, activation)
        pass_positional(state, signature, row[2], skip)
        pass_keywords(state, signature, row[3])
        pass_result(state, scope, signature, row[0])


def is_new(state: State, scope: int, activation: int, row: Row) -> bool:
    """Whether a call and an activation are still to be connected."""
    key = (row[0], row[4], scope, activation)
    if key in state.connected or not state.connects(row[4], scope):
        return False
    state.connected.add(key)
    return True


def pass_positional(state: State, signature: Signature, arguments: tuple[int, ...], skip: int) -> None:
    """Positional arguments; after a starred one positions are open."""
    params = signature.positional
    for index, argument in enumerate(arguments, skip):
        if argument < 0:
            rest = params[index:]
            into = (rest, signature.variadic, index - len(params), ~argument)
            state.watch(~argument, state.tables["spread arguments"], into)
            for later in arguments[index - skip + 1 :]:
                for param in rest:
                    state.flow_weakly(later if later >= 0 else ~later, param)
            return
        if index < len(params):
            state.flow_weakly(argument, params[index])
        elif signature.variadic >= 0:
            container = state.slots.made("tuple", signature.variadic)
            state.flow_weakly(argument, state.slots.node(container, index - len(params)))


def pass_keywords(state: State, signature: Signature, keywords: tuple[tuple[str | None, int], ...]) -> None:
    """Keyword arguments by name; the rest into **kwargs."""
    for name, node in keywords:
        if name is None:
            state.watch(node, state.tables["spread keywords"], (signature, node))
        elif name in signature.by_name:
            state.flow_weakly(node, signature.by_name[name])
        elif signature.keywords >= 0:
            container = state.slots.made("dict", signature.keywords)
            state.flow_weakly(node, state.slots.node(container, name))


def pass_result(state: State, scope: int, signature: Signature, dst: int) -> None:
    """What the call gives: the result, a generator, or a coroutine."""
    flags = state.layout.scopes[scope].flags
    if flags & ScopeFlag.GENERATOR:
        container = state.slots.made("generator", signature.yields)
        state.elsewhere.generators.setdefault(container, scope)
        if None not in state.slots.nodes[container]:
            state.slots.adopt(container, None, signature.yields)
            state.slots.adopt(container, AWAITED, signature.result)
            state.slots.adopt(container, SENT, signature.yields + 1)
        state.add(dst, container, signature.yields)
    elif flags & ScopeFlag.ASYNC:
        container = state.slots.made("coroutine", signature.result)
        state.elsewhere.coroutines.setdefault(container, scope)
        if AWAITED not in state.slots.nodes[container]:
            state.slots.adopt(container, AWAITED, signature.result)
        state.add(dst, container, signature.result)
    else:
        state.flow(signature.result, dst)
