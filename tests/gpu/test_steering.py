"""Who decides the steps of a stage, and the scenarios that are run."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from benchmarks.gpu.asked import Ablated, Decided, Flips, Held, Stage, Steering, alike
from benchmarks.gpu.scenarios import SCENARIOS, Kind
from benchmarks.gpu.steering import Said, Steered, n_flips


class Alternating:
    """A policy: off when it is asked the second time, on the third, and so on. Keeps what it was told."""

    def __init__(self) -> None:
        self.asked: list[tuple[int, int, int]] = []
        self.told: list[object] = []

    def decide(self, batch_size: int, queue_length: int, context: int) -> Said:
        """On, off, on."""
        self.asked.append((batch_size, queue_length, context))
        return Said(len(self.asked) % 2 == 1)

    def observe_speculated(self, accepted: Sequence[int]) -> None:
        """Kept."""
        self.told.append(list(accepted))

    def observe_plain(self, n_requests: int, foreseen: int | None = None) -> None:
        """Kept."""
        self.told.append((n_requests, foreseen))


def decided(steered: Steered, steering: Steering, number: int = 4) -> list[bool]:
    """What a stage's steps do."""
    steered.begin(Stage("stage", (), steering))
    return [steered.decide(3, 1, 90).speculate for _ in range(number)]


@pytest.mark.parametrize("way", [Held.OFF, *Ablated], ids=lambda way: way.value)
def test_a_stage_can_be_held_off(way: Steering) -> None:
    """Ablated steps are off, too."""
    assert decided(Steered(Alternating), way) == [False] * 4


def test_flips_are_the_same_in_every_run() -> None:
    """By the seed; a step that never stays flips each time."""
    assert decided(Steered(Alternating), Flips(5), 40) == decided(Steered(Alternating), Flips(5), 40)
    assert decided(Steered(Alternating), Flips(6), 40) != decided(Steered(Alternating), Flips(5), 40)
    assert decided(Steered(Alternating), Flips(5, stay=0.0)) == [False, True, False, True]


def test_the_hooks_own_controller_decides_where_a_stage_says_so() -> None:
    """It is made once, goes on from stage to stage, and is told of the results of its own stages alone."""
    made: list[Alternating] = []

    def make() -> Alternating:
        made.append(Alternating())
        return made[-1]

    steered = Steered(make)
    assert decided(steered, Held.ON, 2) == [True, True]
    assert decided(steered, Decided.BY_POLICY, 3) == [True, False, True]
    assert decided(steered, Held.OFF, 1) == [False]
    steered.observe_plain(7, 7)
    steered.observe_speculated([1, 1])
    assert decided(steered, Decided.BY_POLICY, 2) == [False, True]
    steered.observe_speculated([3, 1])
    steered.observe_plain(2, 1)
    (own,) = made
    assert own.asked == [(3, 1, 90)] * 5
    assert own.told == [[3, 1], (2, 1)]
    assert n_flips(steered.steps) == 4
    assert [(each.n_requests, each.n_tokens) for each in steered.accepted] == [(2, 2), (2, 4)]


def test_no_two_stages_of_a_timed_scenario_ask_the_same() -> None:
    """Or the prefix cache would know the second one's words."""
    for scenario in SCENARIOS.values():
        if scenario.kind is not Kind.TOKENS:
            seeds = [prompt.seed for stage in scenario.stages for prompt in stage.prompts]
            assert len(set(seeds)) == len(seeds), scenario.name


def test_the_ways_of_a_ramp_run_side_by_side() -> None:
    """In each turn all of them, the same requests each; over the turns of a stage none is always first."""
    names = [stage.name.split("-", 1) for stage in SCENARIOS["ramp-eagle"].stages if not stage.name.startswith("warm")]
    turns = [names[start : start + 3] for start in range(0, len(names), 3)]
    assert all({way for way, _ in turn} == {"policy", "on", "off"} and len({rest for _, rest in turn}) == 1 for turn in turns)
    first = {(turn[0][1].split("-", 1)[1], turn[0][0]) for turn in turns}
    assert {number for number, _ in first} == {number for number, way in first if way == "off"}


def test_names_are_unique_within_a_scenario() -> None:
    """Requests, times and decisions are told apart by the names of stages."""
    for scenario in SCENARIOS.values():
        names = [stage.name for stage in scenario.stages]
        assert len(set(names)) == len(names), scenario.name


def test_words_are_the_prompts_own() -> None:
    """The same each time, as many as asked for, no word with a meaning of its own."""
    first, second = alike("stage", 2, 50, 8)
    assert first.words() == first.words() != second.words()
    assert len(first.words()) == 50
    assert min(first.words()) >= 10
