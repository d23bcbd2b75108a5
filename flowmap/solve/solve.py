"""Solves a program: installs its rows, lets values flow, and says what every site may run."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass

from flowmap.link.program import FEW, Program
from flowmap.model.facts import Binding, Op, Row, ScopeFlag, ScopeKind
from flowmap.model.hint import Hint
from flowmap.model.stubs import ReadStub
from flowmap.solve.activations import Activations, connect_defaults
from flowmap.solve.bounds import Bounds
from flowmap.solve.declared import Declared
from flowmap.solve.families import FAMILY_KIND, Families
from flowmap.solve.fields import Fields
from flowmap.solve.hints import Hints
from flowmap.solve.imports import Imports
from flowmap.solve.install import INSTALLERS, Frame, Placed
from flowmap.solve.reflections import Reflections
from flowmap.solve.rules import RULES, Rule, tables_of
from flowmap.solve.rules.operators import run_reflected
from flowmap.solve.shared_fields import SharedFields
from flowmap.solve.slots import Slots
from flowmap.solve.state import SEED, State
from flowmap.solve.stubs import Stubs, no_stub
from flowmap.solve.values import Kind
from flowmap.subject.library import Library, load_library

MOST_ROUNDS = 12  # rounds of stand-in; then all annotations speak at once


@dataclass(frozen=True, slots=True)
class Options:
    """What a run is made with."""

    rules: tuple[Rule, ...] = RULES
    library: Library | None = None
    hints: tuple[Hint, ...] = ()
    read_stub: ReadStub = no_stub


def solve(program: Program, options: Options = Options()) -> State:
    """Everything that the rules find out about a program."""
    state = new_state(program, options)
    receivers = claim_texts(state)
    bodies = name_definitions(state)
    state.hints.give(options.hints)
    install_bodies(state, bodies)
    seed_receivers(state, receivers)
    state.run()
    while run_reflected(state):
        state.run()
    state.next_stage()
    run_inferred(state)
    for _ in range(MOST_ROUNDS):
        if not state.declared.stand_in():
            break
        run_inferred(state)
    state.settle()
    return state


def run_inferred(state: State) -> None:
    """Works until nothing new arrives, what is wrapped standing in for wrappers that give nothing."""
    state.run()
    while state.activations.wrapped.stand_in() or run_reflected(state):
        state.run()


def new_state(program: Program, options: Options) -> State:
    """A state with all its parts and nothing known."""
    state = State(program)
    state.tables = tables_of(options.rules)
    state.library = options.library or load_library()
    state.bounds = Bounds(state)
    state.families = Families(state)
    state.shared_fields = SharedFields(state)
    state.stubs = Stubs(options.read_stub)
    state.slots = Slots(state)
    state.imports = Imports(state)
    state.declared = Declared(state)
    state.activations = Activations(state)
    state.fields = Fields(state)
    state.hints = Hints(state)
    state.reflections = Reflections(state)
    return state


NAMING = frozenset((Op.FUNCTION, Op.CLASS, Op.IMPORT, Op.COPY, Op.DECORATE))


def is_naming(row: Row, kind: int) -> bool:
    """Whether a row helps to say what names mean: definitions anywhere, and all that modules and class bodies do."""
    if row[0] in NAMING or (row[0] == Op.ATTR and row[4] < 0):
        return True
    return kind in (ScopeKind.MODULE, ScopeKind.CLASS) and row[0] not in (Op.ANNOTATE, Op.CREATE)


Bodies = list[tuple[int, list[Row]]]  # a file, and rows of it


def name_definitions(state: State) -> Bodies:
    """First of all, what names of definitions mean, so that annotations can be read. Gives back all other rows."""
    bodies: Bodies = []
    for file, facts in enumerate(state.layout.files):
        naming: list[Row] = []
        others: list[Row] = []
        for scope, rows in zip(facts.scopes, facts.ops, strict=True):
            for row in rows:
                (naming if is_naming(row, scope[0]) else others).append(row)
        install_rows(state, file, naming)
        bodies.append((file, others))
    for file, facts in enumerate(state.layout.files):
        if facts.scopes:
            state.imports.connect_unbound(file)
    state.run()
    return bodies


def install_rows(state: State, file: int, rows: list[Row]) -> None:
    """Installs rows of a file, with the text's own nodes."""
    context = (Placed(Frame(), state.layout.node_base[file]).__getitem__, file, 0)
    for row in rows:
        INSTALLERS[row[0]](state, row, context)


def install_bodies(state: State, bodies: Bodies) -> None:
    """All other rows, which are let go."""
    for file, rows in bodies:
        install_rows(state, file, rows)
    bodies.clear()
    for scope, row in enumerate(state.layout.scopes):
        if row.kind in (ScopeKind.FUNCTION, ScopeKind.LAMBDA):
            connect_defaults(state, state.activations.signature(scope, 0), scope, Frame())


Receivers = dict[int, list[int]]  # by method


def receivers_of(state: State, method: int, abstract: Container[int]) -> list[int]:
    """The values that the first parameter of a method stands for: one a class, or one family where they are many. `abstract`
    classes have no instances."""
    row = state.layout.scopes[method]
    if row.flags & ScopeFlag.STATIC or not row.params:
        return []
    classes = state.program.self_classes(method)
    if row.name == "__init_subclass__":  # it runs for the classes below alone
        classes = tuple(cls for cls in classes if cls != state.program.methods[method][0])
    if not classes:
        return []
    kind = Kind.CLASS if row.flags & ScopeFlag.CLASSMETHOD or row.name in CLASS_FIRST else Kind.INSTANCE
    if kind == Kind.INSTANCE:
        classes = tuple(cls for cls in classes if cls not in abstract) or classes
    if len(classes) > FEW:
        return [state.families.of(FAMILY_KIND[kind], state.program.methods[method][0], classes, method)]
    if kind == Kind.INSTANCE and state.program.classes.made_by:
        return [one for cls in classes for one in instances_of(state, cls)]
    return [state.values.of(kind, cls) for cls in classes]


def is_abstract(state: State, cls: int) -> bool:
    """Whether a class cannot be made: below `ABC`, with an abstract method that no class of its order implements."""
    provides = state.program.classes.provides[cls]
    return is_below_abc(state, cls) and any(is_abstract_method(state, name, one) for name, one in provides.items())


def is_below_abc(state: State, cls: int) -> bool:
    """Whether a class of the order is `ABC`, or names its metaclass."""
    order, scopes = state.program.classes.order[cls], state.layout.scopes
    return "abc.ABC" in order or any(isinstance(one, int) and scopes[one].metaclass.endswith("ABCMeta") for one in order)


def is_abstract_method(state: State, name: str, cls: int) -> bool:
    """Whether all that a class body binds to a name are abstract functions."""
    layout = state.layout
    base = layout.scope_base[layout.scope_file[cls]]
    bindings = layout.scopes[cls].bindings.get(name, ())
    return bool(bindings) and all(
        kind == Binding.DEFINITION and layout.scopes[rest[0] + base].flags & ScopeFlag.ABSTRACT for kind, *rest in bindings
    )


def instances_of(state: State, cls: int) -> list[int]:
    """The values that are instances of a class: of a metaclass, the classes that it makes."""
    made = [one for one in state.program.classes.made_by.get(cls, ()) if state.program.classes.metaclasses[one] == cls]
    return [state.values.of(Kind.CLASS, one) for one in made] or [state.values.of(Kind.INSTANCE, cls)]


def claim_texts(state: State) -> Receivers:
    """The first receiver of each method takes the text's own nodes. A family is there before anything runs, so that none of
    its members is told apart. Gives back all receivers."""
    abstract = frozenset(cls for cls in state.program.classes.order if is_abstract(state, cls))
    found: Receivers = {}
    for method in state.program.methods:
        found[method] = receivers_of(state, method, abstract)
        for receiver in found[method][:1]:
            state.activations.use_text(method, receiver)
            if state.families.is_family(receiver):
                seed_receiver(state, method, receiver)
    return found


def seed_receivers(state: State, receivers: Receivers) -> None:
    """`self` of every method: one activation for each class that picks the method."""
    for method, values in receivers.items():
        for receiver in values:
            seed_receiver(state, method, receiver)


def seed_receiver(state: State, method: int, receiver: int) -> None:
    """`self` of one activation."""
    activation = state.activations.for_receiver(method, 0, receiver)
    signature = state.activations.signature(method, activation)
    if signature.positional:
        state.add(signature.positional[0], receiver, SEED)


CLASS_FIRST = frozenset(("__new__", "__init_subclass__", "__class_getitem__"))
