"""Acceptance: what is counted, how it is smoothed, how sure it is, what foresight tells."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adaptive_disable.acceptance import BLIND, UNSEEN, Observed, speculated

STEPS = st.lists(st.lists(st.integers(1, 5), min_size=1, max_size=8), min_size=1, max_size=20)


def test_what_a_step_tells() -> None:
    """Lengths 1, 3 and 2: six tokens of three requests, two of which were extended by the draft."""
    assert speculated([1, 3, 2]) == Observed(requests=3, tokens=6, squares=14, extended=2)


def test_what_was_never_seen_is_taken_for_the_longest() -> None:
    """Without doubt: it is tried."""
    assert (UNSEEN.mean(5), UNSEEN.error(5)) == (5.0, 0.0)


def test_what_comes_in_outweighs_what_was() -> None:
    """With a window of eight, eight results of 1 count twice as much as the eight of 3 before them."""
    acceptance = UNSEEN.after(speculated([3] * 8), 8).after(speculated([1] * 8), 8)
    assert acceptance.mean(3) == pytest.approx(5 / 3)


def test_many_results_are_surer_than_few() -> None:
    """Sixteen times as many, a quarter of the error, roughly."""
    few = UNSEEN.after(speculated([1, 3] * 8), 10**6)
    many = UNSEEN.after(speculated([1, 3] * 128), 10**6)
    assert few.error(3) / many.error(3) == pytest.approx(4, rel=0.1)


def test_few_equal_results_are_no_certainty() -> None:
    """Two results of 3 do not mean that it is always 3."""
    assert UNSEEN.after(speculated([3, 3]), 256).error(3) > 0.3


def test_faded_it_keeps_its_mean() -> None:
    """And weighs no more than it is told to; what weighs less already stays as it is."""
    acceptance = UNSEEN.after(speculated([1, 3] * 50), 256)
    assert acceptance.faded(10).mean(3) == pytest.approx(2.0)
    assert acceptance.faded(10).weight == pytest.approx(10)
    assert acceptance.faded(1000) == acceptance
    assert UNSEEN.faded(10) == UNSEEN


def test_foresight_counts_further_tokens_as_last_seen() -> None:
    """A right first token came with half a further one; foreseen half the time, that makes 1.75 tokens."""
    last = UNSEEN.after(speculated([1, 1, 2, 3]), 256)
    foresight = BLIND.after(Observed(plain=10_000, foreseen=5000), 256)
    assert foresight.most(last, 3, errors=0) == pytest.approx(1.75, abs=0.01)


def test_foresight_without_that_takes_each_token_for_as_likely() -> None:
    """A half, a quarter, an eighth."""
    foresight = BLIND.after(Observed(plain=10_000, foreseen=5000), 256)
    assert foresight.most(UNSEEN, 4, errors=0) == pytest.approx(1.875, abs=0.01)


@given(STEPS, st.integers(1, 500))
def test_the_mean_lies_among_what_was_seen(steps: list[list[int]], window: int) -> None:
    """Whatever the window."""
    acceptance = UNSEEN
    for accepted in steps:
        acceptance = acceptance.after(speculated(accepted), window)
    seen = [length for accepted in steps for length in accepted]
    assert min(seen) - 1e-9 <= acceptance.mean(5) <= max(seen) + 1e-9
    assert acceptance.weight <= window + max(len(accepted) for accepted in steps)
