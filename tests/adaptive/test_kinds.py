"""Grammar, penalties, log probabilities, sampling, step times and ranks, on SGLang's real scheduler, on a CPU."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.adaptive.environment import Environment, prepared
from tests.adaptive.grammar import is_counted
from tests.adaptive.ranks import OWN

Answers = Mapping[str, Mapping[str, Any]]


@pytest.fixture(scope="module")
def environment() -> Environment:
    """SGLang 0.5.9, in an environment of its own."""
    return prepared()


@pytest.fixture(scope="module")
def plain(environment: Environment) -> Answers:
    """What comes of them without speculation."""
    return environment.kinds()


@pytest.fixture(scope="module")
def drafted(environment: Environment) -> Answers:
    """What comes of them with speculation, and with the hook."""
    return environment.kinds("EAGLE")


def test_a_grammar_masks_off_steps_as_it_does_others(plain: Answers, drafted: Answers) -> None:
    """Its requests get what they get without speculation, and so do those that have none, in the same batches."""
    flips = drafted["grammar"]["flips"]
    assert flips["out"] == plain["grammar"]["plain"]["out"]
    assert [is_counted(tokens) for tokens in flips["out"]] == [True, False, True, False]
    assert set(flips["decisions"]) == {True, False}
    assert flips["problems"] == []


@pytest.mark.parametrize("kind", ["penalties", "logprobs"])
def test_what_a_verify_step_leaves_out_of_account_is_left_to_sglang(drafted: Answers, kind: str) -> None:
    """The controller is asked about no step, and the tokens are those of the server without the hook."""
    answers = drafted[kind]
    assert answers["flips"]["decisions"] == []
    assert answers["flips"]["out"] == answers["stock"]["out"]


def test_a_verify_step_applies_no_penalty(plain: Answers, drafted: Answers) -> None:
    """Which is why such requests may not be decoded plainly: their tokens would hang on the flips."""
    assert drafted["penalties"]["stock"]["out"] != plain["penalties"]["plain"]["out"]


def test_off_steps_sample(drafted: Answers) -> None:
    """Requests of one prompt get tokens of their own, and nothing is out of step."""
    off = drafted["sampled"]["off"]
    assert len({tuple(tokens) for tokens in off["out"]}) == len(off["out"])
    assert off["problems"] == []


def test_step_times_are_measured_and_nothing_is_left(drafted: Answers) -> None:
    """For batches of 1, 2, 4 and as many requests as can run, and by their length; all slots are free, nothing is patched."""
    table = drafted["calibration"]["table"]
    assert table["batch_sizes"][:3] == [1, 2, 4]
    assert all(time > 0 for time in (*table["on_ms"], *table["off_ms"]))
    assert len(table["on_ms_token"]) == len(table["off_ms_token"]) == len(table["batch_sizes"])
    assert drafted["calibration"]["changed"] == []


def test_all_ranks_do_what_rank_0_decides(environment: Environment, tmp_path: Path) -> None:
    """Whatever they would have decided themselves."""
    assert environment.shared(tmp_path / "meeting") == [OWN[0], OWN[0]]
