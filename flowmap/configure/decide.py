"""Decides the tests of a program under assumptions: begins where what is assumed is read, and goes on from there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from flowmap.configure.assumed import find_assumed
from flowmap.configure.evaluate import Evaluator, Frame, is_known
from flowmap.configure.world import CALL, READ, Outlined, World
from flowmap.model.assumption import Assumption
from flowmap.model.decision import Decided, Decisions
from flowmap.model.facts import ScopeKind
from flowmap.model.literals import Position
from flowmap.model.outline import Attribute, Call, Outline, Tree
from flowmap.solve.state import State


def decide(state: State, outlines: Callable[[str], Outlined], assumptions: Sequence[Assumption]) -> Decisions:
    """How the tests come out that the assumptions decide, by file and place.

    Errors: FlowmapError when an assumption matches nothing of the program.
    """
    world = World(state, outlines)
    search = _Search(Evaluator(world, find_assumed(world, assumptions)))
    search.run()
    layout = state.layout
    return {layout.files[file].path: dict(sorted(found.items())) for file, found in sorted(search.decided.items())}


class _Search:
    """Rounds: the scopes that what is known may reach are read, and tell what else is known then."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self.world = evaluator.world
        self.decided: dict[int, dict[Position, Decided]] = {}
        self.fields: dict[str, None] = {}  # known since this round
        self.parameters: dict[tuple[int, str], None] = {}
        self.results: dict[int, None] = {}
        self.returning: set[int] = set()  # scopes whose results are known
        self.modules: dict[int, None] = {}  # with globals that are known since this round
        self.opened: set[int] = set()

    def run(self) -> None:
        """Works until nothing further is known."""
        assumed = self.evaluator.assumed
        self.fields.update(dict.fromkeys(sorted({name for _, name in assumed.fields})))
        self.results.update(dict.fromkeys(sorted(assumed.functions)))
        self.modules.update(dict.fromkeys(module for module, _ in sorted(assumed.globals)))
        for _ in range(MOST_ROUNDS):
            for scope in self.next_round():
                self.read(scope)
            if not (self.fields or self.parameters or self.results or self.modules):
                return

    def next_round(self) -> dict[int, None]:
        """The scopes to which something is known since the last round."""
        evaluator = self.evaluator
        evaluator.forget()
        evaluator.fields.update(self.fields)
        evaluator.parameters.update(self.parameters)
        self.returning.update(self.results)
        found = dict.fromkeys(scope for name in self.fields for scope in self.world.readers.get(name, ()))
        found.update(dict.fromkeys(scope for scope, _ in self.parameters))
        found.update(dict.fromkeys(one.scope for scope in self.results for one in self.world.reached.get(scope, ())))
        found.update(dict.fromkeys(scope for module in self.modules for scope in self.scopes_of(module)))
        self.opened.update(self.modules)
        self.fields, self.parameters, self.results, self.modules = {}, {}, {}, {}
        return dict.fromkeys(sorted(found))

    def scopes_of(self, module: int) -> Iterator[int]:
        """A global is known: any scope of its file may read it."""
        file = self.world.layout.scope_file[module]
        return (scope for scope, at in enumerate(self.world.layout.scope_file) if at == file)

    def is_known(self, tree: Tree, frame: Frame) -> bool:
        """Whether a tree has a value that rests on assumptions."""
        self.evaluator.begin()
        return is_known(self.evaluator.value(tree, frame))

    def read(self, scope: int) -> None:
        """Decides the tests of a scope, and tells on what it stores, returns and passes."""
        outline = self.world.outline(scope)
        if outline is None:
            return
        frame = self.evaluator.frame(scope)
        self.decide(scope, outline, frame)
        for stored in outline.stored:
            if stored.name not in self.evaluator.fields and self.is_known(stored.tree, frame):
                self.fields[stored.name] = None
        if scope not in self.returning and any(self.is_known(one.tree, frame) for one in outline.returned):
            self.results[scope] = None
        is_module = self.world.layout.scopes[scope].kind == ScopeKind.MODULE
        if is_module and scope not in self.opened and any(self.is_known(tree, frame) for tree in outline.final.values()):
            self.modules[scope] = None
        for at, given in outline.calls.items():
            assert isinstance(given.tree, Call), "calls are calls"
            self.pass_on(given.tree, self.world.site(scope, at, CALL), frame)
        for at, given in outline.reads.items():
            assert isinstance(given.tree, Attribute), "reads are attributes"
            if self.is_known(given.tree.base, frame):
                self.receive(self.world.site(scope, at, READ))

    def decide(self, scope: int, outline: Outline, frame: Frame) -> None:
        """The tests of one scope."""
        file = self.world.layout.scope_file[scope]
        for test in outline.tests:
            self.evaluator.begin()
            value = self.evaluator.value(test.tree, frame)
            if value.truth is not None and value.because:
                found = Decided(value.truth, test.text, tuple(sorted(value.because)))
                self.decided.setdefault(file, {})[test.at] = found

    def pass_on(self, call: Call, site: int, frame: Frame) -> None:
        """A call may pass what is known: what it runs may be decided, and a dataclass gets a field."""
        known = [tree for tree in (*call.arguments, *(inner for _, inner in call.keywords)) if self.is_known(tree, frame)]
        if known:
            for what in self.world.targets(site) if site >= 0 else ():
                if isinstance(what, int):
                    self.given(what)
        if isinstance(call.callee, Attribute) and self.is_known(call.callee.base, frame):
            self.receive(site)

    def given(self, scope: int) -> None:
        """Something known is passed to a scope."""
        inside = self.world.layout.scopes[scope]
        for name, *_ in inside.params:
            if (scope, name) not in self.evaluator.parameters:
                self.parameters[scope, name] = None
        for name in inside.declared if inside.kind == ScopeKind.CLASS else ():
            if name not in self.evaluator.fields:
                self.fields[name] = None

    def receive(self, site: int) -> None:
        """What a site runs has a receiver that is known."""
        for what in self.world.targets(site) if site >= 0 else ():
            if isinstance(what, int):
                for name, *_ in self.world.layout.scopes[what].params[:1]:
                    if (what, name) not in self.evaluator.parameters:
                        self.parameters[what, name] = None


MOST_ROUNDS = 24  # a configuration known through more steps than these is not known further
