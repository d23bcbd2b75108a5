"""What happened so far, as numbers, and as Prometheus' text form."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from adaptive_disable.costs import CostTable
from adaptive_disable.policy import Decision, Reason, Signals, State

NAME = "adaptive_disable"
Labels = tuple[tuple[str, str], ...]
Sample = tuple[Labels, float]


def bucket(batch_size: int) -> int:
    """The power of two that a batch size is counted under: the next one that is not smaller."""
    return 1 << (batch_size - 1).bit_length()


class Metrics:
    """Counts decisions and measures the time from one step to the next. A witness of the controller.

    `longest`: tokens a request in a speculating step at most. `table`: the step times that the policy compares.
    `clock`: in seconds. `text` may be called from another thread: it reads numbers that are replaced whole.
    """

    def __init__(
        self, longest: int, table: CostTable | None = None, clock: Callable[[], float] = time.perf_counter
    ) -> None:
        self._longest = longest
        self._table = table
        self._clock = clock
        self._steps: Counter[bool] = Counter()
        self._flips: Counter[Reason] = Counter()
        self._overruled: Counter[Reason] = Counter()
        self._probes: Counter[Reason] = Counter()
        self._times: Counter[tuple[bool, int]] = Counter()
        self._seconds: dict[tuple[bool, int], float] = {}
        self._last: tuple[Signals, Decision, Decision] | None = None
        self._last_at = 0.0

    def saw(self, signals: Signals, decided: Decision, done: Decision) -> None:
        """Count one decision. The time since the one before was told counts for the batch size and mode of that one."""
        now = self._clock()
        if self._last is not None:
            before, did = self._last[0], self._last[2]
            key = (did.speculate, bucket(before.batch_size))
            self._times[key] += 1
            self._seconds[key] = self._seconds.get(key, 0.0) + now - self._last_at
        self._last_at = now
        self._steps[done.speculate] += 1
        if done.flipped:
            self._flips[done.reason] += 1
        if done.reason in (Reason.DRY_RUN, Reason.KILLED, Reason.RANK_ZERO):
            self._overruled[done.reason] += 1
        if decided.reason in (Reason.PROBE_DUE, Reason.PROBE_PAID, Reason.PROBE_FAILED, Reason.PROBE_HOPELESS):
            self._probes[decided.reason] += 1
        self._last = (signals, decided, done)

    def close(self) -> None:
        """Nothing is held open."""

    def text(self) -> str:
        """All metrics in Prometheus' text form, version 0.0.4. A step's time is what lies between it and the next one:
        waiting for requests and prefill are in it.
        """
        return "".join(f"{line}\n" for family in self._families() for line in family)

    def _families(self) -> Iterator[Iterable[str]]:
        yield from self._now()
        yield _family("steps_total", "counter", "Decode steps, by what they did.", _by_mode(self._steps))
        yield _family("flips_total", "counter", "Changes from on to off and back, by reason.", _by(self._flips))
        yield _family("probes_total", "counter", "Probes, by how they began and ended.", _by(self._probes))
        yield _family(
            "overruled_total", "counter", "Decisions that were not followed, by reason.", _by(self._overruled)
        )
        counts = [(_measured(key), float(count)) for key, count in sorted(self._times.copy().items())]
        sums = [(_measured(key), seconds) for key, seconds in sorted(self._seconds.copy().items())]
        yield _family(
            "step_seconds_count", "counter", "Steps that were measured, by what they did and batch size.", counts
        )
        yield _family("step_seconds_sum", "counter", "Seconds from step to step, summed.", sums)
        if self._table is not None:
            yield _family("table_step_seconds", "gauge", "Step times that the policy compares.", _of_table(self._table))

    def _now(self) -> Iterator[Iterable[str]]:
        """The last decision."""
        if self._last is None:
            return
        signals, decided, done = self._last
        width = self._longest if done.speculate else 1
        states = [((("state", state.value),), float(state is decided.state)) for state in State]
        yield _family("state", "gauge", "1 for the state that the policy is in.", states)
        yield _family("width", "gauge", "Tokens a request that the target model computes in a step.", [((), width)])
        yield _family("batch_size", "gauge", "Running requests in the last decision.", [((), signals.batch_size)])
        yield _family("queue_length", "gauge", "Waiting requests in the last decision.", [((), signals.queue_length)])
        if decided.accept_length is not None:
            told = "Tokens a request in a speculating step, bonus included, smoothed."
            yield _family("accept_length", "gauge", told, [((), decided.accept_length)])
        if decided.break_even is not None:
            told = "The accept length at which speculation pays at the last batch size."
            yield _family("break_even", "gauge", told, [((), decided.break_even)])


def _mode(speculate: bool) -> str:
    return "on" if speculate else "off"


def _by_mode(counts: Counter[bool]) -> list[Sample]:
    return [((("mode", _mode(speculate)),), float(counts[speculate])) for speculate in (True, False)]


def _by(counts: Counter[Reason]) -> list[Sample]:
    return [((("reason", reason.value),), float(counts[reason])) for reason in Reason if counts[reason]]


def _measured(key: tuple[bool, int]) -> Labels:
    speculate, size = key
    return (("mode", _mode(speculate)), ("batch_size_up_to", str(size)))


def _of_table(table: CostTable) -> list[Sample]:
    times = (("on", table.on_ms), ("off", table.off_ms))
    return [
        ((("mode", mode), ("batch_size", str(size))), milliseconds / 1000)
        for mode, column in times
        for size, milliseconds in zip(table.batch_sizes, column, strict=True)
    ]


def _family(name: str, kind: str, told: str, samples: Iterable[Sample]) -> list[str]:
    """The lines of one metric; none where it has no samples."""
    lines = [f"{NAME}_{name}{_braced(labels)} {value:.9g}" for labels, value in samples]
    return [f"# HELP {NAME}_{name} {told}", f"# TYPE {NAME}_{name} {kind}", *lines] if lines else []


def _braced(labels: Labels) -> str:
    return "{" + ",".join(f'{name}="{value}"' for name, value in labels) + "}" if labels else ""
