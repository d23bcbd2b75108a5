"""The log of decisions: what it holds repeats; what is no log is refused."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adaptive_disable.assembly import controller_for
from adaptive_disable.config import HookConfig, Mode
from adaptive_disable.costs import CostTable
from adaptive_disable.decisions import LogError
from adaptive_disable.replay import main, replay

TABLE = CostTable((1, 32, 128), (6.0, 12.0, 32.0), (5.0, 6.0, 8.0))
STEPS = st.lists(
    st.tuples(st.integers(1, 128), st.integers(0, 50), st.lists(st.integers(1, 3), min_size=1, max_size=4)), max_size=60
)


def run(config: HookConfig, steps: list[tuple[int, int, list[int]]]) -> None:
    """Decide for these batch sizes, queue lengths and results."""
    controller = controller_for(config, 3, TABLE)
    for batch_size, queue_length, accepted in steps:
        if controller.decide(batch_size, queue_length).speculate:
            controller.observe_speculated(accepted)
        else:
            controller.observe_plain(len(accepted), accepted.count(2))
    controller.close()


@settings(deadline=None, max_examples=30)
@given(STEPS, st.sampled_from(Mode), st.integers(1, 5))
def test_a_log_repeats(steps: list[tuple[int, int, list[int]]], mode: Mode, dwell: int) -> None:
    """In every mode, the logged signals give the logged decisions."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "decisions.jsonl"
        run(HookConfig(mode=mode, dwell=dwell, off_batch=20, on_batch=10, probe_budget=0.9, log=path), steps)
        outcome = replay(path)
    assert (outcome.decisions, outcome.otherwise) == (len(steps), ())


def test_a_decision_that_comes_out_otherwise_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Somebody changed a line: the step is named and the exit code is 1."""
    path = tmp_path / "decisions.jsonl"
    run(HookConfig(mode=Mode.THRESHOLD, log=path), [(1, 0, [1]), (100, 0, [1])])
    assert main([str(path)]) == 0
    path.write_text(path.read_text().replace("[1,100,", "[1,2,"))
    assert main([str(path)]) == 1
    assert "step 1: logged off (batch-large), now on (stays)" in capsys.readouterr().out


def test_the_policy_is_logged_and_what_was_done(tmp_path: Path) -> None:
    """In a dry run they differ, and the policy repeats."""
    path = tmp_path / "decisions.jsonl"
    run(HookConfig(mode=Mode.HELD_OFF, dry_run=True, log=path), [(1, 0, [1])] * 3)
    assert path.read_text().splitlines()[1].endswith('"off","held",1,"dry-run"]')
    assert replay(path).otherwise == ()


def test_a_log_is_bounded(tmp_path: Path) -> None:
    """After as many decisions as the settings say it ends."""
    path = tmp_path / "decisions.jsonl"
    run(HookConfig(mode=Mode.HELD_ON, log=path, log_steps=2), [(1, 0, [1])] * 5)
    assert replay(path).decisions == 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty"),
        ("{", "line 1: no JSON"),
        ("{}", "line 1: 'adaptive-disable decisions 1' is wanted"),
        ('{"format": "adaptive-disable decisions 1"}', "line 1: 'table'"),
        ("BEGIN\n[1,2]", "line 2: an array of 14 is wanted"),
        ('BEGIN\n[0,1,0,0,0,0,0,0,0,0,"maybe","held",1,"held"]', "line 2: 'maybe' is not a valid State"),
        ('BEGIN\n["0",1,0,0,0,0,0,0,0,0,"on","held",1,"held"]', "line 2: whole numbers are wanted"),
        ('BEGIN\n[0,1,0,0,0,0,0,0.5,0,0,"on","held",1,"held"]', "line 2: whole numbers are wanted"),
        ('BEGIN\n[0,0,0,0,0,0,0,0,0,0,"on","held",1,"held"]', "line 2: batch_size is 0: 1 request or more is wanted"),
        ("BEGIN\nENTRY\nENTRY", "step 0 was asked for after step 0"),
        ('{"format": "adaptive-disable decisions 1", "longest": "x", "settings": {}, "table": null}', "line 1: "),
        ('{"format": "adaptive-disable decisions 1", "longest": 1e999, "settings": {}, "table": null}', "line 1: "),
        ('{"format": "adaptive-disable decisions 1", "longest": 3, "settings": [1], "table": null}', "line 1: "),
        ("[" * 100_000, "line 1: no JSON"),
    ],
)
def test_what_is_no_log(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, said: str) -> None:
    """The line is named, and the exit code is 2."""
    path = tmp_path / "decisions.jsonl"
    begin = '{"format": "adaptive-disable decisions 1", "longest": 3, "settings": {"mode": "on"}, "table": null}'
    entry = '[0,1,0,0,0,0,0,0,0,0,"on","held",1,"held"]'
    path.write_text(text.replace("BEGIN", begin).replace("ENTRY", entry))
    assert main([str(path)]) == 2
    assert said in capsys.readouterr().err


def test_a_log_that_is_not_there(tmp_path: Path) -> None:
    """It is named."""
    with pytest.raises(LogError, match=r"none\.jsonl: cannot be read"):
        replay(tmp_path / "none.jsonl")
