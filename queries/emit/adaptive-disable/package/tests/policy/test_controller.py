"""The controller: one decision a step, who overrules it, what it passes on."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from adaptive_disable.acceptance import NOTHING, Observed
from adaptive_disable.config import HookConfig, Mode
from adaptive_disable.controller import Controller
from adaptive_disable.policy import Decision, Reason, Signals, policy_for
from adaptive_disable.switch import KillSwitch, trips_on_signal

OFF = HookConfig(mode=Mode.HELD_OFF)


class Seen:
    """A witness that keeps what it saw."""

    def __init__(self) -> None:
        self.signals: list[Signals] = []
        self.done: list[Decision] = []

    def saw(self, signals: Signals, _decided: Decision, done: Decision) -> None:
        """Keep it."""
        self.signals.append(signals)
        self.done.append(done)

    def close(self) -> None:
        """Nothing is held open."""


def held_off(config: HookConfig = OFF, switch: KillSwitch | None = None) -> Controller:
    """A controller whose policy always says off."""
    return Controller(config, policy_for(OFF, 3), switch=switch)


def test_steps_are_numbered() -> None:
    """Each call is a step of its own: no step is decided twice."""
    controller = held_off()
    assert [controller.decide(1).step for _ in range(3)] == [0, 1, 2]


def test_the_policy_sees_what_came_in_since_the_decision_before() -> None:
    """Results add up until the next decision, and are seen once."""
    seen = Seen()
    controller = Controller(OFF, policy_for(OFF, 3), witnesses=[seen])
    controller.decide(2)
    controller.observe_speculated([1, 3])
    controller.observe_plain(2, foreseen=1)
    controller.observe_plain(2)
    controller.decide(2, queue_length=7)
    controller.decide(2)
    controller.close()
    expected = Observed(requests=2, tokens=4, squares=10, extended=1, plain=2, foreseen=1)
    assert seen.signals == [Signals(0, 2, 0, NOTHING), Signals(1, 2, 7, expected), Signals(2, 2, 0, NOTHING)]


def test_witnesses_are_told_once_the_graphics_card_works() -> None:
    """When a result comes in, or else before the next decision: no step waits for them."""
    seen = Seen()
    controller = Controller(OFF, policy_for(OFF, 3), witnesses=[seen])
    controller.decide(2)
    assert seen.done == []
    controller.observe_plain(2)
    controller.observe_plain(2)
    assert [done.step for done in seen.done] == [0]
    controller.decide(2)
    controller.decide(2)
    assert [done.step for done in seen.done] == [0, 1]


def test_a_dry_run_speculates_and_says_what_it_would_do() -> None:
    """The policy's state is told; the step is on."""
    decision = held_off(HookConfig(dry_run=True)).decide(1)
    assert (decision.speculate, decision.state.value, decision.reason) == (True, "off", Reason.DRY_RUN)


def test_the_first_step_off_is_a_flip() -> None:
    """A server begins on."""
    controller = held_off()
    assert [controller.decide(1).flipped for _ in range(2)] == [True, False]


def test_rank_zero_goes_before() -> None:
    """What was shared is what is done; it is asked once a decision."""
    asked: list[bool] = []

    def share(speculate: bool) -> bool:
        asked.append(speculate)
        return True

    decision = Controller(OFF, policy_for(OFF, 3), share=share).decide(1)
    assert (decision.speculate, decision.reason, asked) == (True, Reason.RANK_ZERO, [False])


def test_a_file_switches_it_off_for_good(tmp_path: Path) -> None:
    """From the next look on, every step speculates, even if the file goes again."""
    file, now = tmp_path / "off", [0.0]
    controller = held_off(switch=KillSwitch(file, clock=lambda: now[0]))
    assert not controller.decide(1).speculate
    file.touch()
    now[0] += 1
    assert controller.decide(1).reason is Reason.KILLED
    file.unlink()
    now[0] += 1
    assert controller.decide(1).speculate


def test_the_file_is_not_looked_for_in_every_step(tmp_path: Path) -> None:
    """Between two looks lies half a second."""
    file, now = tmp_path / "off", [0.0]
    switch = KillSwitch(file, clock=lambda: now[0])
    assert not switch.tripped
    file.touch()
    now[0] += 0.4
    assert not switch.tripped
    now[0] += 0.2
    assert switch.tripped


def test_a_signal_switches_it_off_for_good() -> None:
    """SIGUSR2 to the process."""
    before = signal.getsignal(signal.SIGUSR2)
    switch = KillSwitch()
    try:
        trips_on_signal(switch)
        os.kill(os.getpid(), signal.SIGUSR2)
        assert held_off(switch=switch).decide(1).reason is Reason.KILLED
    finally:
        signal.signal(signal.SIGUSR2, before)


def test_a_file_that_cannot_be_looked_for_counts_as_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Somebody may have asked for it, and the stock path is right at any time; a step never fails for it."""

    def refused(_path: Path) -> bool:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "exists", refused)
    controller = held_off(switch=KillSwitch(tmp_path / "off"))
    assert [controller.decide(1).reason for _ in range(3)] == [Reason.KILLED] * 3
    assert [record.getMessage() for record in caplog.records] == [
        f"adaptive-disable: off for good, every step takes the stock path: {tmp_path / 'off'} cannot be looked for: "
        "Permission denied"
    ]


def test_a_file_that_is_left_from_the_last_time_is_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Once: without a word a hook that does nothing would look like one that has nothing to do."""
    (tmp_path / "off").touch()
    controller = held_off(switch=KillSwitch(tmp_path / "off"))
    assert [controller.decide(1).speculate for _ in range(3)] == [True] * 3
    assert [record.getMessage() for record in caplog.records] == [
        f"adaptive-disable: off for good, every step takes the stock path: {tmp_path / 'off'} exists"
    ]


def test_without_a_file_nothing_is_looked_for() -> None:
    """The switch stays as it is."""
    assert not KillSwitch().tripped
