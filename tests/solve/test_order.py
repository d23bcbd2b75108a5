"""What the engine says does not hang on how the work was ordered, nor on files that have nothing to do with it."""

from __future__ import annotations

import random
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flowmap.gather import extract_here, extract_in, unpacked
from flowmap.link.link import link
from flowmap.model.facts import FileFacts
from flowmap.model.progress import SilentProgress
from flowmap.model.source import SourceFile
from flowmap.solve.solve import solve
from flowmap.source.open import open_source
from tests.conftest import FACTS
from tests.programs import facts_say

Edges = dict[tuple[str, int, int], frozenset[str]]  # (file, line, column) of a site → what it may run


@cache
def programs() -> tuple[SourceFile, ...]:
    """Small programs, one a file, of which none knows another."""
    return tuple(open_source(str(FACTS / "cases"), (), SilentProgress()).files)


@cache
def facts() -> tuple[FileFacts, ...]:
    """Their facts."""
    return tuple(extract_here(programs(), SilentProgress()))


def edges_of(files: Iterable[FileFacts]) -> Edges:
    """What each site may run, by symbol."""
    state = solve(link(list(files)))
    layout = state.layout
    found: Edges = {}
    for site, targets in state.targets.items():
        file, index = layout.site_at(site)
        row = layout.sites(file)[index]
        names = frozenset(layout.symbol(one) if isinstance(one, int) else one for one in targets)
        found[layout.files[file].path, row[1], row[3]] = names
    return found


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_files_does_not_matter(seed: int) -> None:
    """Files are put in order before anything is linked."""
    shuffled = list(facts())
    random.Random(seed).shuffle(shuffled)
    assert edges_of(shuffled) == edges_of(facts())


@pytest.mark.parametrize("workers", [1, 2])
def test_the_number_of_workers_does_not_matter(workers: int) -> None:
    """Facts that cross process borders are the very facts."""
    with ProcessPoolExecutor(workers) as executor:
        found = [unpacked(packed) for _, packed in extract_in(executor, programs(), workers, SilentProgress())]
    assert sorted(facts_say(found), key=repr) == sorted(facts_say(facts()), key=repr)


@settings(max_examples=20, deadline=None)
@given(st.data())
def test_files_that_have_nothing_to_do_with_a_program_take_nothing_from_it(data: st.DataObject) -> None:
    """What the files of a program run among themselves stays, whatever else is indexed beside them.

    Files that call into the program are another matter: an annotation stands for all subclasses only as long as nothing flows.
    """
    chosen = data.draw(st.sets(st.sampled_from(range(len(facts()))), min_size=1, max_size=6))
    added = data.draw(st.sets(st.sampled_from(range(len(facts()))), max_size=6))
    before = edges_of(facts()[index] for index in chosen)
    after = edges_of(facts()[index] for index in chosen | added)
    lost = {site: targets - after.get(site, frozenset()) for site, targets in before.items()}
    assert not {site: targets for site, targets in lost.items() if targets}
