"""The command that writes the configuration."""

import json
from pathlib import Path

import pytest

from adaptive_disable.configure import main
from adaptive_disable.costs import CostTable


def test_it_writes_the_slots_and_says_the_flags(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The number of steps that the server begins with is one of the slots' own, or it would not start."""
    file = tmp_path / "adaptive.json"
    assert main(["--draft-steps", "3", "--off-batch", "96", "-o", str(file)]) == 0
    flags = capsys.readouterr().out.split()
    assert flags[:3] == ["--speculative-adaptive", "--speculative-adaptive-config", str(file)]
    steps = int(flags[flags.index("--speculative-num-steps") + 1])
    assert steps in {step for slot in json.loads(file.read_text()).values() for step in slot["candidate_steps"]}


def test_a_table_is_read(tmp_path: Path) -> None:
    """With the acceptance of the server's log."""
    CostTable((1, 128), (5.0, 36.0), (4.0, 8.0)).write(tmp_path / "costs.json")
    command = ["--draft-steps", "3", "--table", str(tmp_path / "costs.json"), "--accept-length", "2.5"]
    assert main([*command, "-o", str(tmp_path / "adaptive.json")]) == 0
    assert list(json.loads((tmp_path / "adaptive.json").read_text())) == ["1", "128"]


def test_a_table_that_is_none_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is written then."""
    (tmp_path / "costs.json").write_text("[]")
    command = ["--draft-steps", "3", "--table", str(tmp_path / "costs.json"), "-o", str(tmp_path / "adaptive.json")]
    assert main(command) == 1
    assert "costs.json" in capsys.readouterr().err
    assert not (tmp_path / "adaptive.json").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--draft-steps", "0"], "argument --draft-steps: '0': a whole number of 1 or more is wanted"),
        (["--draft-steps", "few"], "argument --draft-steps: 'few': a whole number"),
        (["--draft-steps", "3", "--off-batch", "1"], "argument --off-batch: '1': a whole number of 2 or more"),
        (["--draft-steps", "3", "--off-batch", "64", "--table", "costs.json"], "--off-batch goes without --table"),
        (["--draft-steps", "3", "--accept-length", "2.4"], "--accept-length goes with --table"),
        (["--draft-steps", "3", "--table", "t", "--accept-length", "nan"], "argument --accept-length: 'nan'"),
        (["--draft-steps", "3", "--table", "t", "--accept-length", "inf"], "argument --accept-length: 'inf'"),
        (["--draft-steps", "3", "--table", "t", "--accept-length", "0.5"], "argument --accept-length: '0.5'"),
        (["--draft-steps", "3", "--table", "t", "--accept-error", "-1"], "argument --accept-error: '-1': a share"),
        (["--draft-steps", "3", "--table", "t", "--margin", "2"], "argument --margin: '2': a share of 0 or more"),
    ],
)
def test_what_cannot_be_meant(words: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Neither is a flag dropped that contradicts another, nor a number taken that is none."""
    with pytest.raises(SystemExit) as ended:
        main([*words, "-o", str(tmp_path / "adaptive.json")])
    assert ended.value.code == 2
    assert said in " ".join(capsys.readouterr().err.split())
    assert not (tmp_path / "adaptive.json").exists()


def test_no_draft_steps_are_a_usage_error(tmp_path: Path) -> None:
    """Nothing would be there to switch."""
    with pytest.raises(SystemExit) as ended:
        main(["--draft-steps", "0", "-o", str(tmp_path / "adaptive.json")])
    assert ended.value.code == 2
