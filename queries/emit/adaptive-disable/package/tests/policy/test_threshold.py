"""`threshold`: hysteresis, dwell, one decision a step, and that a larger batch never speaks for speculation."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adaptive_disable.policy import Decision, Policy, Reason, Signals, State, StepError, ThresholdPolicy

LOADS = st.lists(st.integers(1, 128), min_size=1, max_size=80)


def course(policy: Policy, batches: list[int]) -> list[Decision]:
    """The decisions for these batch sizes, step by step."""
    decisions = []
    for step, batch_size in enumerate(batches):
        policy, decision = policy.decide(Signals(step, batch_size))
        decisions.append(decision)
    return decisions


def states(policy: Policy, batches: list[int]) -> list[str]:
    """The same, the states alone."""
    return [decision.state.value for decision in course(policy, batches)]


def test_off_at_the_upper_threshold_and_on_again_at_the_lower() -> None:
    """Between the two thresholds it stays what it was."""
    policy = ThresholdPolicy(off_batch=8, on_batch=4, dwell=1)
    assert states(policy, [7, 8, 7, 5, 4, 5, 7]) == ["on", "off", "off", "off", "on", "on", "on"]


def test_a_flip_says_why() -> None:
    """The reason names the side from which the load came."""
    decisions = course(ThresholdPolicy(off_batch=8, on_batch=4, dwell=1), [9, 3])
    assert [(decision.reason, decision.flipped) for decision in decisions] == [
        (Reason.BATCH_LARGE, True),
        (Reason.BATCH_SMALL, True),
    ]


def test_it_dwells_before_it_flips_again() -> None:
    """Three steps must pass after a flip, whatever the load does."""
    decisions = course(ThresholdPolicy(off_batch=8, on_batch=4, dwell=3), [9, 1, 1, 1])
    assert [decision.reason for decision in decisions[1:]] == [Reason.DWELL, Reason.DWELL, Reason.BATCH_SMALL]


def test_waiting_requests_may_count() -> None:
    """With a weight of one half, eight waiting requests are worth four running ones; without a weight nothing."""
    signals = Signals(0, batch_size=4, queue_length=8)
    biased = ThresholdPolicy(off_batch=8, on_batch=4, dwell=1, queue_weight=0.5)
    assert biased.decide(signals)[1].state is State.OFF
    assert ThresholdPolicy(off_batch=8, on_batch=4, dwell=1).decide(signals)[1].state is State.ON


def test_no_step_is_decided_twice() -> None:
    """Asking again for the step that was decided last is an error of the caller."""
    policy, _ = ThresholdPolicy(off_batch=8, on_batch=4, dwell=1).decide(Signals(7, 1))
    with pytest.raises(StepError, match="step 7 was asked for after step 7"):
        policy.decide(Signals(7, 1))


@given(LOADS, st.integers(1, 20))
def test_never_flips_within_its_dwell(batches: list[int], dwell: int) -> None:
    """Between any two flips at least `dwell` steps pass."""
    decisions = course(ThresholdPolicy(off_batch=64, on_batch=32, dwell=dwell), batches)
    flips = [decision.step for decision in decisions if decision.flipped]
    assert all(after - before >= dwell for before, after in pairwise(flips))


@given(LOADS, st.integers(1, 128), st.integers(0, 128))
def test_monotone_in_batch_size(before: list[int], batch_size: int, more: int) -> None:
    """From the same state, wherever it came from, a larger batch never speculates where a smaller one does not."""
    policy: Policy = ThresholdPolicy(off_batch=64, on_batch=32, dwell=3)
    for step, size in enumerate(before):
        policy, _ = policy.decide(Signals(step, size))
    _, small = policy.decide(Signals(len(before), batch_size))
    _, large = policy.decide(Signals(len(before), batch_size + more))
    assert small.speculate or not large.speculate


@given(st.lists(st.tuples(st.integers(1, 128), st.integers(0, 64)), min_size=1, max_size=80))
def test_monotone_over_a_whole_course_without_dwell(loads: list[tuple[int, int]]) -> None:
    """Where no flip has to wait, a load that is larger at every step never speculates where the smaller does not."""
    policy = ThresholdPolicy(off_batch=64, on_batch=32, dwell=1)
    small = course(policy, [size for size, _ in loads])
    large = course(policy, [size + more for size, more in loads])
    assert all(one.speculate or not other.speculate for one, other in zip(small, large, strict=True))
