"""Findings that are accepted: a file with the key of one a line, which a check shrinks and never grows by itself."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

COMMENT = "#"
HEAD = (
    "# Findings of `flowmap check` that are accepted, the key of one a line. `--update-baseline` takes out those that are gone."
)


@dataclass(frozen=True, slots=True)
class Baseline:
    """The lines of a baseline file; nothing for no file."""

    lines: tuple[str, ...] = ()

    @property
    def keys(self) -> frozenset[str]:
        """The keys of what is accepted."""
        return frozenset(key for line in self.lines if (key := key_in(line)))


def key_in(line: str) -> str:
    """The key on a line; "" on a blank one and in a comment."""
    text = line.strip()
    return "" if text.startswith(COMMENT) else text


def baseline_in(text: str) -> Baseline:
    """The baseline that a file's text is."""
    return Baseline(tuple(text.splitlines()))


def gone(baseline: Baseline, checked: Sequence[str], keys: Iterable[str]) -> tuple[str, ...]:
    """What is accepted and not found any more, in the order of the file; only of the files of contracts that were checked."""
    found = frozenset(keys)
    lines = map(key_in, baseline.lines)
    return tuple(key for key in lines if key and key not in found and key.partition("/")[0] in checked)


def without(baseline: Baseline, keys: Iterable[str]) -> Baseline:
    """The baseline less some keys; comments stay."""
    left_out = frozenset(keys)
    return Baseline(tuple(line for line in baseline.lines if key_in(line) not in left_out or not key_in(line)))


def accepting(baseline: Baseline, keys: Iterable[str]) -> Baseline:
    """The baseline with some keys more."""
    more = tuple(key for key in dict.fromkeys(keys) if key not in baseline.keys)
    return Baseline((*(baseline.lines or (HEAD,)), *more))
