"""What the gap from off steps to a server without speculation is due to."""

from __future__ import annotations

import pytest

from benchmarks.gpu.gaps import gaps


def test_each_cause_has_its_milliseconds() -> None:
    """What is left of the gap when the draft's part is taken out is the rest; a number that was not ablated has no row."""
    ablated = {"off": 7.3, "off-waiting": 8.1, "off-draft-left": 6.5, "off-wide": 7.6, "off-copying": 7.4}
    told = [{"name": f"ablated-{way}-128", "step_ms": ms} for way, ms in ablated.items()]
    (gap,) = gaps([*told, {"name": "plain-128", "step_ms": 6.4}, {"name": "plain-1", "step_ms": 4.5}])
    assert (gap.n_requests, gap.plain_ms, gap.off_ms) == (128, 6.4, 7.3)
    assert (gap.draft_in_step_ms, gap.rest_ms) == pytest.approx((0.8, 0.1))
    assert (gap.spared_waiting_ms, gap.spared_wide_ms, gap.spared_copying_ms) == pytest.approx((0.8, 0.3, 0.1))
