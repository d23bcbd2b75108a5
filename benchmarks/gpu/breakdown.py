"""Divides a profile of some decode steps by cause: what the GPU worked for each part of a step, and what it idled in it.

The profile is PyTorch's, as Chrome's trace has it: ranges that the host was in (`user_annotation`), the calls that it made to
launch work (`cuda_runtime`, `cuda_driver`), and the work (`kernel`, `gpu_memcpy`, `gpu_memset`). Times in it are microseconds.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeVar

WORK = frozenset(("kernel", "gpu_memcpy", "gpu_memset"))
CALLS = frozenset(("cuda_runtime", "cuda_driver"))
RANGES = "user_annotation"
WAITS = ("cudaEventSynchronize", "cudaStreamSynchronize", "cudaDeviceSynchronize", "cudaStreamWaitEvent")
ELSEWHERE = "elsewhere"
LONGEST_NAME = 60  # characters: a template spells out what it was made with
Key = TypeVar("Key")
MICROSECONDS = 1e3  # of a millisecond


@dataclass(frozen=True, slots=True)
class Span:
    """From when to when something lasted, in microseconds."""

    name: str
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Cause:
    """One part of a step, in milliseconds a step: the GPU's work launched in it, the GPU's idling while the host was in it, the
    host's own time in it (parts inside it left out), and how much of that the host waited for the GPU.
    """

    name: str
    gpu_ms: float
    idle_ms: float
    host_ms: float
    waits_ms: float


def causes(events: Iterable[Mapping[str, Any]], n_steps: int) -> list[Cause]:
    """One cause a part of a step that has a range, and one for what is in none; in the order of their names."""
    kept = [event for event in events if event.get("ph") == "X"]
    within = Within(_ranges(kept))
    calls = [event for event in kept if event.get("cat") in CALLS]
    work = [event for event in kept if event.get("cat") in WORK]
    gpu, waits = _worked(work, calls, within), _waited(calls, within)
    idle, host = _idled(work, within), within.own_times()
    names = sorted({*gpu, *idle, *host, *waits})
    scale = 1 / (MICROSECONDS * n_steps)
    return [Cause(name, gpu[name] * scale, idle[name] * scale, host[name] * scale, waits[name] * scale) for name in names]


@dataclass(frozen=True, slots=True)
class Kernel:
    """What the GPU did for one part of a step, by the kernel's name, in milliseconds a step."""

    part: str
    name: str
    gpu_ms: float


def largest_kernels(events: Iterable[Mapping[str, Any]], n_steps: int, number: int) -> list[Kernel]:
    """So many kernels of each part, those that took longest first."""
    kept = [event for event in events if event.get("ph") == "X"]
    within = Within(_ranges(kept))
    launched = _launched([event for event in kept if event.get("cat") in CALLS])
    work = [event for event in kept if event.get("cat") in WORK]
    sums = _summed(((within.at(_launch(event, launched)), str(event["name"])), float(event["dur"])) for event in work)
    scale = 1 / (MICROSECONDS * n_steps)
    found = [Kernel(part, name[:LONGEST_NAME], total * scale) for (part, name), total in sums.items()]
    by_part: defaultdict[str, list[Kernel]] = defaultdict(list)
    for kernel in sorted(found, key=lambda kernel: (kernel.part, -kernel.gpu_ms, kernel.name)):
        by_part[kernel.part].append(kernel)
    return [kernel for kernels in by_part.values() for kernel in kernels[:number]]


def busy_ms(events: Iterable[Mapping[str, Any]], n_steps: int) -> float:
    """Milliseconds a step that the GPU did anything at all."""
    work = [_span(event) for event in events if event.get("ph") == "X" and event.get("cat") in WORK]
    return sum(span.end - span.start for span in _joined(work)) / (MICROSECONDS * n_steps)


class Within:
    """Finds the innermost of some ranges, which are nested or apart, at a time."""

    def __init__(self, ranges: Sequence[Span]) -> None:
        self.pieces = _pieces(ranges)
        self.starts = [piece.start for piece in self.pieces]

    def at(self, time: float) -> str:
        """The innermost range at a time."""
        place = bisect_right(self.starts, time) - 1
        return self.pieces[place].name if place >= 0 and time < self.pieces[place].end else ELSEWHERE

    def own_times(self) -> defaultdict[str, float]:
        """How long each range was the innermost."""
        return _summed((piece.name, piece.end - piece.start) for piece in self.pieces)

    def shares(self, start: float, end: float) -> Iterable[tuple[str, float]]:
        """How long each range was the innermost in a time."""
        inside = 0.0
        for piece in self.pieces[max(0, bisect_right(self.starts, start) - 1) : bisect_right(self.starts, end)]:
            overlap = min(end, piece.end) - max(start, piece.start)
            if overlap > 0:
                inside += overlap
                yield piece.name, overlap
        yield ELSEWHERE, end - start - inside


def _pieces(ranges: Sequence[Span]) -> list[Span]:
    """Ranges, sorted, cut so that none overlap: each piece bears the innermost one's name."""
    pieces: list[Span] = []
    above: list[Span] = []
    now = 0.0

    def until(end: float) -> None:
        nonlocal now
        if above and end > now:
            pieces.append(Span(above[-1].name, now, end))
        now = max(now, end)

    for span in ranges:
        while above and above[-1].end <= span.start:
            until(above[-1].end)
            above.pop()
        until(span.start)
        above.append(span)
    while above:
        until(above[-1].end)
        above.pop()
    return pieces


def _ranges(events: Iterable[Mapping[str, Any]]) -> list[Span]:
    return sorted((_span(event) for event in events if event.get("cat") == RANGES), key=lambda span: (span.start, -span.end))


def _launched(calls: Iterable[Mapping[str, Any]]) -> dict[int, float]:
    """When each piece of work was launched, by its correlation."""
    return {call["args"]["correlation"]: float(call["ts"]) for call in calls if "correlation" in call.get("args", {})}


def _launch(event: Mapping[str, Any], launched: Mapping[int, float]) -> float:
    """When a piece of work was launched; before all where nobody knows."""
    return launched.get(event.get("args", {}).get("correlation"), -1.0)


def _worked(work: Iterable[Mapping[str, Any]], calls: Iterable[Mapping[str, Any]], within: Within) -> defaultdict[str, float]:
    launched = _launched(calls)
    return _summed((within.at(_launch(event, launched)), float(event["dur"])) for event in work)


def _waited(calls: Iterable[Mapping[str, Any]], within: Within) -> defaultdict[str, float]:
    return _summed((within.at(call["ts"]), float(call["dur"])) for call in calls if call["name"] in WAITS)


def _idled(work: Iterable[Mapping[str, Any]], within: Within) -> defaultdict[str, float]:
    """The GPU's gaps, each to the ranges that the host was in meanwhile."""
    joined = _joined([_span(event) for event in work])
    gaps = ((left.end, right.start) for left, right in pairwise(joined))
    return _summed(share for start, end in gaps for share in within.shares(start, end))


def _joined(spans: Sequence[Span]) -> list[Span]:
    """Spans in order, those that overlap made one."""
    joined: list[Span] = []
    for span in sorted(spans, key=lambda span: span.start):
        if joined and span.start <= joined[-1].end:
            joined[-1] = Span("", joined[-1].start, max(joined[-1].end, span.end))
        else:
            joined.append(span)
    return joined


def _span(event: Mapping[str, Any]) -> Span:
    return Span(str(event["name"]), float(event["ts"]), float(event["ts"]) + float(event["dur"]))


def _summed(pairs: Iterable[tuple[Key, float]]) -> defaultdict[Key, float]:
    sums: defaultdict[Key, float] = defaultdict(float)
    for name, value in pairs:
        sums[name] += value
    return sums
