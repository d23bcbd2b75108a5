"""What nodes hold: those that hold the same value of the same origin share it in memory, and part when more comes."""

from __future__ import annotations

import pytest

from flowmap.gather import extract_here
from flowmap.link.link import link
from flowmap.model.progress import SilentProgress
from flowmap.solve.solve import Options, new_state
from flowmap.solve.state import SEED, State, listed
from flowmap.solve.values import Kind
from flowmap.source.open import open_source
from tests.conftest import FACTS

NODES = range(50)


@pytest.fixture
def state() -> State:
    """The state of a program in which nothing is known yet."""
    files = open_source(str(FACTS / "cases"), (), SilentProgress()).files[:1]
    return new_state(link(list(extract_here(tuple(files), SilentProgress()))), Options())


@pytest.fixture
def nodes(state: State) -> list[int]:
    """Nodes that hold nothing."""
    first = state.new_block(1, len(NODES))
    return [first + node for node in NODES]


@pytest.fixture
def values(state: State) -> tuple[int, int]:
    """Two values."""
    return state.values.of(Kind.STRING, "one"), state.values.of(Kind.STRING, "two")


def test_a_value_that_comes_to_one_node_does_not_come_to_another(state: State, nodes: list[int], values: tuple[int, int]) -> None:
    """Both got the first one from the same node."""
    (first, second), (source, here, there, *_) = values, nodes
    state.add(here, first, source)
    state.add(there, first, source)
    state.add(here, second, source)
    assert list(state.points[here] or ()) == [first, second]
    assert list(state.points[there] or ()) == [first]


def test_each_node_knows_where_its_value_came_from(state: State, nodes: list[int], values: tuple[int, int]) -> None:
    """The same value from elsewhere, or found later, is kept apart."""
    (first, _), (source, here, there, late, *_) = values, nodes
    state.add(source, first, SEED)
    state.add(here, first, source)
    state.add(there, first, here)
    state.next_stage()
    state.add(late, first, here)
    kept = [state.came(node, first) for node in (source, here, there, late)]
    assert len(set(kept)) == len(kept)


def test_an_edge_is_made_once(state: State, nodes: list[int]) -> None:
    """Of a node with many edges, too."""
    source, *many = nodes
    assert all(state.connect(state.edges, source, to) for to in many)
    assert not any(state.connect(state.edges, source, to) for to in many)
    assert [*listed(state.edges[source])] == many
