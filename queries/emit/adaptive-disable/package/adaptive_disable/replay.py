"""Repeats a log of decisions: `python -m adaptive_disable.replay LOG`.

Exit code 1 where one comes out otherwise, 2 where the file is no log.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from adaptive_disable.decisions import Entry, LogError, read_log
from adaptive_disable.policy import Decision, StepError


@dataclass(frozen=True, slots=True)
class Replay:
    """What came of it."""

    decisions: int
    on: int
    """How many of them the policy wanted to speculate."""
    flips: int
    otherwise: tuple[tuple[Entry, Decision], ...]
    """Decisions that came out otherwise than they were logged."""


def replay(path: Path) -> Replay:
    """Ask the policy that a log began with again, with the logged signals. Raises `LogError` where there is no log, or
    `StepError` where steps in it do not rise.
    """
    beginning, entries = read_log(path)
    policy = beginning.policy()
    decisions = on = flips = 0
    otherwise: list[tuple[Entry, Decision]] = []
    for entry in entries:
        policy, decision = policy.decide(entry.signals)
        decisions += 1
        on += decision.speculate
        flips += decision.flipped
        if (decision.state, decision.reason) != (entry.state, entry.reason):
            otherwise.append((entry, decision))
    return Replay(decisions, on, flips, tuple(otherwise))


def main(arguments: Sequence[str] | None = None) -> int:
    """Repeat the log that is named, and say what came of it."""
    parser = argparse.ArgumentParser(
        prog="python -m adaptive_disable.replay", description="Repeats a log of decisions."
    )
    parser.add_argument("log", type=Path, help="written where the setting `log` says")
    named = parser.parse_args(arguments)
    try:
        outcome = replay(named.log)
    except (LogError, StepError) as error:
        print(f"adaptive-disable: {error}", file=sys.stderr)
        return 2
    print(f"{outcome.decisions} decisions, {outcome.on} on, {outcome.flips} flips, {len(outcome.otherwise)} otherwise")
    for entry, decision in outcome.otherwise[:10]:
        step, logged = entry.signals.step, f"{entry.state.value} ({entry.reason.value})"
        print(f"step {step}: logged {logged}, now {decision.state.value} ({decision.reason.value})")
    return 1 if outcome.otherwise else 0


if __name__ == "__main__":
    sys.exit(main())
