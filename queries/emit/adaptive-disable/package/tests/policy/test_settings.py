"""Settings: three sources, what each may say, and one clear message for each thing that cannot be meant."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest

from adaptive_disable.config import ConfigError, HookConfig, Mode, Variant
from adaptive_disable.settings import add_flags, as_environment, as_texts, flags_in, of_texts, read_settings

CHANGED = HookConfig(
    enabled=True, variant=Variant.DUMMY_DRAFT, mode=Mode.THRESHOLD, off_batch=99, margin=0.05, kill_file=Path("off")
)


def test_the_hook_is_off_by_default() -> None:
    """Without a word from the user nothing is patched."""
    assert not read_settings({}, {}).enabled


def test_flags_go_before_the_environment_and_that_before_the_file(tmp_path: Path) -> None:
    """Each source says the dwell; the file alone says the margin."""
    file = tmp_path / "settings.json"
    file.write_text(json.dumps({"dwell": 1, "margin": 0.5, "enabled": True}))
    environment = {"ADAPTIVE_DISABLE_CONFIG": str(file), "ADAPTIVE_DISABLE_DWELL": "2"}
    assert read_settings({"dwell": "3"}, environment) == HookConfig(enabled=True, dwell=3, margin=0.5)
    assert read_settings({}, environment) == HookConfig(enabled=True, dwell=2, margin=0.5)


def test_flags_are_taken_out_of_the_arguments_of_a_server() -> None:
    """What is not the hook's stays, in order; a flag of truth needs no value."""
    own, others = flags_in(
        ["--model", "m", "--adaptive-disable-enabled", "--adaptive-disable-off-batch=96", "--tp", "2"]
    )
    assert own == {"enabled": "true", "off_batch": "96"}
    assert others == ["--model", "m", "--tp", "2"]


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("--adaptive-disable-off=96", "--adaptive-disable-off: there is no such flag; did you mean"),
        (
            "--adaptive-disable-dwel",
            "--adaptive-disable-dwel: there is no such flag; did you mean --adaptive-disable-dwell?",
        ),
        ("--adaptive-disable-off_batch", "did you mean --adaptive-disable-off-batch?"),
        ("--adaptive-disable-quux", "--adaptive-disable-quux: there is no such flag"),
    ],
)
def test_a_flag_that_is_half_of_one_is_refused(word: str, said: str) -> None:
    """It would be read by nobody: the server takes it for an abbreviation, and the hook does not see it."""
    with pytest.raises(ConfigError) as raised:
        flags_in(["--model", "m", word, "96"])
    (problem,) = raised.value.problems
    assert said in problem


def test_each_flag_says_what_it_takes() -> None:
    """The words that it knows, what it is for, and its default."""
    parser = argparse.ArgumentParser()
    add_flags(parser)
    told = " ".join(parser.format_help().split())
    assert "--adaptive-disable-variant one-token|dummy-draft How a step" in told
    assert "--adaptive-disable-mode threshold|cost-table|on|off What decides" in told
    assert "--adaptive-disable-dwell N Decode steps" in told
    assert "(default: 8)" in told
    helps = [action.help for group in parser._action_groups for action in group._group_actions]
    assert not [text for text in helps if str(text).startswith("(default")]


def test_a_spawned_process_reads_what_its_parent_had() -> None:
    """Only what is not at its default travels."""
    assert as_environment(HookConfig(dwell=3)) == {"ADAPTIVE_DISABLE_DWELL": "3"}
    assert read_settings({}, as_environment(CHANGED)) == CHANGED


def test_settings_survive_being_written() -> None:
    """As the log of decisions does."""
    assert of_texts(as_texts(CHANGED)) == CHANGED


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("enabled", "maybe", "enabled is 'maybe': true or false is wanted"),
        ("dwell", "1.5", "dwell is '1.5': a whole number is wanted"),
        ("margin", "much", "margin is 'much': a number is wanted"),
        ("mode", "magic", "mode is 'magic': threshold or cost-table or on or off is wanted"),
        ("variant", "magic", "variant is 'magic': one-token or dummy-draft is wanted"),
        ("off_bach", "3", "off_bach: there is no such setting; did you mean off_batch?"),
        ("dwell", "0", "dwell is 0: 1 step or more is wanted"),
        ("off_batch", "48", "off_batch is 48 and on_batch 48: off_batch must be the larger"),
        ("margin", "nan", "margin is 'nan': a number is wanted"),
        ("margin", "1", "margin is 1.0: a share of 0 or more"),
        ("confidence", "inf", "confidence is 'inf': a number is wanted"),
        ("kill_file", "", "kill_file is '': the path of a file is wanted"),
        ("probe_budget", "0", "probe_budget is 0.0: a share between 0 and 1"),
        ("metrics_port", "70000", "metrics_port is 70000"),
        ("metrics_seconds", "0", "metrics_seconds is 0.0"),
    ],
)
def test_what_cannot_be_meant(name: str, text: str, said: str) -> None:
    """The setting, its value, what is wanted."""
    with pytest.raises(ConfigError) as raised:
        read_settings({name: text}, {})
    assert len(raised.value.problems) == 1
    assert raised.value.problems[0].startswith(said)


def test_all_that_is_wrong_is_said_at_once() -> None:
    """Three mistakes, three messages."""
    with pytest.raises(ConfigError) as raised:
        read_settings({"dwell": "x", "mode": "y"}, {"ADAPTIVE_DISABLE_WHAT": "1"})
    assert len(raised.value.problems) == 3


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"kill_file": 7}', "kill_file is 7: the path of a file is wanted"),
        ('{"table": ["costs.json"]}', "table is ['costs.json']: the path of a file is wanted"),
        ('{"dwell": [3]}', "dwell is '[3]': a whole number is wanted"),
        ('{"dwell": 3, "enabled": true, "dwell": 4}', "dwell stands there 2 times"),
        ('{"enabled": {"for": "good"}}', "true or false is wanted"),
    ],
)
def test_a_value_of_a_file_that_cannot_be_meant(tmp_path: Path, text: str, said: str) -> None:
    """A number is no path, and of two values nobody knows which is meant."""
    file = tmp_path / "settings.json"
    file.write_text(text)
    with pytest.raises(ConfigError) as raised:
        read_settings({"config": str(file)}, {})
    (problem,) = raised.value.problems
    assert said in problem


@pytest.mark.parametrize("text", ["{", "[]", "[" * 100_000])
def test_a_file_that_holds_no_settings(tmp_path: Path, text: str) -> None:
    """It is named."""
    file = tmp_path / "settings.json"
    file.write_text(text)
    with pytest.raises(ConfigError, match=r"settings\.json"):
        read_settings({"config": str(file)}, {})


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    """It is named, too."""
    with pytest.raises(ConfigError, match=r"none\.json"):
        read_settings({"config": str(tmp_path / "none.json")}, {})
