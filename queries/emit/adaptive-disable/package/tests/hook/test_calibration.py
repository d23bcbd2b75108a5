"""What is made of the step times that are measured at start-up."""

from __future__ import annotations

import pytest

from adaptive_disable.calibration import Point, line


def test_two_lengths_of_the_context_give_a_line() -> None:
    """10 ms at 50 tokens and 16 ms at 250: 0.03 ms a token."""
    assert line((Point(10.0, 50.0), Point(16.0, 250.0)), 300) == pytest.approx((17.5, 0.03))


def test_a_longer_context_makes_no_step_shorter() -> None:
    """A difference that says so is noise: the time with long prompts holds everywhere."""
    assert line((Point(10.0, 50.0), Point(9.5, 250.0)), 300) == (9.5, 0.0)


def test_prompts_of_one_length_say_nothing_of_the_context() -> None:
    """Where requests may not be longer."""
    assert line((Point(10.0, 50.0), Point(11.0, 50.5)), 51) == (11.0, 0.0)
