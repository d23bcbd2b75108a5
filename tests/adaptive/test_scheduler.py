"""Speculation is switched off and on at random on SGLang's real scheduler, on a CPU: two schedules of the matrix of `make prove`.

The environment is made in build/sglang-cpu, once: a few minutes, and 2 GB. The runs take 50 seconds of processor time.
"""

from __future__ import annotations

import pytest

from tests.adaptive.environment import Answer, Environment, prepared
from tests.adaptive.faults import Fault
from tests.adaptive.judging import LARGEST_GAP, judged
from tests.adaptive.prove import found_out, outputs

SEEDS = (0, 1)
SPOILT = "STANDALONE:one-token"


@pytest.fixture(scope="module")
def environment() -> Environment:
    """SGLang 0.5.9, in an environment of its own."""
    return prepared()


@pytest.fixture(scope="module")
def baseline(environment: Environment) -> list[Answer]:
    """The runs without speculation."""
    return environment.answers("baseline", SEEDS)


@pytest.mark.parametrize(("run", "seed"), [("EAGLE:one-token", 0), ("STANDALONE:dummy-draft", 1)])
def test_flips_change_no_token(environment: Environment, baseline: list[Answer], run: str, seed: int) -> None:
    """Nor leak a slot, nor miscount; requests arrive, end early, are aborted and retracted meanwhile."""
    (answer,) = environment.answers(run, [seed])
    verdict = judged(answer, baseline[seed])
    assert verdict.wrong == ()
    if verdict.differing:
        assert max(max(gaps) for gaps in environment.gaps(outputs([answer]))) <= LARGEST_GAP


@pytest.fixture(scope="module")
def unspoilt(environment: Environment) -> list[Answer]:
    """The run that faults are put into."""
    return environment.answers(SPOILT, [0])


@pytest.mark.parametrize("fault", [Fault.DRAFT_LEFT_BEHIND, Fault.PACKED])
def test_a_fault_is_found_out(environment: Environment, baseline: list[Answer], unspoilt: list[Answer], fault: Fault) -> None:
    """By what it breaks: the draft's KV and what is accepted after an off step, or the tokens."""
    run = f"{SPOILT}:{fault.value}"
    assert judged(unspoilt[0], baseline[0]).wrong == ()
    assert found_out(run, environment.answers(run, [0]), baseline[:1], unspoilt)["found_out"]
