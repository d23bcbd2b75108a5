"""Puts the hook on a scheduler that is set up: step times, the controller of this rank, the variant."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from adaptive_disable.assembly import controller_for
from adaptive_disable.calibration import costs_of
from adaptive_disable.config import HookConfig
from adaptive_disable.hook import install
from adaptive_disable.ranks import share_over
from adaptive_disable.stock_path import stock_server_because
from adaptive_disable.switch import KillSwitch, trips_on_signal

if TYPE_CHECKING:
    from sglang.srt.managers.scheduler import Scheduler

logger = logging.getLogger(__name__)


def attach(scheduler: Scheduler, config: HookConfig) -> Callable[[], None]:
    """Put the hook on a scheduler before it serves; returns what takes it off again.

    Nothing is put on a server none of whose steps can be switched off: the log says why. Raises what prevents it: step
    times that cannot be read or measured (`CostTableError`, `CalibrationError`), a file that cannot be written or a
    port that is taken (`OSError`), the capture of graphs. Nothing is patched then.
    """
    reason = stock_server_because(scheduler)
    if reason is not None:
        logger.warning("adaptive-disable: not installed, all steps speculate as ever: %s", reason)
        return _nothing
    longest: int = scheduler.server_args.speculative_num_draft_tokens
    config = of_replica(config, scheduler.dp_rank)
    share = share_over(scheduler)
    table = costs_of(scheduler, config, share)
    switch = KillSwitch(config.kill_file)
    controller = controller_for(config, longest, table, share=share, rank=scheduler.tp_rank, switch=switch)
    trips_on_signal(switch)
    return install(scheduler, controller, config.variant)


def _nothing() -> None:
    """Takes nothing off."""


def of_replica(config: HookConfig, replica: int | None) -> HookConfig:
    """The settings of one replica of the model: each writes files and serves metrics of its own. None: there is one.

    Replica 2 writes `decisions.2.jsonl` where the settings say `decisions.jsonl`, and serves on the second port after.
    """
    if replica is None:
        return config
    return replace(
        config,
        log=_numbered(config.log, replica),
        metrics_file=_numbered(config.metrics_file, replica),
        metrics_port=config.metrics_port and config.metrics_port + replica,
    )


def _numbered(file: Path | None, number: int) -> Path | None:
    return file and file.with_suffix(f".{number}{file.suffix}")
