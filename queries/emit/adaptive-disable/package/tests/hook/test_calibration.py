"""What is made of the step times that are measured at start-up."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from adaptive_disable import calibration
from adaptive_disable.calibration import Point, costs_of, line
from adaptive_disable.config import HookConfig
from adaptive_disable.costs import CostTable, CostTableError

MEASURED = CostTable((1,), (2.0,), (1.0,))
READ = CostTable((1,), (4.0,), (1.0,))


@pytest.fixture
def rank_1(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A scheduler of that rank, which measures at once."""
    monkeypatch.setattr(calibration, "stock_server_because", lambda _scheduler: None)
    monkeypatch.setattr(calibration, "calibrate", lambda _scheduler, _variant: MEASURED)
    return SimpleNamespace(tp_rank=1)


def test_a_rank_measures_where_rank_0_does(rank_1: SimpleNamespace, tmp_path: Path) -> None:
    """Though it has a table itself: rank 0 would wait for it for ever. It leaves that table as it is."""
    file = tmp_path / "table.json"
    READ.write(file)
    assert costs_of(rank_1, HookConfig(table=file), lambda _there: False) == MEASURED
    assert costs_of(rank_1, HookConfig(table=file), lambda there: there) == READ


def test_a_rank_that_has_no_table_says_so_where_rank_0_has_one(rank_1: SimpleNamespace, tmp_path: Path) -> None:
    """The file is named: it is to be put on each machine."""
    with pytest.raises(CostTableError, match=r"table\.json"):
        costs_of(rank_1, HookConfig(table=tmp_path / "table.json"), lambda _there: True)


def test_two_lengths_of_the_context_give_a_line() -> None:
    """10 ms at 50 tokens and 16 ms at 250: 0.03 ms a token."""
    assert line((Point(10.0, 50.0), Point(16.0, 250.0)), 300) == pytest.approx((17.5, 0.03))


def test_a_longer_context_makes_no_step_shorter() -> None:
    """A difference that says so is noise: the time with long prompts holds everywhere."""
    assert line((Point(10.0, 50.0), Point(9.5, 250.0)), 300) == (9.5, 0.0)


def test_prompts_of_one_length_say_nothing_of_the_context() -> None:
    """Where requests may not be longer."""
    assert line((Point(10.0, 50.0), Point(11.0, 50.5)), 51) == (11.0, 0.0)
