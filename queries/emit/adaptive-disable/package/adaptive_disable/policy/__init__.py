"""How it is decided: frozen values, pure functions; the same signals give the same decisions, always."""

from adaptive_disable.policy.choice import policy_for
from adaptive_disable.policy.cost_table import BreakEvenRule, CostTablePolicy
from adaptive_disable.policy.held import HeldPolicy
from adaptive_disable.policy.probes import ProbeRule
from adaptive_disable.policy.threshold import ThresholdPolicy
from adaptive_disable.policy.vocabulary import Decision, Policy, Reason, Signals, State, StepError

__all__ = [
    "BreakEvenRule",
    "CostTablePolicy",
    "Decision",
    "HeldPolicy",
    "Policy",
    "ProbeRule",
    "Reason",
    "Signals",
    "State",
    "StepError",
    "ThresholdPolicy",
    "policy_for",
]
