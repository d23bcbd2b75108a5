"""Puts a controller together as the settings say: policy, log, metrics, kill switch."""

from __future__ import annotations

from collections.abc import Callable

from adaptive_disable.config import HookConfig
from adaptive_disable.controller import Controller, Witness, own
from adaptive_disable.costs import CostTable
from adaptive_disable.decisions import Beginning, DecisionLog
from adaptive_disable.exposition import MetricsFile, serve
from adaptive_disable.flip_log import FlipLog
from adaptive_disable.metrics import Metrics
from adaptive_disable.switch import KillSwitch


def controller_for(
    config: HookConfig,
    longest: int,
    table: CostTable | None = None,
    *,
    share: Callable[[bool], bool] = own,
    rank: int = 0,
    switch: KillSwitch | None = None,
) -> Controller:
    """The controller of one scheduler process.

    `longest`: tokens a request that a speculating step yields at most, bonus included (with top-k 1, the number of
    draft tokens). `table`: step times, wanted by the mode `cost-table` alone. `share`: see `Controller`. `rank`: rank 0
    alone writes logs and metrics. `switch`: one of the kill file where none is given. Raises `ValueError` where the
    table is missing, `OSError` where a file cannot be written or the port is taken.
    """
    beginning = Beginning(config, longest, table)
    witnesses = _witnesses(beginning) if rank == 0 else ()
    return Controller(config, beginning.policy(), share=share, switch=switch, witnesses=witnesses)


def _witnesses(beginning: Beginning) -> tuple[Witness, ...]:
    config = beginning.config
    metrics = Metrics(beginning.longest, beginning.table)
    witnesses: list[Witness] = [FlipLog(), metrics]
    if config.log is not None:
        witnesses.append(DecisionLog(config.log, beginning, config.log_steps))
    if config.metrics_file is not None:
        witnesses.append(MetricsFile(config.metrics_file, metrics.text, config.metrics_seconds))
    if config.metrics_port:
        serve(metrics.text, config.metrics_port)
    return tuple(witnesses)
