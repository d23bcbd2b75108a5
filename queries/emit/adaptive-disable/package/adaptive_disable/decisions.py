"""The log of decisions: every one with its inputs, so that it can be repeated.

JSON lines. The first is an object: the settings, the longest acceptance and the table of costs that the policy began
with. Each further one is an array, in the order of `COLUMNS`.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from adaptive_disable.acceptance import Observed
from adaptive_disable.config import HookConfig
from adaptive_disable.costs import CostTable, table_of
from adaptive_disable.policy import Decision, Policy, Reason, Signals, State, policy_for
from adaptive_disable.settings import as_texts, of_texts

logger = logging.getLogger("adaptive_disable")
FORMAT = "adaptive-disable decisions 1"
COLUMNS = (
    "step",
    "batch_size",
    "queue_length",
    "context",
    "requests",
    "tokens",
    "squares",
    "extended",
    "plain",
    "foreseen",
    "state",
    "reason",
    "did",
    "did_because",
)
"""`requests` to `foreseen`: see `Observed`. `did`: 1 where the step speculated; `did_because` says why, overrules too.
"""


class LogError(ValueError):
    """A file that is no log of decisions, or a line that is no decision: says where and what was wanted."""


@dataclass(frozen=True, slots=True)
class Beginning:
    """What a policy began with."""

    config: HookConfig
    longest: int
    """Tokens a request that a speculating step yields at most, bonus included."""
    table: CostTable | None = None

    def policy(self) -> Policy:
        """The policy, before its first decision."""
        return policy_for(self.config, self.longest, self.table)


@dataclass(frozen=True, slots=True)
class Entry:
    """One decision of a log: what the policy saw, what it decided, and what the step did."""

    signals: Signals
    state: State
    reason: Reason
    did: bool
    did_because: Reason


class DecisionLog:
    """Writes decisions as they are made. After `limit` of them it closes the file: a log is bounded.

    Raises `OSError` where the file cannot be written at the start; later that is said once and the log ends.
    """

    def __init__(self, path: Path, beginning: Beginning, limit: int) -> None:
        self._left = limit
        # Line by line: what was decided is there when the process is killed.
        self._file: TextIO = path.open("w", encoding="utf-8", buffering=1)
        self._file.write(json.dumps(_as_json(beginning)) + "\n")

    def saw(self, signals: Signals, decided: Decision, done: Decision) -> None:
        """Write one decision."""
        if not self._left:
            return
        seen = signals.observed
        row = (
            *(signals.step, signals.batch_size, signals.queue_length, signals.context),
            *(seen.requests, seen.tokens, seen.squares, seen.extended, seen.plain, seen.foreseen),
            *(decided.state.value, decided.reason.value, int(done.speculate), done.reason.value),
        )
        try:
            self._file.write(json.dumps(row, separators=(",", ":")) + "\n")
        except OSError as error:
            logger.warning("decisions are no longer logged: %s", error)
            self._left = 1
        self._left -= 1
        if not self._left:
            self.close()

    def close(self) -> None:
        """Close the file. Nothing is written after that."""
        self._left = 0
        self._file.close()


def read_log(path: Path) -> tuple[Beginning, Iterator[Entry]]:
    """What a log holds. Raises `LogError` where it is none, at once or when the entry that is none is asked for."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise LogError(f"{path}: cannot be read: {error}") from error
    if not lines:
        raise LogError(f"{path}: is empty; a log begins with a line that says {FORMAT!r}")
    beginning = _beginning(path, lines[0])
    return beginning, (_entry(path, number, line) for number, line in enumerate(lines[1:], 2))


def _as_json(beginning: Beginning) -> dict[str, object]:
    return {
        "format": FORMAT,
        "longest": beginning.longest,
        "settings": as_texts(beginning.config),
        "table": beginning.table.as_json() if beginning.table else None,
        "columns": COLUMNS,
    }


def _beginning(path: Path, line: str) -> Beginning:
    read = _json(path, 1, line)
    if not isinstance(read, dict) or read.get("format") != FORMAT:
        raise LogError(f"{path}, line 1: {FORMAT!r} is wanted")
    try:
        table = table_of(read["table"]) if read["table"] is not None else None
        return Beginning(of_texts(read["settings"]), int(read["longest"]), table)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise LogError(f"{path}, line 1: {error}") from error


def _entry(path: Path, number: int, line: str) -> Entry:
    row = _json(path, number, line)
    if not isinstance(row, list) or len(row) != len(COLUMNS):
        raise LogError(f"{path}, line {number}: an array of {len(COLUMNS)} is wanted: {', '.join(COLUMNS)}")
    *numbers, state, reason, did, because = row
    if not all(type(value) is int for value in (*numbers, did)):
        raise LogError(f"{path}, line {number}: whole numbers are wanted up to the state, and in `did`")
    step, batch_size, queue_length, context, *seen = numbers
    if batch_size < 1:
        raise LogError(f"{path}, line {number}: batch_size is {batch_size}: 1 request or more is wanted")
    try:
        signals = Signals(step, batch_size, queue_length, Observed(*seen), context)
        return Entry(signals, State(state), Reason(reason), bool(did), Reason(because))
    except ValueError as error:
        raise LogError(f"{path}, line {number}: {error}") from error


def _json(path: Path, number: int, line: str) -> Any:
    try:
        return json.loads(line)
    except (json.JSONDecodeError, RecursionError) as error:
        raise LogError(f"{path}, line {number}: no JSON: {error}") from error
