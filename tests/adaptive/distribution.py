"""Whether sampled tokens are distributed as the target has it, by how they were made.

A token's share is where it lies in the target's distribution under its own prefix: the probability of all that are more
probable, and of its own a part that a seed decides. Shares of tokens that are drawn from the target are uniform and
independent, whatever their prefixes and settings are: counted in bins, a chi-square test tells.
"""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

ALPHA = 0.001  # how often a right distribution would be found wrong, by one test
N_BINS = 17  # one more than the degrees of freedom, which are even: there the test has a closed form
FEWEST = 10 * N_BINS  # tokens of a test

Row = dict[str, Any]
Share = Sequence[float]  # (the probability of all tokens that are more probable, its own)


def fits_of(requests: Sequence[Mapping[str, Any]], shares: Sequence[Sequence[Share]], seed: int) -> dict[str, Row]:
    """How well tokens fit, for each sign of `tests.adaptive.sampled` but prefill's.

    Their number, the statistic, and the probability of one as large. `shares`: of each request, of each token. Requests with
    temperature 0 are left out: there is nothing to be drawn.
    """
    chance = random.Random(seed)
    places: defaultdict[str, list[float]] = defaultdict(list)
    for request, of_tokens in zip(requests, shares, strict=True):
        for sign, (below, own) in zip(request["signs"], of_tokens, strict=True):
            places[sign if request["temperature"] else ""].append(below + own * chance.random())
    return {sign: _fit(places[sign]) for sign in ("-", "+", "r")}


def _fit(places: Sequence[float]) -> Row:
    counts = [0] * N_BINS
    for place in places:
        counts[min(N_BINS - 1, int(place * N_BINS))] += 1
    expected = len(places) / N_BINS
    statistic = sum((count - expected) ** 2 for count in counts) / max(expected, 1)
    return {"tokens": len(places), "chi_square": round(statistic, 1), "p": round(exceeded(statistic), 6)}


def exceeded(statistic: float) -> float:
    """The probability that a chi-square of `N_BINS` - 1 degrees of freedom is larger."""
    half = statistic / 2
    return math.exp(-half) * sum(half**power / math.factorial(power) for power in range((N_BINS - 1) // 2))


def impossible(shares: Sequence[Sequence[Share]]) -> int:
    """Tokens that the target gives no probability: cut off by top-k or top-p, or not the greedy one."""
    return sum(not own for of_tokens in shares for _, own in of_tokens)


def wrong_in(fits: Mapping[str, Row], n_impossible: int) -> list[str]:
    """What does not hold, in words."""
    unlike = [f"{sign}: p is {fit['p']}" for sign, fit in fits.items() if fit["p"] < ALPHA]
    few = [f"{sign}: {fit['tokens']} tokens" for sign, fit in fits.items() if fit["tokens"] < FEWEST]
    return unlike + few + ([f"{n_impossible} tokens are impossible"] if n_impossible else [])
