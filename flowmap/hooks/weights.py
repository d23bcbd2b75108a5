"""How much each criterion counts: read from `weights.toml`, which is data that ships beside this file."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from flowmap.model.hooks import CriterionName, Verdict


@dataclass(frozen=True, slots=True)
class Weights:
    """The points of each criterion for each thing that it counts, the most things counted, which criteria bar, and the fewest
    points of each verdict."""

    points: Mapping[CriterionName, int]
    most: Mapping[CriterionName, int]
    bars: frozenset[CriterionName]
    fewest: Mapping[Verdict, int]

    def of(self, name: CriterionName, number: int) -> int:
        """The points that a criterion gives for a number of things."""
        return self.points.get(name, 0) * min(number, self.most.get(name, number))

    def verdict(self, points: int) -> Verdict:
        """The best verdict that so many points give."""
        return next((verdict for verdict in Verdict if points >= self.fewest.get(verdict, points + 1)), Verdict.INFEASIBLE)


@cache
def weights() -> Weights:
    """The weights that are shipped."""
    table = tomllib.loads(files("flowmap.hooks").joinpath("weights.toml").read_text(encoding="utf-8"))
    return Weights(
        points={CriterionName(name): number for name, number in table["points"].items()},
        most={CriterionName(name): number for name, number in table["most"].items()},
        bars=frozenset(CriterionName(name) for name, bars in table["bars"].items() if bars),
        fewest={Verdict(name): number for name, number in table["verdicts"].items()},
    )
