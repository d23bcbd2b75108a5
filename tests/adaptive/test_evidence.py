"""The figures of the manual's page are those of the evidence that it links to."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).parents[2] / "docs"
PAGE = " ".join((DOCS / "adaptive-disable.md").read_text(encoding="utf-8").split())

Row = dict[str, Any]


def kept(name: str) -> Row:
    """What is kept of one proof. It must hold."""
    read: Row = json.loads((DOCS / "evidence" / f"adaptive-{name}.json").read_text(encoding="utf-8"))
    assert read["holds"]
    return read


def between(numbers: list[int] | list[float]) -> str:
    """From the smallest to the largest."""
    return f"{min(numbers)} to {max(numbers)}"


def schedules() -> list[str]:
    """What the page says of greedy tokens."""
    runs = kept("cpu")["runs"]
    total = {name: sum(run[name] for run in runs) for name in ("requests", "ended_early", "ended_early_while_off", "tokens")}
    resumed, every = (
        between([round(run[name], 2) for run in runs]) for name in ("tokens_an_on_step_after_off", "tokens_an_on_step")
    )
    assert all(run[name] == run["schedules"] for run in runs for name in ("retracted_while_off", "aborted_while_off"))
    return [
        f"through {runs[0]['schedules']} random schedules of {between([flips for run in runs for flips in run['flips']])} flips",
        f"{total['requests']} requests, of which {total['ended_early']} end at a stop token",
        f"{total['ended_early_while_off']} of these in an off step",
        f"Of {total['tokens']:,} greedy tokens none differs",
        f"gives {resumed} tokens, any on step {every}",
    ]


def kinds() -> list[str]:
    """What it says of sampled ones."""
    evidence = kept("kinds")
    fits = [run["fits"] for run in evidence["sampled"]]
    off, resumed, on = (sum(fit[sign]["tokens"] for fit in fits) for sign in "-r+")
    first, second = sorted(round(run["fits"]["-"]["chi_square"]) for run in evidence["faults"])
    return [
        f"{between([flips for run in evidence['sampled'] for flips in run['flips']])} flips in each of two runs",
        f"{off:,} tokens of off steps, {resumed:,} of on steps right after one, {on:,} of other on steps",
        f"the smallest p is {min(fit[sign]['p'] for fit in fits for sign in fit):.2f}",
        f"a statistic of {first} and of {second}",
    ]


def parallel() -> list[str]:
    """What it says of two ranks."""
    runs = kept("parallel")["runs"]
    done = [run["decisions"][0] for run in runs]
    scripts = [run["decisions"][0] for run in runs if run["run"].endswith(":script")]
    flips = [sum(before != after for before, after in pairwise(steps)) for steps in scripts]
    otherwise = sum(own != step for run in runs for own, step in zip(run["decided_by_each"][1], run["decisions"][0], strict=True))
    return [
        f"random schedules of {between(flips)} flips",
        f"In {sum(map(len, done))} decode steps, {sum(steps.count('-') for steps in done)} of them off,",
        f"would have decided otherwise in {otherwise};",
        f"The {sum(run['tokens'] for run in runs):,} tokens",
    ]


@pytest.mark.parametrize("said", [schedules, kinds, parallel], ids=lambda said: said.__name__)
def test_the_page_says_what_is_kept(said: Any) -> None:
    """Each figure, in its sentence."""
    assert [figure for figure in said() if figure not in PAGE] == []
