"""What must hold, and whether it does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.gpu.asked import Flips
from benchmarks.gpu.ramps import RampRow
from benchmarks.gpu.reference import GAP_ALLOWED
from benchmarks.gpu.scenarios import SCENARIOS, Kind

N_FLIPS = 10  # of a stage, at least
OF_BETTER = 0.95  # of the better static, at every stage
OF_ON = 0.98  # where on always wins
Outcome = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that must hold."""

    what: str
    holds: bool
    found: str


def token_checks(outcomes: Mapping[str, Outcome], reference: Sequence[Outcome]) -> list[Check]:
    """Of every scenario of tokens: right tokens, no slot leaked, lengths right; of one with a fault: that it is found."""
    held = {row["scenario"]: row for row in reference}
    wanted = [each for each in SCENARIOS.values() if each.kind is Kind.TOKENS]
    checks = [Check("every scenario ended", len(held) == len(wanted), f"{len(held)} of {len(wanted)}")]
    for scenario in wanted:
        if scenario.name in held:
            row, outcome = held[scenario.name], outcomes[scenario.name]
            found = list(_of_tokens(row, outcome)) if scenario.fault is None else [_found(row)]
            checks.extend(Check(f"{scenario.name}: {check.what}", check.holds, check.found) for check in found)
    return checks


def _of_tokens(row: Outcome, outcome: Outcome) -> Iterator[Check]:
    gap = f"{row['n_far']} of {row['n_tokens']}, the largest gap {row['largest_gap']:.3f}"
    yield Check(f"no token is further than {GAP_ALLOWED} from the reference's", row["n_far"] == 0, gap)
    yield Check("no slot leaks", outcome["n_leaked"] == 0, str(outcome["n_leaked"]))
    scenario, watched = SCENARIOS[row["scenario"]], outcome["watched"]
    if scenario.hook is None:
        return
    wrong = f"{watched['n_wrong_lengths']} of {watched['n_released']}"
    yield Check("committed slots are those of the tokens", watched["n_wrong_lengths"] == 0, wrong)
    flipping = {stage.name for stage in scenario.stages if isinstance(stage.steering, Flips) and stage.compared}
    flips = [pace["n_flips"] for pace in outcome["paces"] if pace["name"] in flipping]
    if flips:
        yield Check(f"each schedule flips {N_FLIPS} times or more", min(flips) >= N_FLIPS, str(flips))
    if scenario.name.endswith("-tight"):
        yield Check("requests are taken out while off", watched["n_retractions_off"] > 0, str(watched))


def _found(row: Outcome) -> Check:
    return Check("the fault is found", row["n_far"] > 0, f"{row['n_far']} of {row['n_tokens']} tokens are far")


def throughput_checks(rows: Mapping[str, Sequence[RampRow]]) -> list[Check]:
    """Of each ramp: the policy's share of the better static."""
    return [check for name, each in rows.items() for check in _of_ramp(name, each)]


def _of_ramp(name: str, rows: Sequence[RampRow]) -> Iterator[Check]:
    *stages, whole = rows
    share = OF_BETTER if whole.off is not None else OF_ON
    for row in stages:
        yield Check(f"{name}: {row.stage}: {share:.0%} of the better static", row.of_better >= share, f"{row.of_better:.1%}")
    if whole.off is not None:
        yield Check(f"{name}: better than both over the whole ramp", whole.of_better > 1, f"{whole.of_better:.1%}")
    else:
        yield Check(f"{name}: {share:.0%} of on over the whole ramp", whole.of_better >= share, f"{whole.of_better:.1%}")
