"""The state of solving: what is known at every node, and the work list that makes it grow.

Inclusion-based propagation (L. O. Andersen, 1994) by strata of confidence: all that is proven is found before anything
inferred is tried, so a value's confidence is the strongest that any chain of evidence gives it, whatever the order of work.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from flowmap.link.program import Program
from flowmap.model.facts import Row
from flowmap.solve.described import Described
from flowmap.solve.elsewhere import Elsewhere
from flowmap.solve.values import Kind, Values
from flowmap.solve.variants import Variants

if TYPE_CHECKING:  # the parts of the state, which all work on it
    from flowmap.solve.activations import Activations
    from flowmap.solve.bounds import Bounds
    from flowmap.solve.declared import Declared
    from flowmap.solve.families import Families
    from flowmap.solve.fields import Fields
    from flowmap.solve.hints import Hints
    from flowmap.solve.imports import Imports
    from flowmap.solve.reflections import Reflections
    from flowmap.solve.shared_fields import SharedFields
    from flowmap.solve.slots import Slots
    from flowmap.solve.stubs import Stubs
    from flowmap.subject.library import Border, Library

PROVEN, INFERRED = 0, 1
LET_GO, HELD_ALREADY = -1, -2  # instead of a value, at a node where much comes together
STAGE_BITS = 1
EDGE_BITS = 32  # more than nodes or values need; pairs are kept as one number
STAGE_MASK = 1
SHORT = 8  # edges of a node that are searched one by one; further ones are looked up
NO_PARENT = -2
COME_BYTES = 8
SEED = -1  # the parent of a value that the text itself put there

Handler = Callable[["State", int, Row], None]
Table = tuple[tuple[Handler, ...], ...]  # what to do with a value, by its kind
Ends = int | list[int] | dict[int, None]  # where the edges of a node lead: one, few, or many
Watchers = tuple[Any, Any] | list[Any]  # of a node, flat: table, row, table, row ...; most nodes have one
Held = tuple[int] | dict[int, int]  # the values at a node: a single one, or each with how it came; most nodes hold one


class Partial(NamedTuple):
    """A call with some of its arguments. `binds`: a method of the object that it is read off."""

    function: int
    arguments: tuple[int, ...]  # starred ones as complements
    keywords: tuple[tuple[str | None, int], ...]
    binds: bool


@dataclass(frozen=True, slots=True)
class Found:
    """A target of a site: what runs, since which stage, and the value at the node that says so."""

    stage: int
    node: int
    value: int


class State:
    """All that is known so far. Rules read it and add to it; nothing is ever taken away."""

    stubs: Stubs
    hints: Hints
    reflections: Reflections
    n_facts = 0  # values that have gone on from nodes

    def __init__(self, program: Program) -> None:
        self.program, self.layout = program, (layout := program.layout)
        self.values, self.stage = Values(), PROVEN
        n = layout.n_nodes
        self.points: list[Held | None] = [None] * n
        self.comes = array("q", bytes(COME_BYTES * n))  # how the single value of a node came
        self.edges: list[Ends | None] = [None] * n  # a value goes on as surely as it came
        self.weak: list[Ends | None] = [None] * n  # goes on inferred at best
        self.triggers: list[Watchers | None] = [None] * n
        self.delta: dict[int, list[int]] = {}  # what has come to a node and not gone on yet
        self.queue: deque[int] = deque()
        self.agenda: deque[tuple[Table, Row, list[int]]] = deque()  # watchers that came after the values
        self.postponed: list[tuple[int, int, int]] = []  # (node, value, parent) for the next stage
        self.postponed_rest: list[tuple[int, int] | tuple[int, Table, Row]] = []  # edges and watchers, likewise
        self.described = Described()
        self.block_starts: list[int] = []  # blocks of nodes of further activations
        self.block_firsts: list[int] = []  # the text's own node that each block begins with
        self.nothing = frozenset(layout.node_base)
        self.targets: dict[int, dict[int | str, Found]] = {}  # site → what it runs: scope number or dotted name
        self.made: dict[int, dict[int, Found]] = {}  # site → the classes that it makes an instance of
        self.tables: dict[str, Table] = {}
        self.makers: dict[int, bool] = {}  # scope → whether it returns functions that it makes
        self.specials: set[tuple[int, str, int, int]] = set()  # (call's node, name, receiver, site) that have been called
        self.connected: set[tuple[int, int, int, int]] = set()  # (call's node, site, scope, activation)
        self.parent = self.come = NO_PARENT  # of the value that came last, and as it is kept: those that come together share it
        self.bounds: Bounds
        self.most_held = self.most_objects = MOST_HELD
        self.widened: set[int] = set()  # nodes where something was let go
        self.sides: dict[tuple[int, str, int], int] = {}
        self.widened_sites: set[int] = set()  # calls that have more targets than exchange values with them
        self.partners: dict[int, dict[int, None]] = {}  # site → the scopes that exchange values with it
        self.partials: list[Partial] = []
        self.read_by_name: dict[int, dict[int, None]] = {}  # node of the name that `attrgetter` takes → what it is read off
        self.bound_partials: dict[tuple[int, int], int] = {}  # (value of a partial method, receiver) → number
        self.dispatchers: set[int] = set()  # nodes of the implementations that functions dispatch to by type
        self.library: Library
        self.variants = Variants(program)
        self.dispatched: dict[int, dict[int, int]] = {}  # site → the variants of callable objects that it calls, and the node
        self.families: Families
        self.shared_fields: SharedFields
        self.slots: Slots
        self.fields: Fields
        self.imports: Imports
        self.declared: Declared
        self.activations: Activations
        self.elsewhere = Elsewhere()
        self.outside_sites: dict[int, str] = {}  # sites that run something unnamed of an outside package
        self.constants: dict[int, str] = {}  # nodes of strings that stand in the text
        self.computed: set[int] = set()  # nodes that a computed name gives
        self.changed: dict[int, int] = {}  # node << EDGE_BITS | value → the value at the node's parent that turned into it

    # ------------------------------------------------------------------ nodes

    def new_node(self, origin: int, label: str) -> int:
        """A node made while solving; `origin` is the node of the text that it belongs to."""
        number = len(self.points)
        for column in (self.points, self.edges, self.weak, self.triggers):
            column.append(None)
        self.comes.append(0)
        self.described.add(number, origin, label)
        return number

    def origin(self, node: int) -> tuple[int, str]:
        """The node of the text that a node stands for or beside, and the label of a side node."""
        label = ""
        while node >= self.layout.n_nodes:
            found = self.described.find(node)
            if found is not None:
                node, label = found[0], label or found[1]
            else:
                block = bisect_right(self.block_starts, node) - 1
                node += self.block_firsts[block] - self.block_starts[block]
        return node, label

    def side_node(self, origin: int, label: str, value: int = -1) -> int:
        """The node of a rule's intermediate result beside `origin`: always the same one for the same purpose (and value).
        What stands behind a NUL in the label tells purposes apart and is not shown."""
        key = (origin, label, value)
        found = self.sides.get(key)
        if found is None:
            found = self.sides[key] = self.new_node(origin, label.partition("\0")[0])
        return found

    def new_block(self, first: int, count: int) -> int:
        """Nodes for another activation of a scope whose own begin at `first`; returns the first of them."""
        start = len(self.points)
        blank = [None] * count
        for column in (self.points, self.edges, self.weak, self.triggers):
            column.extend(blank)
        self.comes.frombytes(bytes(COME_BYTES * count))
        self.block_starts.append(start)
        self.block_firsts.append(first)
        return start

    # ------------------------------------------------------------ propagation

    def add(self, node: int, value: int, parent: int) -> None:
        """A value has arrived at a node, from `parent` (a node, or SEED)."""
        held = self.points[node]
        if held is None:
            if node in self.nothing:
                return
            if parent != self.parent:
                self.come_from(parent)
            self.points[node] = self.values.alone[value]
            self.comes[node] = self.come
        elif value in held:
            return
        elif len(held) >= self.most_held and (self.values.kinds[value] not in OBJECTS or len(held) >= self.most_objects):
            self.widened.add(node)
            return
        else:
            if parent != self.parent:
                self.come_from(parent)
            if isinstance(held, tuple):
                held = self.points[node] = {held[0]: self.comes[node]}
            held[value] = self.come
        waiting = self.delta.get(node)
        if waiting is None:
            self.delta[node] = [value]
            self.queue.append(node)
        else:
            waiting.append(value)

    def come_from(self, parent: int) -> None:
        """What comes now comes from `parent`."""
        self.parent = parent
        self.come = parent << STAGE_BITS | self.stage

    def came(self, node: int, value: int) -> int:
        """How a value came to a node that holds it: from which parent, and in which stage (STAGE_BITS)."""
        held = self.points[node]
        assert held is not None, "the node holds the value"
        return self.comes[node] if isinstance(held, tuple) else held[value]

    def comings(self, node: int) -> Iterable[tuple[int, int]]:
        """The values at a node, each with how it came."""
        held = self.points[node]
        if held is None:
            return ()
        return ((held[0], self.comes[node]),) if isinstance(held, tuple) else held.items()

    def parent_of(self, node: int, value: int) -> int:
        """The node from which a value first came to a node; SEED where the text put it there, or it is not there."""
        held = self.points[node]
        return self.came(node, value) >> STAGE_BITS if held is not None and value in held else SEED

    def turn(self, node: int, value: int, at: tuple[int, int]) -> None:
        """As `add`, for a value that another one, `at` = (node, value), turned into."""
        held = self.points[node]
        if held is not None and (value in held or len(held) >= MOST_TURNED):
            if value not in held:
                self.widened.add(node)
            return
        self.changed[node << EDGE_BITS | value] = at[1]
        self.add(node, value, at[0])

    def add_weakly(self, node: int, value: int, parent: int) -> None:
        """As `add`, but inferred at best, and bounded where much comes together: the way into parameters, fields
        and elements."""
        if self.stage < INFERRED:
            self.postponed.append((node, value, parent))
            return
        held = self.points[node]
        if held is not None and value in held:
            return
        admitted = self.bounds.admitted(node, value, held)
        if admitted >= 0:
            self.add(node, admitted, parent)
        elif admitted == LET_GO:
            self.widened.add(node)

    def flow(self, src: int, dst: int) -> None:
        """Whatever is or will be at `src` is at `dst`, as surely as it is at `src` when the edge was there before; else as surely
        as the stage in which the edge is made."""
        if self.connect(self.edges, src, dst):
            for value in tuple(self.points[src] or ()):
                self.add(dst, value, src)

    def flow_later(self, src: int, dst: int) -> None:
        """As `flow`, inferred at best: out of what other places may change."""
        if self.stage < INFERRED:
            self.postponed_rest.append((src, dst))
        else:
            self.flow(src, dst)

    def flow_weakly(self, src: int, dst: int) -> None:
        """Whatever is or will be at `src` is at `dst`, inferred at best: into parameters and fields."""
        if self.connect(self.weak, src, dst):
            for value in tuple(self.points[src] or ()):
                self.add_weakly(dst, value, src)

    def connect(self, column: list[Ends | None], src: int, dst: int) -> bool:
        """Makes an edge; False when it is there already, or leads from or to nothing."""
        if src in self.nothing or dst in self.nothing:
            return False
        edges = column[src]
        if edges is None:
            column[src] = dst
            return True
        if isinstance(edges, int):
            if edges == dst:
                return False
            column[src] = [edges, dst]
        elif dst in edges:
            return False
        elif isinstance(edges, dict):
            edges[dst] = None
        elif len(edges) < SHORT:
            edges.append(dst)
        else:
            column[src] = {**dict.fromkeys(edges), dst: None}
        return True

    def watch(self, node: int, table: Table, row: Row) -> None:
        """Calls the table's handlers for each value that is or will be at a node."""
        if node in self.nothing:
            return
        watchers = self.triggers[node]
        if watchers is None:
            self.triggers[node] = (table, row)
        elif isinstance(watchers, tuple):
            self.triggers[node] = [*watchers, table, row]
        else:
            watchers += (table, row)
        held = self.points[node]
        if held:
            pending = self.delta.get(node, ())
            known = [value for value in held if value not in pending]
            self.agenda.append((table, row, known))

    def watch_later(self, node: int, table: Table, row: Row) -> None:
        """As `watch`, for what is inferred at best."""
        if self.stage < INFERRED:
            self.postponed_rest.append((node, table, row))
        else:
            self.watch(node, table, row)

    def run(self) -> None:
        """Works until nothing new arrives in this stage."""
        queue, delta, edges, weak, triggers = self.queue, self.delta, self.edges, self.weak, self.triggers
        kinds = self.values.kinds
        while queue or self.agenda:
            if self.agenda:
                self.run_agenda()
                if not queue:
                    break
            node = queue.popleft()
            fresh = delta.pop(node)
            self.n_facts += len(fresh)
            if edges[node] is not None:
                self.run_surely(node, fresh)
            if weak[node] is not None:
                self.run_weak(node, fresh)
            watchers = iter(tuple(triggers[node] or ()))
            for table, row in zip(watchers, watchers, strict=True):
                for value in fresh:
                    for handler in table[kinds[value]]:
                        handler(self, value, row)

    def run_agenda(self) -> None:
        """Tells watchers the values that came before them."""
        agenda, kinds = self.agenda, self.values.kinds
        if self.n_facts > MOST_FACTS * self.layout.n_nodes:
            self.most_held, self.most_objects = MOST_HELD_IN_PLENTY, MOST_OBJECTS_IN_PLENTY
        while agenda:
            table, row, known = agenda.popleft()
            for value in known:
                for handler in table[kinds[value]]:
                    handler(self, value, row)

    def run_surely(self, node: int, fresh: list[int]) -> None:
        """Values along edges."""
        points = self.points
        nothing: Held = {}
        for dst in listed(self.edges[node]):
            held = points[dst] or nothing
            for value in fresh:
                if value not in held:
                    self.add(dst, value, node)

    def run_weak(self, node: int, fresh: list[int]) -> None:
        """Values along weak edges."""
        points = self.points
        nothing: Held = {}
        for dst in listed(self.weak[node]):
            held = points[dst] or nothing
            for value in fresh:
                if value not in held:
                    self.add_weakly(dst, value, node)

    def settle(self) -> None:
        """Lets go of what only the work needed, once nothing more will arrive: about half of the memory."""
        assert not self.queue, "every value has arrived"
        assert not self.agenda, "every watcher has been told"
        for column in (self.edges, self.weak, self.triggers):
            column.clear()
        self.connected.clear()
        self.specials.clear()
        self.partners.clear()
        self.sides.clear()
        self.fields.readers.clear()
        self.slots.forget()
        self.declared.forget()
        self.bounds.forget()

    def evidence_told(self) -> None:
        """Lets go of what only evidence is told from."""
        self.changed.clear()

    def calls_told(self) -> None:
        """Lets go of what runs where, once the rows of that are made: what fields are accessed hangs on values alone."""
        self.targets.clear()

    def let_go(self) -> None:
        """Lets go of what was found, too, once the rows of the index are made of it: the collector rests."""
        self.points.clear()
        self.changed.clear()
        self.targets.clear()

    def next_stage(self) -> None:
        """Goes on to what is inferred."""
        self.stage = INFERRED
        self.parent = NO_PARENT
        postponed, self.postponed = self.postponed, []
        for node, value, parent in postponed:
            self.add_weakly(node, value, parent)
        rest, self.postponed_rest = self.postponed_rest, []
        for one in rest:
            match one:
                case (src, dst):
                    self.flow(src, dst)
                case (watched, table, row):
                    self.watch(watched, table, row)

    # ----------------------------------------------------------------- results

    def target(self, site: int, what: int | str, at: tuple[int, int]) -> None:
        """A site runs `what`: a scope by number, or something outside by dotted name. `at` is the (node, value) that says so."""
        if site < 0:
            return
        found = self.targets.get(site)
        if found is None:
            found = self.targets[site] = {}
        if what not in found:
            found[what] = self.found(at)

    def makes(self, site: int, cls: int, at: tuple[int, int]) -> None:
        """A site makes an instance of a class, whatever runs for it. `at` is the (node, value) that says so."""
        if site >= 0 and cls not in self.made.setdefault(site, {}):
            self.made[site][cls] = self.found(at)

    def found(self, at: tuple[int, int]) -> Found:
        """What a value at a node says, with the stage in which it came there."""
        node, value = at
        held = self.points[node]
        stage = self.came(node, value) & STAGE_MASK if held and value in held else self.stage
        return Found(stage, node, value)

    def border_site(self, site: int, border: Border) -> int:
        """The site of what a call hands over to run elsewhere, numbered behind the sites of the text."""
        borders = self.elsewhere.borders
        return borders.setdefault((site, border), self.layout.n_sites + len(borders))

    def connects(self, site: int, scope: int) -> bool:
        """Whether a call may exchange values with one more target; not beyond a bound, which `widened_sites` tells."""
        if site < 0:
            return True
        known = self.partners.setdefault(site, {})
        if scope in known or len(known) < MOST_CONNECTED:
            known[scope] = None
            return True
        self.widened_sites.add(site)
        return False

    def scope_has(self, scope: int, flag: int) -> bool:
        """Whether a scope bears a flag of ScopeFlag."""
        return bool(self.layout.scopes[scope].flags & flag)


MOST_CONNECTED = 24  # targets of one call that exchange values with it; further ones are still its targets
MOST_TURNED = 160  # made at one node out of other values, such as the methods of all receivers
MOST_HELD = 160  # known at one node, whatever it is
MOST_HELD_IN_PLENTY = 24  # likewise, once there are more facts than MOST_FACTS for each node of the text
MOST_OBJECTS_IN_PLENTY = 32  # likewise, where instances come behind texts, containers and functions
MOST_FACTS = 8
OBJECTS = frozenset((Kind.INSTANCE, Kind.FAMILY))


def listed(ends: Ends | None) -> Iterable[int]:
    """Where edges lead, one by one."""
    if ends is None:
        return ()
    return (ends,) if isinstance(ends, int) else tuple(ends)
