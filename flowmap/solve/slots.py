"""What containers hold: a node for each key that is known, one for all others, one for the keys themselves."""

from __future__ import annotations

from collections import defaultdict

from flowmap.solve.state import State
from flowmap.solve.values import Kind

KEYS = "\0keys"  # the slot for a dict's keys
AWAITED = "\0awaited"  # the slot for a coroutine's result
SENT = "\0sent"  # the slot for what is sent into a generator
ASIDE = (KEYS, AWAITED, SENT)  # not among the elements
COMMON = (None, *ASIDE)
MOST_KEYS = 64  # told apart in one container; further keys share one slot
Key = str | int | None  # None: any key that is not known


class Slots:
    """The nodes of all containers."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.nodes: defaultdict[int, dict[Key, int]] = defaultdict(dict)
        self.readers: defaultdict[int, list[int]] = defaultdict(list)
        self.mirrors: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)  # (container, shift)

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
        for into, shift in tuple(self.mirrors[container]):
            self.reflect((key, node), into, shift)

    def known(self, container: int, key: Key) -> int:
        """The node of a slot that is there, -1 for one that is not."""
        return self.nodes[container].get(key, -1) if container in self.nodes else -1

    def read(self, container: int, key: Key, dst: int) -> None:
        """Lets what a key may give flow to a node; with an unknown key, what any key may give."""
        if key is None:
            self.read_all(container, dst)
            return
        self.state.flow(self.node(container, key), dst)
        if key not in ASIDE:
            self.state.flow(self.node(container, None), dst)

    def hand(self, container: int, key: Key, dst: int) -> None:
        """As `read`, for a parameter or field, where much may come together."""
        self.state.flow_weakly(self.node(container, key), dst)
        self.state.flow_weakly(self.node(container, None), dst)

    def read_all(self, container: int, dst: int) -> None:
        """Lets every element flow to a node, those that come later too."""
        if dst in self.readers[container]:
            return
        self.readers[container].append(dst)
        for key, node in tuple(self.nodes[container].items()):
            if key not in ASIDE:
                self.state.flow_weakly(node, dst)

    def mirror(self, container: int, into: int, shift: int = 0) -> None:
        """Lets each slot flow into the same slot of another container; positions move by `shift`, those below 0 are left out."""
        if into == container:
            if shift:
                self.read_all(container, self.node(into, None))
            return
        if (into, shift) in self.mirrors[container]:
            return
        self.mirrors[container].append((into, shift))
        for slot in tuple(self.nodes[container].items()):
            self.reflect(slot, into, shift)

    def reflect(self, slot: tuple[Key, int], into: int, shift: int) -> None:
        """One slot, (key, node), of a container that another one mirrors."""
        key, node = slot
        if isinstance(key, int) and shift:
            key += shift
            if key < 0:
                return
            if key >= MOST_KEYS:
                key = None
        self.state.flow_weakly(node, self.node(into, key))

    def made(self, type_name: str, node: int) -> int:
        """The container that a node makes."""
        return self.state.values.of(Kind.CONTAINER, (type_name, node))
