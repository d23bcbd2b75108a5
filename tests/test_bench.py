"""What `make bench` measures with, and how it says whether a figure is met."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.bench import rivals_named
from benchmarks.figures import Figure, machine, verdict, write
from benchmarks.processes import Run, finished, measured
from benchmarks.rivals import RIVALS, Outcome, outcome_of
from benchmarks.scaling import Measured, growth, reckoned
from benchmarks.scaling import measured as measured_of

MIB = 2**20
SPINS = "import time\nend = time.process_time() + 0.3\nwhile time.process_time() < end: pass\n"
HOLDS = f"import time\nheld = b'x' * {200 * MIB}\ntime.sleep(0.5)\n"
STARTS = "import subprocess, sys\nsubprocess.run([sys.executable, '-c', sys.argv[1]], check=True)\n"


@pytest.mark.parametrize("text", [SPINS, STARTS])
def test_the_processor_time_of_all_processes_counts(text: str) -> None:
    """A child's, too."""
    run = measured((sys.executable, "-c", text, SPINS), {})
    assert run.code == 0
    assert run.cpu >= 0.3
    assert run.wall > 0.3


@pytest.mark.parametrize("text", [HOLDS, STARTS])
def test_the_memory_of_all_processes_counts(text: str) -> None:
    """What a child holds is part of the sum."""
    assert measured((sys.executable, "-c", text, HOLDS), {}).peak > 200 * MIB


def test_what_runs_too_long_is_ended() -> None:
    """And told apart from what ended by itself."""
    assert measured((sys.executable, "-c", "import time; time.sleep(60)"), {}, limit=0.3).code == -1


def test_what_fails_gives_no_figure() -> None:
    """A command that ends at once because it is broken is not a fast one."""
    with pytest.raises(subprocess.CalledProcessError):
        finished((sys.executable, "-c", "raise SystemExit(2)"), {})
    assert finished((sys.executable, "-c", "pass"), {}).code == 0


@pytest.mark.parametrize(
    ("value", "limit", "is_floor", "said"),
    [
        (2.0, 3.0, False, "≤ 3: met"),
        (4.0, 3.0, False, "≤ 3: NOT MET"),
        (4.0, 3.0, True, "≥ 3: met"),
        (2.0, 3.0, True, "≥ 3: NOT MET"),
    ],
)
def test_a_figure_is_held_against_what_is_wanted(value: float, limit: float, is_floor: bool, said: str) -> None:
    """At most, or at least."""
    assert verdict(Figure("x", value, "s", limit, is_floor)) == said


def test_where_nothing_is_wanted_nothing_is_met(tmp_path: Path) -> None:
    """The figure is told all the same."""
    write(tmp_path / "out" / "bench.json", machine(), [Figure("x", 1.23456, "s")])
    record = json.loads((tmp_path / "out" / "bench.json").read_text(encoding="utf-8"))
    assert record["figures"] == [{"name": "x", "value": 1.2346, "unit": "s", "limit": None, "is_floor": False, "is_met": None}]
    assert record["machine"]["processors"] >= 1


@pytest.mark.parametrize(
    ("name", "code", "written", "ended"),
    [
        ("pyan3", 0, "out", Outcome.DONE),
        ("pyan3", 0, "", Outcome.FAILED),
        ("pyan3", 1, "out", Outcome.FAILED),
        ("pyright", 1, "", Outcome.DONE),
        ("code2flow", 0, "out.json", Outcome.DONE),
        ("code2flow", -1, "out.json", Outcome.RAN_PAST),
    ],
)
def test_another_tool_has_done_its_work_or_is_said_to_have_failed(
    tmp_path: Path, name: str, code: int, written: str, ended: Outcome
) -> None:
    """What writes a result must have written it; a type checker ends with 1 where it has findings."""
    if written:
        (tmp_path / written).write_text("a b\n", encoding="utf-8")
    assert outcome_of(RIVALS[name], Run(1.0, 1.0, 1, code), tmp_path / "out") is ended


def test_a_tool_that_is_unknown_is_refused() -> None:
    """All that are known stand for `all`; the one that is always measured is not among them."""
    assert rivals_named("") == ()
    assert rivals_named("jedi,pyan3") == ("jedi", "pyan3")
    assert set(rivals_named("all")) == {"jedi", *RIVALS} - {"pyrefly"}
    with pytest.raises(ValueError, match="none"):
        rivals_named("none")


TABLE = "| `a` | 1 | 1,000,000 | 7 | 10 | 1,000 |\n| `b` | 2 | 4,000,000 | 9 | 40 | 8,000 |\n"


def test_growth_is_the_power_between_two_sources() -> None:
    """Four times the lines: four times the seconds is linear, eight times the memory the power of one and a half."""
    small, large = measured_of(TABLE, "a"), measured_of(TABLE, "b")
    assert small == Measured(1_000_000, 10.0, 1000.0)
    power = growth(small, large)
    assert (round(power.seconds, 6), round(power.megabytes, 6)) == (1.0, 1.5)
    whole = reckoned(large, power, 16_000_000)
    assert (round(whole.seconds), round(whole.megabytes)) == (160, 64_000)


def test_a_source_without_a_row_is_refused() -> None:
    """Nothing is reckoned from nothing."""
    with pytest.raises(ValueError, match="none"):
        measured_of(TABLE, "none")
