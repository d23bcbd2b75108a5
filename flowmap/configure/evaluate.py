"""What an expression may be under the assumptions: pulled through locals, parameters, fields and one-line predicates.

Only what every way gives is known: a field is what all that store it store, a parameter what all that call pass. Where one
of them is not known, nothing is. What is being asked for already, further up, adds nothing to its own answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from flowmap.configure.assumed import Assumed
from flowmap.configure.values import ANYTHING, NOTHING, Known, Value, compare, constant, contains, each, join, member, negate
from flowmap.configure.world import CALL, ITEM, READ, Reached, World
from flowmap.model.facts import ScopeFlag, ScopeKind
from flowmap.model.outline import (
    Attribute,
    Call,
    Compare,
    Comparison,
    Constant,
    Display,
    Every,
    Free,
    Item,
    Not,
    Outline,
    Parameter,
    Select,
    Some,
    Tree,
    Way,
)
from flowmap.solve.lookup import defines_member, is_enum
from flowmap.solve.values import Kind

DEEPEST = 40  # questions within questions; what lies deeper is not known
MOST_STEPS = 20_000  # trees looked at for one question
MOST_CALLERS = 60  # of one function; what more pass is not asked for

TEXT_METHODS: Mapping[str, Callable[[str], str]] = {"lower": str.lower, "upper": str.upper, "strip": str.strip}


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """A scope, and what its parameters were given: trees of the caller, with the caller's frame. None: whatever anyone gives.

    `known` remembers what its trees may be.
    """

    scope: int
    given: Mapping[str, tuple[Tree, Frame]] | None = None
    known: dict[Tree, Value] = field(default_factory=dict)


Key = tuple[object, ...]


@dataclass(slots=True)
class Evaluator:
    """Answers, and what was answered before."""

    world: World
    assumed: Assumed
    fields: set[str] = field(default_factory=set)  # whose values may be known
    parameters: set[tuple[int, str]] = field(default_factory=set)  # likewise
    frames: dict[int, Frame] = field(default_factory=dict)
    answers: dict[Key, Value] = field(default_factory=dict)
    asked: dict[Key, int] = field(default_factory=dict)  # what is being answered → how deep
    lowest: int = DEEPEST  # the outermost question that an answer under way was cut short for
    fuel: int = MOST_STEPS

    def begin(self) -> None:
        """A new question from outside."""
        self.fuel = MOST_STEPS

    def forget(self) -> None:
        """Lets go of all answers: more may be known now."""
        self.answers.clear()
        self.frames.clear()

    def frame(self, scope: int) -> Frame:
        """The frame of a scope whoever calls it."""
        return self.frames.setdefault(scope, Frame(scope))

    def answer(self, key: Key, make: Callable[[], Value]) -> Value:
        """The answer to a question, made once. One that was cut short by a question still open is not kept."""
        known = self.answers.get(key)
        if known is not None:
            return known
        if key in self.asked:
            self.lowest = min(self.lowest, self.asked[key])
            return NOTHING
        depth = len(self.asked)
        if depth >= DEEPEST:
            return ANYTHING
        before, self.lowest = self.lowest, DEEPEST
        self.asked[key] = depth
        value = make()
        del self.asked[key]
        if self.lowest >= depth:
            self.answers[key] = value = value if value.known else ANYTHING
            self.lowest = before
        else:
            self.lowest = min(before, self.lowest)
        return value

    # ------------------------------------------------------------------ trees

    def value(self, tree: Tree, frame: Frame) -> Value:
        """What a tree of a scope may be."""
        if isinstance(tree, Constant):
            return constant(tree.value)
        known = frame.known.get(tree)
        if known is not None:
            return known
        self.fuel -= 1
        if self.fuel < 0:
            self.lowest = -1
            return ANYTHING
        before, self.lowest = self.lowest, DEEPEST
        value = self.look(tree, frame)
        if self.lowest == DEEPEST:
            frame.known[tree] = value
        self.lowest = min(before, self.lowest)
        return value

    def look(self, tree: Tree, frame: Frame) -> Value:
        """As `value`, not remembered."""
        match tree:
            case Parameter(name=name):
                return self.parameter(name, frame)
            case Free(name=name):
                return self.free(name, frame)
            case Attribute():
                return self.attribute(tree, frame)
            case Call():
                return self.call(tree, frame)
            case Item():
                return self.item(tree, frame)
            case Select():
                return self.select(tree, frame)
            case _:
                return self.test(tree, frame)

    def test(self, tree: Tree, frame: Frame) -> Value:
        """`not`, `and`, `or`, a comparison."""
        match tree:
            case Not(operand=operand):
                return negate(self.value(operand, frame))
            case Every() | Some():
                return self.chain(tree, frame)
            case Compare():
                return self.compare(tree, frame)
            case _:
                return ANYTHING

    def chain(self, tree: Every | Some, frame: Frame) -> Value:
        """`and`, `or`: a part that is surely so decides, whatever stands before it."""
        stops = isinstance(tree, Some)
        values: list[Value] = []
        for part in tree.parts:
            value = self.value(part, frame)
            if value.truth is stops:
                is_first = all(one.truth is not None for one in values)
                return value if is_first else constant(stops, value.because)
            values.append(value)
        if any(value.truth is None for value in values):
            return ANYTHING
        return Value(values[-1].known, frozenset().union(*(value.because for value in values)))

    def compare(self, tree: Compare, frame: Frame) -> Value:
        left = self.value(tree.left, frame)
        if tree.how in (Comparison.IN, Comparison.NOT_IN):
            if not isinstance(tree.right, Display):
                return ANYTHING
            found = contains(left, (self.value(part, frame) for part in tree.right.parts))
            return found if tree.how is Comparison.IN else negate(found)
        return compare(tree.how, left, self.value(tree.right, frame))

    def select(self, tree: Select, frame: Frame) -> Value:
        test = self.value(tree.test, frame)
        if test.truth is None:
            return join((self.value(tree.holds, frame), self.value(tree.fails, frame)))
        value = self.value(tree.holds if test.truth else tree.fails, frame)
        return value if value.known is None else Value(value.known, value.because | test.because)

    def is_open(self, way: Way, frame: Frame) -> bool:
        """Whether control may take a way: no test on it surely comes out otherwise."""
        return all(self.value(tree, frame).truth in (None, outcome) for tree, outcome in way)

    def open_reasons(self, way: Way, frame: Frame) -> frozenset[str]:
        """The assumptions by which the tests on a way come out as they must."""
        return frozenset().union(*(self.value(tree, frame).because for tree, _ in way))

    # ------------------------------------------------------------------ names

    def free(self, name: str, frame: Frame) -> Value:
        """A name from outside the scope: a global of the module that is bound once."""
        layout = self.world.layout
        module = layout.scope_base[layout.scope_file[frame.scope]]
        if (module, name) in self.assumed.globals:
            return self.assumed.globals[module, name]
        if len(layout.scopes[module].bindings.get(name, ())) != 1 or self.is_shadowed(name, frame.scope):
            return ANYTHING
        outline = self.world.outline(module)
        tree = outline.final.get(name) if outline else None
        if tree is None or frame.scope == module:
            return ANYTHING
        return self.answer(("global", module, name), lambda: self.value(tree, self.frame(module)))

    def is_shadowed(self, name: str, scope: int) -> bool:
        """Whether a function around a scope binds a name."""
        layout = self.world.layout
        around = layout.parent(scope)
        while around >= 0 and layout.scopes[around].kind != ScopeKind.MODULE:
            if layout.scopes[around].kind != ScopeKind.CLASS and name in layout.scopes[around].names:
                return True
            around = layout.parent(around)
        return False

    def parameter(self, name: str, frame: Frame) -> Value:
        """What a parameter was given in this frame, else what all that call the scope give it."""
        if frame.given is not None:
            if name not in frame.given:
                return ANYTHING
            tree, caller = frame.given[name]
            return self.value(tree, caller)
        if (frame.scope, name) not in self.parameters:
            return ANYTHING
        return self.answer(("parameter", frame.scope, name), lambda: self.passed(name, frame.scope))

    def passed(self, name: str, scope: int) -> Value:
        """What all that call a scope pass for a parameter."""
        reached = self.world.reached.get(scope, [])
        if not reached or len(reached) > MOST_CALLERS:
            return ANYTHING
        return join(self.passed_at(name, scope, one) for one in reached)

    def passed_at(self, name: str, scope: int, reached: Reached) -> Value:
        """What one site passes; nothing where control does not get there."""
        caller, outline = self.world.outline(reached.scope), self.world.outline(scope)
        if caller is None or outline is None or reached.shape not in (CALL, READ) or not self.world.is_direct(reached):
            return ANYTHING
        given = (caller.calls if reached.shape == CALL else caller.reads).get(reached.at)
        if given is None:
            return ANYTHING
        frame = self.frame(reached.scope)
        if not self.is_open(given.way, frame):
            return NOTHING
        bound = dict(self.arguments(given.tree, (outline, reached), frame))
        return self.value(*bound[name]) if name in bound else ANYTHING

    def arguments(self, tree: Tree, callee: tuple[Outline, Reached], frame: Frame) -> Iterator[tuple[str, tuple[Tree, Frame]]]:
        """The parameters of a callee with what a call or a property read gives them; those that are not known left out."""
        outline, reached = callee
        names = outline.parameters
        kind = self.world.state.values.kinds[reached.found.value]
        first = 0 if kind == Kind.FUNCTION and isinstance(tree, Call) else 1
        receiver = tree if isinstance(tree, Attribute) else tree.callee if isinstance(tree, Call) else tree
        if first and names and kind != Kind.CLASS and isinstance(receiver, Attribute):
            yield names[0], (receiver.base, frame)
        if not isinstance(tree, Call):
            return
        by_name = dict(tree.keywords)
        rest = () if tree.is_spread else tree.arguments
        positional = dict(zip(names[first : outline.n_positional], rest, strict=False))
        for name in names[first:]:
            if name in by_name or name in positional:
                yield name, (by_name[name] if name in by_name else positional[name], frame)
            elif not tree.is_spread and name in outline.defaults:
                yield name, (outline.defaults[name], self.frame(reached.scope))

    # ------------------------------------------------------------- attributes

    def attribute(self, tree: Attribute, frame: Frame) -> Value:
        """A field, a property, a member of an enumeration."""
        world = self.world
        site = world.site(frame.scope, tree.at, READ)
        if site < 0:
            return ANYTHING
        instances, classes, is_all = world.receivers(site)
        if not is_all:
            return ANYTHING
        properties = {what: found for what, found in world.targets(site).items() if isinstance(what, int)}
        values = [self.member(cls, tree.name) for cls in classes]
        fields = [self.field(cls, tree.name, frame.scope) for cls in dict.fromkeys(instances)]
        values += [value for value in fields if value is not None]
        if None in fields:
            values += [
                self.result(scope, tree, Reached(site, frame.scope, tree.at, READ, found), frame)
                for scope, found in properties.items()
            ]
        return join(values) if values else ANYTHING

    def member(self, cls: int, name: str) -> Value:
        """`Class.name`: a member of an enumeration."""
        if is_enum(self.world.state, cls) and defines_member(self.world.state, cls, name):
            return member(cls, name)
        return ANYTHING

    def field(self, cls: int, name: str, reader: int) -> Value | None:
        """A field of the instances of a class: what is assumed of it, else what all that store it store. None for a property."""
        for one in self.world.program_classes.order[cls]:
            if isinstance(one, int) and (one, name) in self.assumed.fields:
                return ANYTHING if self.is_set_by(reader, cls, name) else self.assumed.fields[one, name]
        if self.world.is_property(cls, name):
            return None
        if name not in self.fields:
            return ANYTHING
        owner = self.world.program_classes.field_owner(cls, name)
        return self.answer(("field", owner, name), lambda: self.stored(owner, name))

    def is_set_by(self, scope: int, cls: int, name: str) -> bool:
        """Whether a scope itself stores the field: there it may still have another value than the one assumed."""
        owner = self.world.program_classes.field_owner(cls, name)
        stores = self.world.stores.get(name, ())
        return any(where == scope and self.may_store(site, owner, name) for where, site in stores)

    def stored(self, owner: int, name: str) -> Value:
        """What all that store a field store; what constructors of dataclasses are given, too."""
        classes = self.world.program_classes
        values = [
            self.stored_at(scope, site) for scope, site in self.world.stores.get(name, ()) if self.may_store(site, owner, name)
        ]
        if name in self.world.layout.scopes[owner].declared and "__init__" not in classes.provides[owner]:
            for cls in classes.below[owner]:
                values += [self.constructed_at(cls, name, one) for one in self.world.reached.get(cls, ())]
        elif self.world.is_bound(owner, name):
            values.append(self.class_value(owner, name))  # what instances show until something is stored on them
        return join(values) if values else ANYTHING

    def may_store(self, site: int, owner: int, name: str) -> bool:
        """Whether a site may store the field of an owner: also where nothing is known of what it stores to."""
        instances, others, is_all = self.world.receivers(site)
        owners = {self.world.program_classes.field_owner(cls, name) for cls in instances}
        return owner in owners or (not is_all and not instances and not others)

    def stored_at(self, scope: int, site: int) -> Value:
        """What one site stores; nothing where control does not get there."""
        outline = self.world.outline(scope)
        at = self.world.place(site)
        found = next((one for one in outline.stored if one.at == at), None) if outline else None
        if found is None:
            return ANYTHING
        frame = self.frame(scope)
        return self.value(found.tree, frame) if self.is_open(found.way, frame) else NOTHING

    def constructed_at(self, cls: int, name: str, reached: Reached) -> Value:
        """What a call of a class with a generated `__init__` gives a field; its default where the call leaves it out."""
        caller = self.world.outline(reached.scope)
        given = caller.calls.get(reached.at) if caller else None
        if given is None or not isinstance(given.tree, Call) or reached.shape != CALL:
            return ANYTHING
        frame = self.frame(reached.scope)
        if not self.is_open(given.way, frame):
            return NOTHING
        by_name = dict(given.tree.keywords)
        if name in by_name:
            return self.value(by_name[name], frame)
        if given.tree.is_spread or given.tree.arguments:
            return ANYTHING
        return self.class_value(self.world.declaring(cls, name), name)

    def class_value(self, cls: int, name: str) -> Value:
        """What the body of a class gives a name."""
        body = self.world.outline(cls)
        tree = body.final.get(name) if body else None
        return constant(tree.value) if isinstance(tree, Constant) else ANYTHING

    def item(self, tree: Item, frame: Frame) -> Value:
        """`Enumeration[name]`"""
        site = self.world.site(frame.scope, tree.at, ITEM)
        _, classes, is_all = self.world.receivers(site) if site >= 0 else ([], [], False)
        key = self.value(tree.key, frame) if classes and is_all else ANYTHING
        if key.known is None:
            return ANYTHING
        found = (self.member(cls, str(one.value)) for cls in classes for one in key.known)
        return join(Value(value.known, value.because | key.because) for value in found)

    # ------------------------------------------------------------------ calls

    def call(self, tree: Call, frame: Frame) -> Value:
        """What a call gives: of a predicate of the subject, of `bool`, of a method of text."""
        site = self.world.site(frame.scope, tree.at, CALL)
        targets = self.world.targets(site) if site >= 0 else {}
        if isinstance(tree.callee, Attribute) and tree.callee.name in TEXT_METHODS and not tree.arguments:
            return self.text_method(tree.callee, frame)
        if isinstance(tree.callee, Free) and tree.callee.name == "bool" and len(tree.arguments) == 1:
            return negate(negate(self.value(tree.arguments[0], frame)))
        if not targets or not all(isinstance(what, int) for what in targets):
            return ANYTHING
        return join(
            self.assumed.functions.get(what) or self.result(what, tree, Reached(site, frame.scope, tree.at, CALL, found), frame)
            for what, found in targets.items()
            if isinstance(what, int)
        )

    def text_method(self, callee: Attribute, frame: Frame) -> Value:
        """`text.lower()` and its kin."""
        value = self.value(callee.base, frame)
        if value.known is None or not all(isinstance(one.value, str) and one.cls < 0 for one in value.known):
            return ANYTHING
        apply = TEXT_METHODS[callee.name]
        return each(value, lambda one: apply(text_of(one)))

    def result(self, scope: int, tree: Tree, reached: Reached, frame: Frame) -> Value:
        """What a function of the subject returns to one call."""
        layout = self.world.layout
        outline = self.world.outline(scope)
        is_function = layout.scopes[scope].kind in (ScopeKind.FUNCTION, ScopeKind.LAMBDA)
        wrapped = layout.scopes[scope].flags & (ScopeFlag.GENERATOR | ScopeFlag.ASYNC)
        depth = ("result", scope, *(key for key in self.asked if key[0] == "result"))
        if outline is None or not is_function or wrapped or not outline.is_plain or len(depth) > DEEPEST_CALLS:
            return ANYTHING
        if not self.world.is_direct(reached) or (isinstance(tree, Call) and not self.world.is_plain_call(reached)):
            return ANYTHING
        given = dict(self.arguments(tree, (outline, reached), frame))
        inner = Frame(scope, given)
        key = ("result", scope, id(tree), id(frame))
        if key in self.asked:
            return ANYTHING
        self.asked[key] = len(self.asked)
        try:
            return join(self.returned(outline, inner))
        finally:
            del self.asked[key]

    def returned(self, outline: Outline, frame: Frame) -> Iterator[Value]:
        """What each `return` gives that control may reach, with the assumptions that shut the others."""
        shut: set[str] = set()
        values = []
        for one in outline.returned:
            if self.is_open(one.way, frame):
                values.append(self.value(one.tree, frame))
            else:
                shut |= self.open_reasons(one.way, frame)
        yield from (value if value.known is None else Value(value.known, value.because | shut) for value in values)


DEEPEST_CALLS = 8


def text_of(one: Known) -> str:
    """The text of a constant that is one."""
    assert isinstance(one.value, str), "only text has methods of text"
    return one.value


def is_known(value: Value) -> bool:
    """Whether a value rests on assumptions and says something."""
    return bool(value.known) and bool(value.because)
