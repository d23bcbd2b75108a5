"""The policy as SGLang's controller uses it: asked before each step, told of each in the order of the steps."""

from __future__ import annotations

from collections.abc import Sequence

from adaptive_disable.config import HookConfig, Mode
from adaptive_disable.controller import Controller
from adaptive_disable.load_policy import LoadPolicy
from adaptive_disable.policy import policy_for


class Told(Controller):
    """A controller that remembers what it was told."""

    def __init__(self, config: HookConfig) -> None:
        super().__init__(config, policy_for(config, 4))
        self.told: list[tuple[str, object]] = []

    def observe_speculated(self, accepted: Sequence[int]) -> None:
        self.told.append(("speculated", list(accepted)))

    def observe_plain(self, n_requests: int, foreseen: int | None = None) -> None:
        assert foreseen is None
        self.told.append(("plain", n_requests))


def policy() -> tuple[LoadPolicy, Told]:
    """Off at 8 requests, on again at 4, with 3 draft steps."""
    controller = Told(HookConfig(enabled=True, mode=Mode.THRESHOLD, off_batch=8, on_batch=4, dwell=1))
    return LoadPolicy(controller, 3), controller


def test_all_steps_or_none_with_hysteresis() -> None:
    """What slots cannot do: at 6 requests it depends on what was before."""
    asked, _ = policy()
    assert [asked.get_steps_for_batch(size) for size in (6, 8, 6, 4, 6)] == [3, 0, 0, 3, 3]
    assert asked.candidate_steps == [0, 3]


def test_results_go_to_the_steps_that_they_are_of() -> None:
    """They come one step late: the next step has been decided already, and otherwise."""
    asked, controller = policy()
    asked.get_steps_for_batch(4)
    asked.get_steps_for_batch(8)
    assert asked.on_verify_complete([2, 0, 3, 1], 4) is None
    assert asked.on_verify_complete([0] * 8, 8) is None
    assert controller.told == [("speculated", [3, 1, 4, 2]), ("plain", 8)]


def test_an_idle_batch_decides_nothing() -> None:
    """Its result does not come, either."""
    asked, controller = policy()
    asked.get_steps_for_batch(8)
    assert asked.get_steps_for_batch(0) == 0
    asked.on_verify_complete([0] * 8, 8)
    assert controller.told == [("plain", 8)]


def test_graphs_are_captured_for_both_numbers_of_steps() -> None:
    """At every batch size; none where the server captures none."""
    asked, _ = policy()
    assert asked.cuda_graph_bs_for_step(0) is None
    asked.set_cuda_graph_bs([8, 1, 4])
    assert asked.cuda_graph_bs_for_step(0) == asked.cuda_graph_bs_for_step(3) == [1, 4, 8]
    asked.set_cuda_graph_bs(None)
    assert asked.cuda_graph_bs_for_step(3) is None
