"""How many tokens a request gains in a speculating step: what was seen, smoothed, and how sure that is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Observed:
    """What the results that came in since the last decision told; counts alone, so that they add up.

    Lengths count the bonus token: a request whose drafts were all rejected has length 1.
    """

    requests: int = 0
    """Requests in speculating steps."""
    tokens: int = 0
    """The sum of their lengths."""
    squares: int = 0
    """The sum of the squares of their lengths."""
    extended: int = 0
    """How many of them have a length of 2 or more: the first drafted token was right."""
    plain: int = 0
    """Requests in steps without speculation for which it is known whether the draft had foreseen the token."""
    foreseen: int = 0
    """For how many of these it had."""

    def __add__(self, other: Observed) -> Observed:
        return Observed(
            self.requests + other.requests,
            self.tokens + other.tokens,
            self.squares + other.squares,
            self.extended + other.extended,
            self.plain + other.plain,
            self.foreseen + other.foreseen,
        )


NOTHING = Observed()


def speculated(accepted: Sequence[int]) -> Observed:
    """What one speculating step told. `accepted`: one length a request, bonus included."""
    return Observed(
        requests=len(accepted),
        tokens=sum(accepted),
        squares=sum(length * length for length in accepted),
        extended=sum(length > 1 for length in accepted),
    )


@dataclass(frozen=True, slots=True)
class Acceptance:
    """The smoothed length of a speculating step: weighted sums; a result counts less the more came after it."""

    weight: float = 0.0
    """How many requests' results the sums stand for."""
    tokens: float = 0.0
    squares: float = 0.0
    extended: float = 0.0

    def after(self, observed: Observed, window: int) -> Acceptance:
        """The same after more results. `window`: over how many results of a request it is smoothed."""
        if not observed.requests:
            return self
        keep = window / (window + observed.requests)
        return Acceptance(
            self.weight * keep + observed.requests,
            self.tokens * keep + observed.tokens,
            self.squares * keep + observed.squares,
            self.extended * keep + observed.extended,
        )

    def mean(self, longest: int) -> float:
        """Tokens a request; `longest` (the drafted tokens and the bonus one) while nothing was seen: hope is cheap to
        test.
        """
        return self.tokens / self.weight if self.weight else float(longest)

    def error(self, longest: int) -> float:
        """The standard error of the mean, in tokens; of few results it is estimated as if they spread widely."""
        if not self.weight:
            return 0.0
        mean = self.tokens / self.weight
        spread = max(0.0, self.squares / self.weight - mean * mean)
        widest = ((longest - 1) / 2) ** 2
        return math.sqrt((spread * self.weight + widest) / (self.weight + 1) / self.weight)

    def faded(self, weight: float) -> Acceptance:
        """The same mean, standing for no more than this many results: what comes now soon outweighs it."""
        share = min(1.0, weight / self.weight) if self.weight else 0.0
        return Acceptance(self.weight * share, self.tokens * share, self.squares * share, self.extended * share)


UNSEEN = Acceptance()


@dataclass(frozen=True, slots=True)
class Foresight:
    """How often the draft foresees the next token while nothing is drafted: what speculation would yield, seen for
    free.

    Where the draft is kept in step, its guess of the next token is there before each step without speculation.
    """

    weight: float = 0.0
    hits: float = 0.0

    def after(self, observed: Observed, window: int) -> Foresight:
        """The same after more results, smoothed over `window` results of a request."""
        if not observed.plain:
            return self
        keep = window / (window + observed.plain)
        return Foresight(self.weight * keep + observed.plain, self.hits * keep + observed.foreseen)

    def most(self, last: Acceptance, longest: int, errors: float) -> float:
        """The length of a speculating step that can be hoped for: the expected one and this many standard errors.

        A first token that is right counts for as many further ones as when speculation was last seen (`last`); for as
        many as if each drafted token were right as often as the first when it never was.
        """
        rate = (self.hits + 1) / (self.weight + 2)
        error = math.sqrt(rate * (1 - rate) / (self.weight + 2))
        first = min(1.0, rate + errors * error)
        if last.extended:
            return min(float(longest), 1 + first * (last.tokens - last.weight) / last.extended)
        return 1 + sum(first**drafted for drafted in range(1, longest))


BLIND = Foresight()
