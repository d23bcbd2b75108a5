"""`cost-table`: break-even, probes and their bounds, the way back when load falls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adaptive_disable.acceptance import NOTHING, Observed, speculated
from adaptive_disable.config import HookConfig, Mode
from adaptive_disable.costs import CostTable
from adaptive_disable.policy import Decision, Policy, Reason, Signals, State, StepError, policy_for

# Break-even is 1.2 at one request, 2 at 32, 4 at 128; at most 3 tokens a request.
TABLE = CostTable((1, 32, 128), (6.0, 12.0, 32.0), (5.0, 6.0, 8.0))
LONGEST = 3
Seen = Callable[[int, bool], Observed]
LOADS = st.lists(st.tuples(st.integers(1, 128), st.integers(1, 3)), min_size=1, max_size=150)


def policy(**changed: int | float) -> Policy:
    """A policy of this table with the settings' defaults."""
    return policy_for(HookConfig(mode=Mode.COST_TABLE, **changed), LONGEST, TABLE)  # type: ignore[arg-type]


def course(asked: Policy, batches: Sequence[int], yields: Sequence[int]) -> list[Decision]:
    """The decisions for these batch sizes, where all requests of a speculating step have the length that `yields` says
    of it; what a step yields is seen two decisions later, as with overlapped scheduling.
    """
    decisions: list[Decision] = []
    coming = [NOTHING, NOTHING]
    for step, (batch_size, length) in enumerate(zip(batches, yields, strict=True)):
        asked, decision = asked.decide(Signals(step, batch_size, 0, coming.pop(0)))
        coming.append(speculated([length] * batch_size) if decision.speculate else NOTHING)
        decisions.append(decision)
    return decisions


def test_break_even_moves_with_the_context() -> None:
    """Where steps on grow faster, what pays for short requests does not for long ones, though all is accepted."""
    table = CostTable((64,), (16.0,), (6.0,), 150, (0.03,), (0.002,))
    asked = policy_for(HookConfig(mode=Mode.COST_TABLE, dwell=1), LONGEST, table)
    states = []
    for step, context in enumerate((150, 250, 350, 450, 200)):
        asked, decision = asked.decide(Signals(step, 64, context=context))
        states.append((decision.state.value, round(decision.break_even or 0, 2)))
    assert states == [("on", 2.67), ("off", 3.06), ("off", 3.44), ("off", 3.79), ("on", 2.87)]


def test_stays_on_while_the_acceptance_pays() -> None:
    """Three tokens a request where two are break-even."""
    assert {decision.state for decision in course(policy(), [32] * 50, [3] * 50)} == {State.ON}


def test_off_once_the_acceptance_is_seen_not_to_pay() -> None:
    """One token a request where two are break-even: off at the first decision that knows."""
    decisions = course(policy(), [32] * 5, [1] * 5)
    assert [decision.state.value for decision in decisions] == ["on", "on", "off", "off", "off"]
    assert decisions[2].reason is Reason.BELOW_BREAK_EVEN


def test_off_at_once_where_not_even_the_longest_acceptance_pays() -> None:
    """Four tokens would be wanted at 128 requests: nothing has to be seen for that."""
    assert course(policy(), [128], [3])[0].state is State.OFF


def test_no_probe_where_not_even_the_longest_acceptance_pays() -> None:
    """Off stays off, however long."""
    assert {decision.state for decision in course(policy(), [128] * 1000, [3] * 1000)} == {State.OFF}


def test_on_again_at_once_when_the_load_falls() -> None:
    """What was seen under load pays at a smaller batch: no probe is needed."""
    decisions = course(policy(), [32] * 10 + [128] * 50 + [32] * 3, [3] * 63)
    assert [decision.state.value for decision in decisions[9:11]] == ["on", "off"]
    assert decisions[60].reason is Reason.ABOVE_BREAK_EVEN


def test_a_gain_of_six_percent_is_no_dead_band() -> None:
    """Once enough results are in, a yield 5.9 % above break-even keeps it on, and one 5.9 % below does not."""
    table = CostTable((1,), (17.0,), (10.0,))
    asked = policy_for(HookConfig(window=512), LONGEST, table)
    for length, state in ((1.8, State.ON), (1.6, State.OFF)):
        after = asked
        tokens = [int(length * (index + 1)) - int(length * index) for index in range(600)]
        for step, token in enumerate(tokens):
            after, decision = after.decide(Signals(step, 1, 0, speculated([token])))
            if decision.state is State.OFF:
                break
        assert after.state is state


def test_a_failed_probe_doubles_the_wait() -> None:
    """Probes at a yield that never pays: each wait is twice the one before, up to the limit."""
    steps = 8000
    decisions = course(policy(probe_backoff=4), [32] * steps, [1] * steps)
    begun = [decision.step for decision in decisions if decision.reason is Reason.PROBE_DUE]
    waits = [after - before for before, after in pairwise(begun)]
    assert waits[1] == pytest.approx(2 * waits[0], rel=0.05)
    assert waits[2:] == [waits[2]] * len(waits[2:])
    assert waits[2] < 2 * waits[1]


def test_a_probe_that_pays_leaves_it_on() -> None:
    """The yield rises while it is off; the next probe finds out."""
    decisions = course(policy(), [32] * 1000, [1] * 20 + [3] * 980)
    reasons = [decision.reason for decision in decisions if decision.flipped or decision.reason is Reason.PROBE_PAID]
    assert reasons == [Reason.BELOW_BREAK_EVEN, Reason.PROBE_DUE, Reason.PROBE_PAID]


def test_a_probe_ends_when_the_load_makes_it_hopeless() -> None:
    """The batch grows to where no acceptance pays."""
    first = course(policy(), [32] * 1000, [1] * 1000)
    due = next(decision.step for decision in first if decision.reason is Reason.PROBE_DUE)
    decisions = course(policy(), [32] * (due + 1) + [128] * 3, [1] * (due + 4))
    assert decisions[due + 1].reason is Reason.PROBE_HOPELESS


def test_foresight_spares_probes_that_would_fail() -> None:
    """While the draft is seen to foresee one token in ten, no probe is made; without that knowledge there are some."""

    def probes(plain: Observed) -> int:
        asked, seen, begun = policy(), NOTHING, 0
        for step in range(5000):
            asked, decision = asked.decide(Signals(step, 30, 0, seen))
            seen = speculated([1] * 30) if decision.speculate else plain
            begun += decision.reason is Reason.PROBE_DUE
        return begun

    assert probes(Observed(plain=30, foreseen=3)) == 0
    assert probes(NOTHING) > 0


def test_foresight_asks_for_a_probe_as_soon_as_it_is_sure() -> None:
    """The draft foresees all: a probe within a few steps, where it else would wait for hundreds."""
    asked, seen = policy(), NOTHING
    for step in range(100):
        asked, decision = asked.decide(Signals(step, 30, 0, seen))
        seen = speculated([1 if step < 10 else 3] * 30) if decision.speculate else Observed(plain=30, foreseen=30)
    assert decision.state is State.ON


def test_no_step_is_decided_twice() -> None:
    """Nor is one decided before another that was decided already."""
    asked, _ = policy().decide(Signals(7, 1))
    for step in (7, 6):
        with pytest.raises(StepError):
            asked.decide(Signals(step, 1))


def test_it_wants_a_table() -> None:
    """The mode cannot do without step times."""
    with pytest.raises(ValueError, match="wants step times"):
        policy_for(HookConfig(mode=Mode.COST_TABLE), LONGEST)


@given(LOADS, st.integers(1, 20))
def test_never_flips_within_its_dwell(loads: list[tuple[int, int]], dwell: int) -> None:
    """Between two flips at least `dwell` steps pass; only the end of a probe may come earlier."""
    decisions = course(
        policy(dwell=dwell, probe_budget=0.5), [size for size, _ in loads], [length for _, length in loads]
    )
    flips = [decision for decision in decisions if decision.flipped]
    ends = (Reason.PROBE_FAILED, Reason.PROBE_HOPELESS)
    assert all(
        after.step - before.step >= dwell or (before.reason is Reason.PROBE_DUE and after.reason in ends)
        for before, after in pairwise(flips)
    )


@given(LOADS)
def test_a_probe_is_bounded(loads: list[tuple[int, int]]) -> None:
    """No probe takes more steps than the settings say."""
    asked = policy(dwell=1, probe_budget=0.9, probe_steps=5)
    decisions = course(asked, [size for size, _ in loads], [length for _, length in loads])
    running = 0
    for decision in decisions:
        running = running + 1 if decision.state is State.PROBE else 0
        assert running <= 5


@settings(deadline=None, max_examples=12)
@given(st.integers(1, 60), st.sampled_from([0.005, 0.01, 0.05]))
def test_failing_probes_stay_within_their_budget(batch_size: int, budget: float) -> None:
    """Where nothing is ever accepted, the time lost to probes is no more than their share of the whole."""
    steps = 6000
    decisions = course(policy(probe_budget=budget), [batch_size] * steps, [1] * steps)
    on, off = TABLE.on(batch_size), TABLE.off(batch_size)
    given_up = next(decision.step for decision in decisions if decision.state is State.OFF)
    after = decisions[given_up:]
    last = max((index for index, decision in enumerate(after) if decision.state is State.PROBE), default=-1)
    time = sum(on if decision.speculate else off for decision in after[: last + 1])
    assert time - off * (last + 1) <= budget * time + 2 * on


@given(LOADS)
def test_the_same_signals_give_the_same_decisions(loads: list[tuple[int, int]]) -> None:
    """A policy is a value: asked twice from its beginning, it decides twice the same."""
    sizes, yields = [size for size, _ in loads], [length for _, length in loads]
    assert course(policy(), sizes, yields) == course(policy(), sizes, yields)
