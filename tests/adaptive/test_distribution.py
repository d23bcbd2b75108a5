"""Tokens that are drawn as wanted are told from others, on distributions that are made up."""

from __future__ import annotations

import random
from itertools import accumulate

import pytest

from tests.adaptive.distribution import ALPHA, FEWEST, exceeded, fits_of, impossible, wrong_in

WANTED = (0.5, 0.3, 0.15, 0.05)  # the most probable first
N_TOKENS = 1000


def drawn(weights: tuple[float, ...], sign: str = "-") -> tuple[dict[str, object], list[tuple[float, float]]]:
    """A request whose tokens are drawn with some weights, and their shares in the wanted distribution."""
    chance, below = random.Random(1), (0.0, *accumulate(WANTED))
    tokens = chance.choices(range(len(WANTED)), weights, k=N_TOKENS)
    return {"signs": sign * N_TOKENS, "temperature": 1.0}, [(below[token], WANTED[token]) for token in tokens]


def p_of(weights: tuple[float, ...]) -> float:
    """Of the test of its off steps."""
    request, shares = drawn(weights)
    return float(fits_of([request], [shares], seed=0)["-"]["p"])


def test_what_is_drawn_as_wanted_passes() -> None:
    """Coarse as the distribution is: a part of each token's own probability is drawn by the test."""
    assert p_of(WANTED) > ALPHA


@pytest.mark.parametrize("weights", [(0.4, 0.3, 0.2, 0.1), (0.65, 0.25, 0.08, 0.02), (1, 0, 0, 0)], ids=str)
def test_what_is_drawn_otherwise_does_not(weights: tuple[float, ...]) -> None:
    """Warmer, colder, or not drawn at all."""
    assert p_of(weights) < ALPHA


def test_the_test_has_the_form_of_its_tables() -> None:
    """Of 16 degrees of freedom: the values that are exceeded once in twenty times, and once in a thousand."""
    assert exceeded(26.296) == pytest.approx(0.05, rel=1e-3)
    assert exceeded(39.252) == pytest.approx(0.001, rel=1e-3)


def test_greedy_tokens_are_not_drawn() -> None:
    """They are the target's, or impossible."""
    request, shares = drawn(WANTED)
    assert fits_of([{**request, "temperature": 0}], [shares], seed=0)["-"]["tokens"] == 0
    assert impossible([[(0.0, 1.0), (1.0, 0.0)]]) == 1


def test_what_does_not_hold_is_said() -> None:
    """One thing each: a distribution, too few tokens, tokens that cannot be."""
    right = {"tokens": FEWEST, "p": 0.5}
    assert wrong_in({"-": right}, 0) == []
    assert wrong_in({"-": {**right, "p": ALPHA / 2}}, 0) == ["-: p is 0.0005"]
    assert wrong_in({"+": {**right, "tokens": 3}}, 0) == ["+: 3 tokens"]
    assert wrong_in({"+": right}, 2) == ["2 tokens are impossible"]
