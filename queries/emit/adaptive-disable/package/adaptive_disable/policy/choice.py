"""The policy that the settings name."""

from __future__ import annotations

from adaptive_disable.config import HookConfig, Mode
from adaptive_disable.costs import CostTable
from adaptive_disable.policy.cost_table import BreakEvenRule, CostTablePolicy
from adaptive_disable.policy.course import Course
from adaptive_disable.policy.held import HeldPolicy
from adaptive_disable.policy.probes import ProbeRule
from adaptive_disable.policy.threshold import ThresholdPolicy
from adaptive_disable.policy.vocabulary import Policy, State


def policy_for(config: HookConfig, longest: int, table: CostTable | None = None) -> Policy:
    """The policy of `config.mode`, at its beginning: on.

    `longest`: tokens a request that a speculating step can yield at most, bonus included (with top-k 1, the number of
    draft tokens). `table`: step times, needed by the mode `cost-table` alone. Raises `ValueError` when it is missing
    there.
    """
    match config.mode:
        case Mode.HELD_ON:
            return HeldPolicy()
        case Mode.HELD_OFF:
            return HeldPolicy(Course(State.OFF))
        case Mode.THRESHOLD:
            return ThresholdPolicy(config.off_batch, config.on_batch, config.dwell, config.queue_weight)
        case Mode.COST_TABLE:
            if table is None:
                raise ValueError(
                    "the mode cost-table wants step times: measure them at start-up or name a file with `table`"
                )
            probe = ProbeRule(config.probe_results, config.probe_steps, config.probe_budget, config.probe_backoff)
            return CostTablePolicy(
                BreakEvenRule(table, longest, config.dwell, config.margin, config.confidence, config.window, probe)
            )
