"""The table of costs: what lies between measured batch sizes, what break-even is, what is no table."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adaptive_disable.costs import CostTable, CostTableError, read_table, table_of

TABLE = CostTable((1, 8, 32), (6.0, 8.0, 20.0), (5.0, 5.0, 8.0))
SIZES = st.lists(st.integers(1, 512), min_size=1, max_size=8, unique=True).map(sorted)


def test_between_two_sizes_times_are_interpolated() -> None:
    """Half the way from 8 to 32 requests is half the way from 8 to 20 milliseconds."""
    assert (TABLE.on(20), TABLE.off(20)) == (14.0, 6.5)


def test_beyond_the_last_size_the_slope_goes_on() -> None:
    """Eight requests more than the last cost as the eight before."""
    assert TABLE.on(40) == 24.0


def test_below_the_first_size_its_times_hold() -> None:
    """A table that begins at 4 says of 1 what it says of 4."""
    assert CostTable((4, 8), (6.0, 7.0), (5.0, 5.0)).on(1) == 6.0


def test_one_size_alone_holds_everywhere() -> None:
    """There is no slope to follow."""
    assert CostTable((4,), (6.0,), (5.0,)).on(100) == 6.0


def test_break_even_is_the_ratio_of_the_times() -> None:
    """A step of 20 ms against one of 8 ms must yield two and a half tokens a request."""
    assert TABLE.break_even(32) == 2.5


GROWING = CostTable((1, 8), (6.0, 8.0), (5.0, 5.0), 100, (0.0, 0.02), (0.0, 0.01))


def test_a_longer_context_costs_more_where_that_was_measured() -> None:
    """At 8 requests of 200 tokens: 100 tokens more than the table's, at 0.02 and 0.01 ms each."""
    assert (GROWING.on(8, 200), GROWING.off(8, 200)) == (10.0, 6.0)
    assert GROWING.break_even(8, 200) == pytest.approx(10 / 6)
    assert GROWING.break_even(8, 100) == GROWING.break_even(8) == 1.6


def test_between_two_sizes_the_growth_is_interpolated_too() -> None:
    """Half the way from 2 to 8 requests; at one request nothing grows."""
    assert GROWING.on(1, 900) == 6.0
    assert CostTable((2, 8), (6.0, 8.0), (5.0, 5.0), 100, (0.0, 0.02), (0.0, 0.0)).on(5, 200) == 8.0


def test_a_short_context_makes_no_step_free() -> None:
    """A tenth of the table's time is left, however steep the growth."""
    assert CostTable((1,), (6.0,), (5.0,), 1000, (0.1,), (0.0,)).on(1, 1) == pytest.approx(0.6)


def test_a_table_that_knows_nothing_of_the_context_takes_any() -> None:
    """It says the same of all of them."""
    assert TABLE.break_even(8, 5000) == TABLE.break_even(8)


def test_a_table_with_growth_survives_its_file(tmp_path: Path) -> None:
    """All six parts."""
    GROWING.write(tmp_path / "table.json")
    assert read_table(tmp_path / "table.json") == GROWING


@pytest.mark.parametrize(
    ("growth", "context", "said"),
    [
        ((0.1,), 5, "on_ms_token has 1 values"),
        ((0.1, -0.1), 5, "on_ms_token is [0.1, -0.1]"),
        ((0.1, float("inf")), 5, "on_ms_token is [0.1, inf]"),
        ((0.1, 0.1), -1, "context is -1"),
    ],
)
def test_what_is_no_growth(growth: tuple[float, ...], context: int, said: str) -> None:
    """It is said which value is wrong."""
    with pytest.raises(CostTableError, match=re.escape(said)):
        CostTable((1, 2), (1.0, 1.0), (1.0, 1.0), context, growth, (0.0, 0.0))


def test_a_table_survives_its_file(tmp_path: Path) -> None:
    """What is written is what is read."""
    TABLE.write(tmp_path / "table.json")
    assert read_table(tmp_path / "table.json") == TABLE


@pytest.mark.parametrize(
    ("sizes", "on", "said"),
    [
        ((), (), "0 batch sizes"),
        ((1, 2), (1.0,), "2 batch sizes, 1 times on"),
        ((2, 1), (1.0, 1.0), "must begin at 1 or more and rise"),
        ((0, 1), (1.0, 1.0), "must begin at 1 or more and rise"),
        ((1, 2), (1.0, 0.0), "on_ms at batch size 2 is 0.0"),
        ((1, 2), (1.0, float("nan")), "on_ms at batch size 2 is nan"),
    ],
)
def test_what_is_no_table(sizes: tuple[int, ...], on: tuple[float, ...], said: str) -> None:
    """It is said which value is wrong."""
    with pytest.raises(CostTableError, match=said):
        CostTable(sizes, on, tuple(1.0 for _ in sizes))


GROWN: dict[str, object] = {name: [1] for name in ("batch_sizes", "on_ms", "off_ms", "on_ms_token", "off_ms_token")}


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ([], "an object of three lists"),
        ({"batch_sizes": [1], "on_ms": [1]}, "an object of three lists"),
        ({"batch_sizes": [1], "on_ms": ["1"], "off_ms": [1]}, "on_ms: a list of numbers"),
        ({"batch_sizes": [1.5], "on_ms": [1], "off_ms": [1]}, "whole numbers"),
        ({"batch_sizes": [float("inf")], "on_ms": [1], "off_ms": [1]}, "whole numbers"),
        ({"batch_sizes": [float("nan")], "on_ms": [1], "off_ms": [1]}, "whole numbers"),
        ({"batch_sizes": [10**400], "on_ms": [1], "off_ms": [1]}, "batch_sizes: "),
        (GROWN | {"context": float("nan")}, "context is nan"),
        (GROWN | {"context": 0.5}, "context is 0.5"),
    ],
)
def test_what_no_json_table_is(value: object, said: str) -> None:
    """The same for what a file may hold."""
    with pytest.raises(CostTableError, match=said):
        table_of(value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    """The message begins with the path."""
    with pytest.raises(CostTableError, match=r"none\.json: cannot be read"):
        read_table(tmp_path / "none.json")


@given(SIZES, st.data(), st.integers(1, 1024))
def test_times_stay_between_the_measured_ones(sizes: list[int], data: st.DataObject, size: int) -> None:
    """No time inside the table is below the least or above the greatest that was measured; none outside is below the
    least.
    """
    times = data.draw(st.lists(st.floats(0.1, 100), min_size=len(sizes), max_size=len(sizes)))
    table = CostTable(tuple(sizes), tuple(times), tuple(times))
    assert table.on(size) >= min(times) - 1e-9
    assert size > sizes[-1] or table.on(size) <= max(times) + 1e-9
