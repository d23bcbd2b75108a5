"""Configurations as a user meets them: assumptions, profiles of their own, what is pruned and why."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Command

APP = """\
class Settings:
    def __init__(self, overlap, spare):
        self.overlap = overlap
        self.spare = spare


class Fast:
    def run(self): ...


class Slow:
    def run(self):
        self.wait()

    def wait(self): ...


class Scheduler:
    def __init__(self, settings):
        self.overlap = settings.overlap
        self.worker = Fast() if settings.overlap else Slow()

    def loop(self):
        self.worker.run()
        if self.overlap:
            self.relay()

    def relay(self): ...


def main(settings: Settings):
    Scheduler(settings).loop()
"""
SWITCH = """\
class Switch:
    fast: bool = False
    mode: bool | str = False
    kind: str = ""

    @property
    def is_on(self) -> bool:
        return self.fast


def ready() -> bool:
    return Switch().is_on
"""
ON = '{ says = "Overlap is on.", that = "Settings.overlap=true" }'
OFF = '{ says = "Overlap is off.", that = "Settings.overlap=false" }'


pytestmark = pytest.mark.usefixtures("project")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with two profiles of its own, in the current folder."""
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "main.py").write_text(APP, encoding="utf-8")
    (tmp_path / "flowmap.toml").write_text('source = "app"\n', encoding="utf-8")
    (tmp_path / "profiles").mkdir()
    for name, row in (("on", ON), ("off", OFF)):
        (tmp_path / "profiles" / f"{name}.toml").write_text(f"assume = [{row}]\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FLOWMAP_SOURCE", "")
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    return tmp_path


def exported(flowmap: Command, *arguments: str) -> dict[tuple[int, str], dict[str, Any]]:
    """The exported rows by line and text."""
    rows = [json.loads(line) for line in flowmap("export", "calls", *arguments).stdout.splitlines()]
    return {(row["line"], row["expr"]): row for row in rows}


def test_callers_say_what_is_pruned_and_why(flowmap: Command) -> None:
    """The site runs the other class now, and the guard in the constructor is named."""
    said = flowmap("callers", "Slow.run", "--profile", "on").stdout
    assert "no call site in the index; 1 site pruned" in said
    assert "main.py:21  `settings.overlap` is true: Settings.overlap = true" in said
    assert "under on" in said


def test_what_nothing_reaches_any_longer_is_pruned(flowmap: Command) -> None:
    """`Slow.wait` is called by `Slow.run` alone, which no instance is left for."""
    assert "1 call site in 1 function" in flowmap("callers", "Slow.wait").stdout
    said = flowmap("callers", "Slow.wait", "--assume", "Settings.overlap=true").stdout
    assert "1 site pruned" in said
    assert "`settings.overlap` is true" in said


def test_export_keeps_pruned_sites(flowmap: Command) -> None:
    """Every site of the whole subject is there, with the status `pruned` where it does not run."""
    whole = exported(flowmap)
    left = exported(flowmap, "--profile", "off")
    assert whole.keys() == left.keys()
    assert left[26, "self.relay()"]["status"] == "pruned"
    assert left[26, "self.relay()"]["pruned"][0]["guard"] == "main.py:25"
    assert [target["symbol"] for target in left[24, "self.worker.run()"]["targets"]] == ["main.Slow.run"]
    assert all("pruned" not in row for row in whole.values())


def test_an_assumption_about_one_field_leaves_the_others_open(flowmap: Command) -> None:
    """Nothing is dropped where no assumption decides."""
    left = exported(flowmap, "--assume", "Settings.spare=true")
    assert {key: row["targets"] for key, row in left.items()} == {key: row["targets"] for key, row in exported(flowmap).items()}


def test_a_trace_shows_the_calls_that_do_not_run(flowmap: Command) -> None:
    """Where no caller is left, those of other configurations stand there, and with a path that is cut, what cuts it."""
    off = ("--assume", "Settings.overlap=false")
    up = flowmap("trace", "Scheduler.relay", *off).stdout
    assert "0 call sites, 1 pruned" in up
    assert "no caller in this configuration" in up
    assert "`self.overlap` is false: Settings.overlap = false" in up
    assert json.loads(flowmap("trace", "Scheduler.relay", *off, "--format", "json").stdout)["record"]["pruned"][0]["line"] == 26
    way = flowmap("trace", "main.main", "--to", "Scheduler.relay", *off, code=1).stderr
    assert "no path leads to Scheduler.relay under Settings.overlap = false" in way
    assert "is pruned at main.py:26: main.py:25: `self.overlap` is false" in way.replace("app/", "")


def test_nothing_is_said_of_a_configuration_where_none_is_in_the_way(flowmap: Command) -> None:
    """A function without callers has none in any; a path that no configuration has is not cut; without assumptions there are
    none."""
    on = ("--assume", "Settings.overlap=true")
    assert "no caller in the index" in flowmap("trace", "main.main", *on).stdout.replace("Settings", "")
    assert "is pruned at" not in flowmap("trace", "Scheduler.relay", "--to", "Slow.wait", *on, code=1).stderr
    assert "under" not in flowmap("trace", "Scheduler.relay", "--to", "Slow.wait", code=1).stderr


def test_against_names_the_guard_of_every_line(flowmap: Command, golden: Callable[[str, str], None]) -> None:
    """What differs between two profiles, both ways."""
    golden("against.txt", flowmap("trace", "Scheduler.loop", "--profile", "on", "--against", "off", "--depth", "9").stdout)


def test_an_unknown_profile_names_the_nearest(flowmap: Command) -> None:
    """One clear message."""
    said = flowmap("callers", "Slow.run", "--profile", "onn", code=2).stderr
    assert "there is no profile of this name" in said
    assert "Did you mean `on`?" in said


@pytest.mark.parametrize(
    ("assumed", "nearest"),
    [("Settings.overlp=true", "Settings.overlap"), ("Setings.overlap=true", "Settings.overlap"), ("nonsense", "EXPR=VALUE")],
)
def test_an_assumption_that_matches_nothing_is_refused(flowmap: Command, assumed: str, nearest: str) -> None:
    """It would decide nothing, and the answer would look like one for the configuration."""
    said = flowmap("callers", "Slow.run", "--assume", assumed, code=2).stderr
    assert nearest.replace("EXPR", "Class.field") in said


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--assume", "Settings.overlap=true", "--assume", "Settings.overlap=false"), "is assumed to be true and false"),
        (("--assume", "Switch.fast=maybe"), "is annotated as bool"),
        (("--assume", "Switch.fast=2"), "Write Switch.fast=true or Switch.fast=false."),
        (("--assume", "Switch.is_on=yes"), "is annotated as bool"),
        (("--assume", "ready()=yes"), "is annotated as bool"),
        (("--profile", "other"), "other: is of another code base: nothing that it assumes is in app"),
    ],
)
def test_what_cannot_be_is_refused(flowmap: Command, project: Path, arguments: tuple[str, ...], said: str) -> None:
    """Two values at once, a text for what is annotated as bool, a profile that speaks of another code base: one message."""
    switches(project)
    assert said in (told := flowmap("trace", "main.main", *arguments, "-q", code=2).stderr)
    assert len(told.splitlines()) == 2


@pytest.mark.parametrize(
    "assumed",
    ["Switch.fast=true", "Switch.fast=0", "Switch.fast=none", "Switch.mode=maybe", "Switch.kind=a", "Settings.spare=2"],
)
def test_what_may_be_is_taken(flowmap: Command, project: Path, assumed: str) -> None:
    """The same said twice, too; of what is not annotated, or as something wider, nothing is known."""
    switches(project)
    flowmap("trace", "main.main", "--assume", assumed, "--assume", assumed)


def switches(project: Path) -> None:
    """Adds fields with annotations, and a profile that speaks of none of them."""
    (project / "app" / "switch.py").write_text(SWITCH, encoding="utf-8")
    rows = '{ says = "A.", that = "Nothing.a=true" }, { says = "B.", that = "Nothing.b=true" }'
    (project / "profiles" / "other.toml").write_text(f"assume = [{rows}]\n", encoding="utf-8")


def test_doctor_tells_a_profile_that_no_longer_matches(flowmap: Command, project: Path) -> None:
    """One of its assumptions is still right, so it is a profile of this subject."""
    lost = '{ says = "Gone.", that = "Settings.gone=true" }'
    (project / "profiles" / "old.toml").write_text(f"assume = [{ON}, {lost}]\n", encoding="utf-8")
    flowmap("index")
    said = flowmap("doctor", code=1).stdout
    assert "profile old  1 of 2 assumptions match the subject" in " ".join(said.split(" "))
    assert "The subject has no Settings.gone" in said
    assert "eagle-v2" not in said


def test_a_profile_that_is_none_is_refused(flowmap: Command, project: Path) -> None:
    """A file without a sentence for each assumption says too little."""
    (project / "profiles" / "on.toml").write_text('assume = ["Settings.overlap=true"]\n', encoding="utf-8")
    assert "is not a list of assumptions" in flowmap("callers", "Slow.run", "--profile", "on", code=2).stderr
