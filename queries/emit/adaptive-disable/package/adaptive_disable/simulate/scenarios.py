"""What is simulated: servers, requests, contenders."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum

from adaptive_disable.config import HookConfig, Mode
from adaptive_disable.costs import CostTable
from adaptive_disable.policy import policy_for
from adaptive_disable.simulate import workload
from adaptive_disable.simulate.contenders import Contender, Deciding, Held, Myopic
from adaptive_disable.simulate.curves import Curve, as_measured, as_published, as_tuned
from adaptive_disable.simulate.workload import Acceptance, Load


class Who(Enum):
    """The contenders."""

    ON = "on"
    OFF = "off"
    THRESHOLD = "threshold"
    """Set by hand where the curves cross at the mean acceptance: knows both."""
    COST_TABLE = "cost-table"
    """Probes where what it saw speaks against speculation."""
    FORESIGHT = "foresight"
    """The same, and sees the draft's guesses while it is off."""
    MYOPIC = "myopic"
    """True costs and true acceptance: a reference."""


SHIPPED = HookConfig(mode=Mode.COST_TABLE)
POLICIES = (Who.THRESHOLD, Who.COST_TABLE, Who.FORESIGHT)


@dataclass(frozen=True, slots=True)
class Server:
    """A curve and what is not known of it."""

    curve: Curve
    table_error: float = 0.02
    """The standard deviation of the share by which each step time of the policy's table is wrong …"""
    table_bias: float = 0.0
    """… and the share by which all its times on are."""
    flip_ms: float = 1.0
    config: HookConfig = SHIPPED

    def believed(self, seed: str) -> CostTable:
        """The table that was measured at start-up: wrong by the error and the bias."""
        rng, costs = random.Random(seed), self.curve.costs
        error = self.table_error
        on = tuple(time * (1 + self.table_bias) * (1 + rng.gauss(0, error)) for time in costs.on_ms)
        off = tuple(time * (1 + rng.gauss(0, error)) for time in costs.off_ms)
        return CostTable(costs.batch_sizes, on, off)


@dataclass(frozen=True, slots=True)
class Scenario:
    """A server under an open workload."""

    server: Server
    load: Load
    acceptance: Acceptance

    @property
    def name(self) -> str:
        """Curve, acceptance, load."""
        return f"{self.server.curve.name} {self.acceptance.name} {self.load.name}"


def contender(who: Who, server: Server, acceptance: Acceptance, seed: int) -> Contender:
    """A contender, at its beginning."""
    curve = server.curve
    match who:
        case Who.ON | Who.OFF:
            return Held(who is Who.ON)
        case Who.MYOPIC:
            return Myopic(curve.costs)
        case Who.THRESHOLD:
            return Deciding(policy_for(_by_hand(server, acceptance), curve.longest), foresees=False)
        case Who.COST_TABLE | Who.FORESIGHT:
            believed = server.believed(f"table {curve.name} {seed}")
            return Deciding(policy_for(server.config, curve.longest, believed), foresees=who is Who.FORESIGHT)


def _by_hand(server: Server, acceptance: Acceptance) -> HookConfig:
    """Thresholds where the curves cross at the mean acceptance over the whole time; on again at three quarters."""
    right = sum(acceptance.mean(part / 100) for part in range(101)) / 101
    length = workload.expected(right, server.curve.longest)
    sizes = range(1, server.curve.costs.batch_sizes[-1] + 1)
    off = next((size for size in sizes if server.curve.costs.break_even(size) > length), sizes[-1] + 1)
    return replace(server.config, mode=Mode.THRESHOLD, off_batch=off, on_batch=off * 3 // 4)


Change = Callable[[Server], Server]


def unchanged(server: Server) -> Server:
    """The server as it is."""
    return server


def open_scenarios(change: Change = unchanged) -> tuple[Scenario, ...]:
    """All open workloads of the default run."""
    eagle, standalone, published, tuned = (
        change(Server(curve)) for curve in (as_measured("eagle"), as_measured("standalone"), as_published(), as_tuned())
    )
    loads = (workload.LOW, workload.RAMP, workload.BURST, workload.BUSY)
    return (
        *(Scenario(eagle, load, acceptance) for acceptance in (workload.STEADY, workload.DRIFTING) for load in loads),
        *(Scenario(eagle, load, workload.ALL) for load in (workload.RAMP, workload.BUSY)),
        Scenario(standalone, workload.RAMP, workload.ALL),
        *(Scenario(published, load, workload.STEADY) for load in loads),
        *(Scenario(tuned, load, workload.STEADY) for load in loads),
        *(Scenario(tuned, load, workload.DRIFTING) for load in (workload.LOW, workload.RAMP)),
    )
