"""How alike two definitions are: by the words they share, rare ones first, by their statements, names and places."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from flowmap.model.program import DefinitionKind
from flowmap.model.sketch import Sketch

Features = frozenset[str]
MEMBER = "def "  # stands before the name of a member among the features of its class
RARE = 64  # definitions that may share a word by which candidates are looked for
MOST_CANDIDATES = 12
ENOUGH = 28.0  # of shared weight, as that of four rare words: below it, what two bodies share may be chance
OTHERS = 1000  # definitions that are thought to be there besides, so that words are not common in a small crowd

# Of what is missing to full likeness, how much each circumstance makes up for.
SAME_NAME, ALIKE_NAME, SAME_OWNER, SAME_MODULE = 0.5, 0.3, 0.25, 0.15
TELLS_APART = 0.1  # their part where bodies are the same


@dataclass(slots=True)
class Crowd:
    """The definitions among which something is looked for, and what their words weigh: rare ones the most."""

    features: Mapping[str, Features]
    weights: dict[str, float] = field(default_factory=dict)
    holders: dict[str, list[str]] = field(default_factory=dict)

    def nearest(self, wanted: Features) -> list[str]:
        """The symbols that share most of what is rare, in order."""
        shared: Counter[str] = Counter()
        for word in wanted:
            holders = self.holders.get(word, ())
            if len(holders) <= RARE:
                for symbol in holders:
                    shared[symbol] += round(1000 * self.weights[word])
        return [symbol for symbol, _ in sorted(shared.items(), key=lambda item: (-item[1], item[0]))[:MOST_CANDIDATES]]

    def weight(self, words: Iterable[str]) -> float:
        """The weight of words together. Summed in a fixed order, so that it is the same on every run."""
        return math.fsum(self.weights.get(word, 0.0) for word in words)


def crowd_of(searched: Mapping[str, Features], others: Mapping[str, Features]) -> Crowd:
    """The definitions `searched`, with the weights of words in them and `others`."""
    n_of = Counter(word for features in (*searched.values(), *others.values()) for word in features)
    total = len(searched) + len(others) + OTHERS
    crowd = Crowd(searched, {word: math.log(total / n) for word, n in n_of.items()})
    for symbol, features in sorted(searched.items()):
        for word in features:
            crowd.holders.setdefault(word, []).append(symbol)
    return crowd


def features_of(sketches: Mapping[str, Sketch], symbols: Iterable[str]) -> dict[str, Features]:
    """What definitions are compared by: their words, and of a class the names of its members."""
    members: dict[str, set[str]] = {}
    for sketch in sketches.values():
        members.setdefault(sketch.owner, set()).add(MEMBER + sketch.name)
    found = {}
    for symbol in symbols:
        sketch = sketches[symbol]
        inside = members.get(symbol, set()) if sketch.kind == DefinitionKind.CLASS else set()
        found[symbol] = frozenset((*sketch.words, *inside))
    return found


def body_likeness(crowd: Crowd, first: tuple[Sketch, Features], second: tuple[Sketch, Features]) -> float:
    """How alike two bodies are, from 0 to 1. What is as good as nothing is like nothing."""
    (one, mine), (other, theirs) = first, second
    shared = crowd.weight(mine & theirs)
    if one.digest == other.digest and shared >= ENOUGH:
        return 1.0
    words = shared / (crowd.weight(mine | theirs) or 1.0)
    likeness = max(words, (words + statement_likeness(one, other)) / 2)
    return likeness * min(1.0, shared / ENOUGH)


def statement_likeness(one: Sketch, other: Sketch) -> float:
    """The share of statements that stand in both."""
    longest = max(len(one.statements), len(other.statements))
    shared = (Counter(one.statements) & Counter(other.statements)).total()
    return shared / longest if longest else 0.0


def name_likeness(one: str, other: str) -> float:
    """The share of the parts of two names that are in both: 0.6 for `resolve_token_ids` and `resolve_tokens`."""
    mine, theirs = (set(filter(None, split_name(name))) for name in (one, other))
    return len(mine & theirs) / len(mine | theirs) if mine | theirs else 0.0


def split_name(name: str) -> list[str]:
    """The parts of a name, in lower case, a plural's `s` left out: `draft_tokens` and `DraftToken` have the same."""
    spaced = "".join(f"_{char.lower()}" if char.isupper() else char for char in name)
    return [part.removesuffix("s") for part in spaced.split("_")]


def raised(likeness: float, *shares: float) -> float:
    """A likeness, made greater by circumstances: each makes up for its share of what is still missing."""
    for share in shares:
        likeness += (1.0 - likeness) * share
    return likeness
