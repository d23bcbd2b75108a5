"""The control flow of one scope, on demand: its statements one by one, the ways between them, and the blocks that these make.

What may raise is what calls, reads an attribute, an item or an operator; inside `try` and `with` each such statement leads to
what would run then. Outside of them only `raise` and `assert` are drawn to the exceptional exit.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, auto

from flowmap.extract.blocks import blocks_of
from flowmap.extract.deep import room_for_deep_trees
from flowmap.extract.parse import parse
from flowmap.extract.statement_text import Head, else_if, head_of
from flowmap.model.control import Branch, ControlFlow, Point, Statement, Turn

ENTRY, EXIT, RAISED, FIRST = 0, 1, 2, 3  # the nodes that hold no statement, and the first that holds one
ScopeNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef | ast.Module


class Jump(Enum):
    """How a statement leaves the ones around it."""

    RETURN = auto()
    BREAK = auto()
    CONTINUE = auto()
    RAISE = auto()


WORDS = {Jump.RETURN: "after return", Jump.BREAK: "after break", Jump.CONTINUE: "after continue", Jump.RAISE: "raises on"}


@dataclass(frozen=True, slots=True)
class Loose:
    """A way that leads on from a statement, to wherever comes next."""

    start: int
    turn: Turn = Turn.NEXT
    label: str = ""


Ends = tuple[Loose, ...]


@dataclass(slots=True)
class Loop:
    """A loop around what is read: where it goes on, and what leaves it."""

    head: int
    breaks: list[Loose] = field(default_factory=list)


@dataclass(slots=True)
class Handlers:
    """The handlers of a `try` around what is read: what arrives at the first."""

    raised: list[Loose] = field(default_factory=list)


@dataclass(slots=True)
class Final:
    """What always runs at the end of what is read (`finally`, the end of a `with`): what arrives there, and on its way where."""

    arriving: list[Loose] = field(default_factory=list)
    pending: list[Jump] = field(default_factory=list)


Around = Loop | Handlers | Final


def control_flow(text: bytes, path: str, at: Point | None) -> ControlFlow | None:
    """The control flow of the function, lambda or class that begins at a place (where its decorators or its `def` do); of the
    module where no place is given. None where there is no such scope, or the text does not parse
    or nests too deeply."""
    tree = parse(text, path)
    if not isinstance(tree, ast.Module):
        return None
    node = tree if at is None else scope_at(tree, at)
    try:
        with room_for_deep_trees():
            return None if node is None else flow_of(node)
    except RecursionError:
        return None


def scope_at(tree: ast.Module, at: Point) -> ScopeNode | None:
    """The scope whose `def`, `class` or `lambda` stands at a place."""
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef
    found = (node for node in ast.walk(tree) if isinstance(node, kinds) and (node.lineno, node.col_offset) == at)
    return next(found, None)


def flow_of(node: ScopeNode) -> ControlFlow:
    """The control flow of one scope."""
    reader = Reader()
    body = [ast.copy_location(ast.Return(node.body), node.body)] if isinstance(node, ast.Lambda) else node.body
    for end in reader.block(body, (Loose(ENTRY),)):
        reader.lead(end, EXIT)
    return blocks_of(tuple(reader.statements), tuple(reader.regions), tuple(dict.fromkeys(reader.ways)))


class Reader:
    """A scope while it is read: each statement takes the ways that arrive and gives those that lead on."""

    def __init__(self) -> None:
        self.statements: list[Statement] = []
        self.regions: list[int] = []  # for each statement what its exceptions go to
        self.ways: list[Branch] = []  # between statements
        self.around: list[Around] = []
        self.inside: tuple[int, ...] = ()
        self.readers: dict[type, Callable[..., Ends]] = {
            ast.If: self.if_,
            ast.While: self.while_,
            ast.For: self.for_,
            ast.AsyncFor: self.for_,
            ast.Try: self.try_,
            ast.TryStar: self.try_,
            ast.With: self.with_,
            ast.AsyncWith: self.with_,
            ast.Match: self.match_,
            ast.Return: self.return_,
            ast.Raise: self.raise_,
            ast.Assert: self.assert_,
            ast.Break: self.break_,
            ast.Continue: self.continue_,
        }

    # ------------------------------------------------------------------ ways

    def lead(self, way: Loose, end: int) -> None:
        self.ways.append(Branch(way.start, end, way.turn, way.label))

    def place(self, head: Head, arriving: Ends) -> int:
        """A statement, with the ways that arrive at it; its number."""
        number = len(self.statements) + FIRST
        self.statements.append(Statement(number, head.text, head.start, head.end, self.inside, head.is_silent, head.is_added))
        self.regions.append(next((id(one) for one in reversed(self.around) if not isinstance(one, Loop)), 0))
        for way in arriving:
            self.lead(way, number)
        if head.may_raise and self.regions[-1]:
            self.jump(Jump.RAISE, Loose(number, Turn.RAISES))
        return number

    def jump(self, kind: Jump, way: Loose) -> None:
        """Leads a way out of the statements around it, to the first that stops it."""
        for one in reversed(self.around):
            match one:
                case Final():
                    one.arriving.append(way)
                    one.pending += [kind] if kind not in one.pending else []
                    return
                case Handlers() if kind is Jump.RAISE:
                    one.raised.append(way)
                    return
                case Loop() if kind is Jump.BREAK:
                    one.breaks.append(way)
                    return
                case Loop() if kind is Jump.CONTINUE:
                    self.lead(replace(way, turn=Turn.AGAIN) if way.turn in (Turn.NEXT, Turn.LEAVES) else way, one.head)
                    return
                case _:
                    pass
        self.lead(way, RAISED if kind is Jump.RAISE else EXIT)

    # ------------------------------------------------------------ statements

    def block(self, statements: Sequence[ast.stmt], arriving: Ends) -> Ends:
        """Statements in order. Those that nothing arrives at are kept, too."""
        for statement in statements:
            arriving = self.readers.get(type(statement), self.simple)(statement, arriving)
        return arriving

    def within(self, head: int, statements: Sequence[ast.stmt], arriving: Ends) -> Ends:
        """The statements below a head."""
        before, self.inside = self.inside, (*self.inside, head)
        ends = self.block(statements, arriving)
        self.inside = before
        return ends

    def simple(self, node: ast.stmt, arriving: Ends) -> Ends:
        return (Loose(self.place(head_of(node), arriving)),)

    def if_(self, node: ast.If, arriving: Ends) -> Ends:
        """`if` with all its `elif`, which stand as deep as it does."""
        head = head_of(node)
        number = self.place(head, arriving)
        before, self.inside = self.inside, (*self.inside, number)
        ends = list(self.block(node.body, holding(number, head)))
        while (inner := else_if(node)) is not None:
            left = failing(number, head)
            node, head = inner, replace(head_of(inner), text=f"el{head_of(inner).text}")
            number = self.place(head, left)
            ends += self.block(node.body, holding(number, head))
        ends += self.block(node.orelse, failing(number, head))
        self.inside = before
        return tuple(ends)

    def while_(self, node: ast.While, arriving: Ends) -> Ends:
        head = head_of(node)
        number = self.place(head, arriving)
        return self.loop(node, number, holding(number, head), failing(number, head))

    def for_(self, node: ast.For | ast.AsyncFor, arriving: Ends) -> Ends:
        number = self.place(head_of(node), arriving)
        target = ast.unparse(node.target)
        return self.loop(node, number, (Loose(number, Turn.HOLDS, f"next {target}"),), (Loose(number, Turn.FAILS, "no more"),))

    def loop(self, node: ast.For | ast.AsyncFor | ast.While, head: int, into: Ends, out: Ends) -> Ends:
        loop = Loop(head)
        self.around.append(loop)
        for end in self.within(head, node.body, into):
            self.lead(replace(end, turn=Turn.AGAIN) if end.turn is Turn.NEXT else end, head)
        self.around.pop()
        return (*self.within(head, node.orelse, out), *loop.breaks)

    def match_(self, node: ast.Match, arriving: Ends) -> Ends:
        number = self.place(head_of(node), arriving)
        before, self.inside = self.inside, (*self.inside, number)
        left: Ends = (Loose(number),)
        ends: list[Loose] = []
        for case in node.cases:
            head = head_of(case)
            own = self.place(head, left)
            ends += self.within(own, case.body, holding(own, head))
            left = failing(own, head)
        self.inside = before
        return (*ends, *left)

    # ------------------------------------------------------------ exceptions

    def try_(self, node: ast.Try | ast.TryStar, arriving: Ends) -> Ends:
        number = self.place(head_of(node), arriving)
        final, handlers = Final(), Handlers()
        before, self.inside = self.inside, (*self.inside, number)
        self.around += [final] if node.finalbody else []
        self.around += [handlers] if node.handlers else []
        ends = self.block(node.body, (Loose(number),))
        if node.handlers:
            self.around.pop()
        ends = self.block(node.orelse, ends)
        ends = (*ends, *self.handlers(node, tuple(handlers.raised)))
        if node.finalbody:
            self.around.pop()
            ends = self.final(
                final, ends, lambda begun: self.block(node.finalbody, begun), Head.added("finally:", node.finalbody[0])
            )
        self.inside = before
        return ends

    def handlers(self, node: ast.Try | ast.TryStar, raised: Ends) -> Ends:
        """The handlers, one after the other; what none of them takes goes on its way."""
        if isinstance(node, ast.TryStar):
            return self.group_handlers(node, raised)
        ends: list[Loose] = []
        for handler in node.handlers:
            head = head_of(handler)
            number = self.place(head, raised)
            ends += self.within(number, handler.body, holding(number, head))
            raised = failing(number, head)
        self.raise_on(raised)
        return tuple(ends)

    def group_handlers(self, node: ast.TryStar, left: Ends) -> Ends:
        """Each takes its part of a group, and what it raises itself joins the rest: all are asked, whatever happens."""
        for handler in node.handlers:
            head = replace(head_of(handler), text=head_of(handler).text.replace("except", "except*", 1))
            number = self.place(head, left)
            raising = Handlers()
            self.around.append(raising)
            handled = self.within(number, handler.body, holding(number, head))
            self.around.pop()
            left = (*failing(number, head), *handled, *raising.raised)
        self.raise_on(left)
        return tuple(way for way in left if way.turn is not Turn.RAISES)

    def raise_on(self, ways: Ends) -> None:
        """What no handler takes goes on its way."""
        for way in ways:
            self.jump(Jump.RAISE, replace(way, turn=Turn.RAISES))

    def final(self, final: Final, ends: Ends, body: Callable[[Ends], Ends], head: Head) -> Ends:
        """What always runs: where it is reached by a jump it goes on with that."""
        number = self.place(head, (*ends, *final.arriving))
        done = body((Loose(number),))
        for kind in final.pending:
            turn = Turn.RAISES if kind is Jump.RAISE else Turn.LEAVES
            for way in done:
                self.jump(kind, Loose(way.start, turn, WORDS[kind]))
        return done if ends else ()

    def with_(self, node: ast.With | ast.AsyncWith, arriving: Ends) -> Ends:
        """`with`: its end is a step of its own, which may end an exception."""
        head = head_of(node)
        number = self.place(head, arriving)
        final = Final()
        self.around.append(final)
        ends = self.within(number, node.body, (Loose(number),))
        self.around.pop()
        before, self.inside = self.inside, (*self.inside, number)
        end = replace(head, text=f"end of {head.text.rstrip(':')}", is_added=True)
        left = self.final(final, ends, lambda begun: begun, end)
        self.inside = before
        suppressed = Jump.RAISE in final.pending
        return left or ((Loose(len(self.statements) + FIRST - 1, Turn.SUPPRESSED, "if it suppresses"),) if suppressed else ())

    def raise_(self, node: ast.Raise, arriving: Ends) -> Ends:
        number = self.place(replace(head_of(node), may_raise=False), arriving)
        self.jump(Jump.RAISE, Loose(number, Turn.RAISES))
        return ()

    def assert_(self, node: ast.Assert, arriving: Ends) -> Ends:
        head = replace(head_of(node), may_raise=False)
        number = self.place(head, arriving)
        self.jump(Jump.RAISE, Loose(number, Turn.RAISES, head.fails))
        return (Loose(number, Turn.HOLDS, head.holds),)

    # ----------------------------------------------------------------- jumps

    def return_(self, node: ast.Return, arriving: Ends) -> Ends:
        self.jump(Jump.RETURN, Loose(self.place(head_of(node), arriving), Turn.LEAVES))
        return ()

    def break_(self, node: ast.Break, arriving: Ends) -> Ends:
        self.jump(Jump.BREAK, Loose(self.place(head_of(node), arriving), Turn.LEAVES))
        return ()

    def continue_(self, node: ast.Continue, arriving: Ends) -> Ends:
        self.jump(Jump.CONTINUE, Loose(self.place(head_of(node), arriving), Turn.LEAVES))
        return ()


def holding(number: int, head: Head) -> Ends:
    """The way on where a test holds; none where it never does."""
    return (Loose(number, Turn.HOLDS, head.holds),) if head.may_hold else ()


def failing(number: int, head: Head) -> Ends:
    """The way on where it fails; none where it never does."""
    return (Loose(number, Turn.FAILS, head.fails),) if head.may_fail else ()
