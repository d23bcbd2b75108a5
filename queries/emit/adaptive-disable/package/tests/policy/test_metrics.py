"""Metrics: what they count, their text form, where they can be read."""

from __future__ import annotations

import logging
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from adaptive_disable.config import HookConfig, Mode
from adaptive_disable.controller import Controller
from adaptive_disable.costs import CostTable
from adaptive_disable.exposition import MetricsFile, serve
from adaptive_disable.flip_log import FlipLog
from adaptive_disable.metrics import Metrics, bucket
from adaptive_disable.policy import policy_for

TABLE = CostTable((1, 32, 128), (6.0, 12.0, 32.0), (5.0, 6.0, 8.0))


def lines(metrics: Metrics) -> list[str]:
    """The samples, without what is said about them."""
    return [line for line in metrics.text().splitlines() if not line.startswith("#")]


def run(metrics: Metrics, batches: list[int], config: HookConfig | None = None) -> None:
    """Decide for these batch sizes, where every drafted token is right."""
    config = config or HookConfig()
    controller = Controller(config, policy_for(config, 3, TABLE), witnesses=[metrics])
    for batch_size in batches:
        if controller.decide(batch_size).speculate:
            controller.observe_speculated([3] * batch_size)
    controller.close()


def test_steps_flips_and_the_state() -> None:
    """Two steps on, one off."""
    metrics = Metrics(3)
    run(metrics, [1, 1, 128])
    said = lines(metrics)
    for line in (
        'adaptive_disable_steps_total{mode="on"} 2',
        'adaptive_disable_steps_total{mode="off"} 1',
        'adaptive_disable_flips_total{reason="below-break-even"} 1',
        'adaptive_disable_state{state="off"} 1',
        "adaptive_disable_width 1",
        "adaptive_disable_accept_length 3",
        "adaptive_disable_break_even 4",
    ):
        assert line in said


def test_time_between_decisions_counts_for_the_step_before() -> None:
    """A second passes between any two decisions; three requests count under four."""
    ticks = iter(range(10))
    metrics = Metrics(3, clock=lambda: next(ticks))
    run(metrics, [3, 3, 128, 3])
    said = lines(metrics)
    assert 'adaptive_disable_step_seconds_sum{mode="on",batch_size_up_to="4"} 2' in said
    assert 'adaptive_disable_step_seconds_count{mode="off",batch_size_up_to="128"} 1' in said


def test_a_dry_run_counts_as_overruled() -> None:
    """Nothing was flipped."""
    metrics = Metrics(3)
    run(metrics, [128], HookConfig(dry_run=True))
    assert 'adaptive_disable_overruled_total{reason="dry-run"} 1' in lines(metrics)
    assert "flips_total" not in metrics.text()


def test_the_table_is_told_in_seconds() -> None:
    """As Prometheus wants times."""
    assert 'adaptive_disable_table_step_seconds{mode="on",batch_size="32"} 0.012' in lines(Metrics(3, TABLE))


@pytest.mark.parametrize(("size", "counted"), [(1, 1), (2, 2), (3, 4), (64, 64), (65, 128)])
def test_batch_sizes_count_under_a_power_of_two(size: int, counted: int) -> None:
    """The next that is not smaller."""
    assert bucket(size) == counted


def test_the_file_is_rewritten_in_time_and_after_a_flip(tmp_path: Path) -> None:
    """Not in every step."""
    path, now, texts = tmp_path / "metrics.prom", [0.0], iter("abcd")
    file = MetricsFile(path, lambda: next(texts), seconds=5, clock=lambda: now[0])
    controller = Controller(HookConfig(), policy_for(HookConfig(), 3, TABLE), witnesses=[file])
    written = []
    for later, batch_size in ((0, 1), (4, 1), (2, 1), (1, 128)):
        now[0] += later
        controller.decide(batch_size)
        controller.observe_plain(batch_size)
        written.append(path.read_text())
    assert written == ["a", "a", "b", "c"]
    assert [left.name for left in tmp_path.iterdir()] == ["metrics.prom"]


def test_a_server_outlives_its_disk(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The folder is gone: that is said once, and steps go on."""
    folder, now = tmp_path / "metrics", [0.0]
    folder.mkdir()
    file = MetricsFile(folder / "metrics.prom", lambda: "a", seconds=1, clock=lambda: now[0])
    (folder / "metrics.prom").unlink()
    folder.rmdir()
    controller = Controller(HookConfig(), policy_for(HookConfig(), 3, TABLE), witnesses=[file])
    for _ in range(3):
        now[0] += 2
        controller.decide(1)
    controller.observe_plain(1)
    assert caplog.text.count("no longer written") == 1


def test_they_are_served() -> None:
    """At /metrics of localhost; elsewhere there is nothing."""
    server = serve(lambda: "adaptive_disable_width 1\n", 0)
    try:
        address = f"http://127.0.0.1:{server.server_address[1]}"
        with urllib.request.urlopen(f"{address}/metrics") as answer:
            assert answer.read() == b"adaptive_disable_width 1\n"
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(f"{address}/other")
    finally:
        server.shutdown()
        server.server_close()


def test_a_flip_is_logged_with_its_inputs(caplog: pytest.LogCaptureFixture) -> None:
    """One line a flip; nothing where nothing flips."""
    caplog.set_level(logging.INFO, "adaptive_disable")
    config = HookConfig(mode=Mode.COST_TABLE)
    controller = Controller(config, policy_for(config, 3, TABLE), witnesses=[FlipLog()])
    controller.decide(1)
    assert not caplog.messages
    controller.observe_speculated([2, 3])
    controller.decide(128, queue_length=4)
    controller.observe_plain(128)
    said = "speculation off: below-break-even, step 1, batch 128, queue 4, context 0"
    said += ", accept length 2.500, break-even 4.000"
    assert caplog.messages == [said]


def test_a_dry_run_logs_what_it_would_do(caplog: pytest.LogCaptureFixture) -> None:
    """And does not."""
    caplog.set_level(logging.INFO, "adaptive_disable")
    config = HookConfig(mode=Mode.THRESHOLD, dry_run=True)
    controller = Controller(config, policy_for(config, 3), witnesses=[FlipLog()])
    controller.decide(100)
    controller.observe_plain(100)
    assert caplog.messages == ["speculation would be off (dry-run): batch-large, step 0, batch 100, queue 0, context 0"]
