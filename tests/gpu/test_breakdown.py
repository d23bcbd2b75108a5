"""How a profile of decode steps is divided by cause."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.gpu.breakdown import ELSEWHERE, busy_ms, causes, largest_kernels


def event(category: str, name: str, start: float, length: float, correlation: int = 0) -> dict[str, Any]:
    """One event of a trace; times in microseconds."""
    return {"ph": "X", "cat": category, "name": name, "ts": start, "dur": length, "args": {"correlation": correlation}}


TRACE = [
    event("user_annotation", "step", 0, 100),
    event("user_annotation", "draft", 10, 20),
    event("cuda_runtime", "cudaLaunchKernel", 5, 1, 1),
    event("cuda_runtime", "cudaGraphLaunch", 15, 1, 2),
    event("cuda_runtime", "cudaEventSynchronize", 50, 30, 3),
    event("kernel", "one", 6, 10, 1),
    event("kernel", "two", 26, 10, 2),
    event("kernel", "beside it", 30, 4, 2),
    event("kernel", "unknown", 110, 10, 9),
]


def test_work_belongs_to_the_innermost_part_that_launched_it() -> None:
    """A kernel that runs while another part is on the host is the first one's; one that nobody launched is nobody's."""
    gpu = {cause.name: cause.gpu_ms for cause in causes(TRACE, 1)}
    assert gpu == pytest.approx({"step": 0.010, "draft": 0.014, ELSEWHERE: 0.010})


def test_idling_belongs_to_where_the_host_was() -> None:
    """The GPU idles from 16 to 26 and from 36 to 110: in the draft, in the rest of the step, and behind it."""
    idle = {cause.name: cause.idle_ms for cause in causes(TRACE, 1)}
    assert idle == pytest.approx({"draft": 0.010, "step": 0.064, ELSEWHERE: 0.010})


def test_waiting_and_the_hosts_own_time_are_told() -> None:
    """A part's own time leaves out the parts inside it; what it waits for the GPU is a part of that."""
    step = next(cause for cause in causes(TRACE, 1) if cause.name == "step")
    assert (step.host_ms, step.waits_ms) == pytest.approx((0.080, 0.030))


def test_all_is_told_by_the_step() -> None:
    """Of two steps each has half; kernels that overlap are busy once."""
    assert busy_ms(TRACE, 2) == pytest.approx(0.015)
    assert sum(cause.gpu_ms for cause in causes(TRACE, 2)) == pytest.approx(0.017)


def test_the_largest_kernels_of_each_part_are_told() -> None:
    """By name, the longest first, so many of each part."""
    found = [(kernel.part, kernel.name) for kernel in largest_kernels(TRACE, 1, 1)]
    assert found == [("draft", "two"), (ELSEWHERE, "unknown"), ("step", "one")]


def test_what_is_no_span_is_left_out() -> None:
    """Marks of other kinds, and an empty trace, have no causes."""
    assert causes([{"ph": "M", "name": "process_name"}, {"ph": "i", "cat": "kernel", "name": "mark", "ts": 1}], 1) == []
