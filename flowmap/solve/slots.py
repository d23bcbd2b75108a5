"""What containers hold: a node for each key that is known, one for all others, one for the keys themselves."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from flowmap.solve.state import State
from flowmap.solve.values import Kind

KEYS = "\0keys"  # the slot for a dict's keys
AWAITED = "\0awaited"  # the slot for a coroutine's result
SENT = "\0sent"  # the slot for what is sent into a generator
FURTHER = ("\0second", "\0third", "\0fourth", "\0fifth")  # what the further type variables of an outside class stand for
ASIDE = (KEYS, AWAITED, SENT, *FURTHER)  # not among the elements
COMMON = (None, *ASIDE)
NAMESPACE = "types.SimpleNamespace"  # the type of containers whose keys are attributes
FIXED = frozenset(("tuple", "generator", "coroutine", "type"))  # types of containers that keep what they were made with
MOST_KEYS = 64  # told apart in one container; further keys share one slot
Key = str | int | None  # None: any key that is not known


@dataclass(frozen=True, slots=True)
class Mirror:
    """A container that has what another one has: from position `start` on, without some keys."""

    into: int
    start: int = 0
    without: frozenset[Key] = frozenset()

    def key(self, key: Key) -> tuple[bool, Key]:
        """Whether a key of the one is a key of the other, and which."""
        if key in self.without:
            return False, None
        if isinstance(key, int) and self.start:
            return key >= self.start, key - self.start
        return True, key


class Slots:
    """The nodes of all containers."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.nodes: defaultdict[int, dict[Key, int]] = defaultdict(dict)
        self.readers: defaultdict[int, dict[int, None]] = defaultdict(dict)
        self.mirrors: defaultdict[int, dict[Mirror, None]] = defaultdict(dict)
        self.owners: dict[int, int] = {}  # container that an instance is by a base outside → the instance
        self.views: dict[int, tuple[int, int]] = {}  # view of such a container → (container, node that holds the instance)
        self.factories: dict[int, int] = {}  # container that makes what is asked for and not there → node of what makes it
        self.lengths: dict[int, int] = {}  # container → how many elements its display has, where all have their positions

    def forget(self) -> None:
        """Lets go of what only the work needed."""
        self.readers.clear()
        self.mirrors.clear()

    def node(self, container: int, key: Key) -> int:
        """The node of one slot; readers of the whole container hear of a new one."""
        slots = self.nodes[container]
        found = slots.get(key)
        if found is None and len(slots) >= MOST_KEYS and key not in COMMON:
            return self.node(container, None)
        if found is None:
            _, origin = self.state.values.payloads[container]
            found = self.state.new_node(origin, f"element {key}" if key is not None else "element")
            self.adopt(container, key, found)
        return found

    def adopt(self, container: int, key: Key, node: int) -> None:
        """Makes an existing node a container's slot (what a generator yields, what a coroutine returns)."""
        self.nodes[container][key] = node
        if key not in ASIDE:
            for reader in tuple(self.readers[container]):
                self.state.flow_weakly(node, reader)
        for mirror in tuple(self.mirrors[container]):
            self.reflect(mirror, key, node)

    def known(self, container: int, key: Key) -> int:
        """The node of a slot that is there, -1 for one that is not."""
        return self.nodes[container].get(key, -1) if container in self.nodes else -1

    def read(self, container: int, key: Key, dst: int) -> None:
        """Lets what a key may give flow to a node; with an unknown key, what any key may give."""
        if key is None:
            self.read_all(container, dst)
            return
        flow = self.state.flow if self.is_fixed(container) else self.state.flow_later
        flow(self.node(container, key), dst)
        if key not in ASIDE:
            flow(self.node(container, None), dst)

    def is_fixed(self, container: int) -> bool:
        """Whether nothing else in the program can put other elements into a container."""
        return self.state.values.payloads[container][0] in FIXED

    def shift(self, container: int) -> None:
        """Its elements change places: each may be anywhere."""
        self.read_all(container, self.node(container, None))

    def hand(self, container: int, key: Key, dst: int) -> None:
        """As `read`, for a parameter or field, where much may come together."""
        self.state.flow_weakly(self.node(container, key), dst)
        self.state.flow_weakly(self.node(container, None), dst)

    def from_end(self, container: int, key: int) -> Key:
        """The position that one below zero means; None where the number of elements is not known."""
        position = self.lengths.get(container, 0) + key
        return position if position >= 0 else None

    def read_all(self, container: int, dst: int) -> None:
        """Lets every element flow to a node, those that come later too."""
        if dst in self.readers[container]:
            return
        self.readers[container][dst] = None
        for key, node in tuple(self.nodes[container].items()):
            if key not in ASIDE:
                self.state.flow_weakly(node, dst)

    def mirror(self, container: int, mirror: Mirror) -> None:
        """Lets every slot flow into the same slot of another container."""
        if mirror.into == container:
            if mirror.start:
                self.read_all(container, self.node(container, None))
            return
        if mirror in self.mirrors[container]:
            return
        self.mirrors[container][mirror] = None
        for key, node in tuple(self.nodes[container].items()):
            self.reflect(mirror, key, node)

    def reflect(self, mirror: Mirror, key: Key, node: int) -> None:
        """Lets one slot flow into its mirror."""
        is_there, turned = mirror.key(key)
        if is_there:
            self.state.flow_weakly(node, self.node(mirror.into, turned))

    def made(self, type_name: str, node: int) -> int:
        """The container that a node makes."""
        return self.state.values.of(Kind.CONTAINER, (type_name, node))
