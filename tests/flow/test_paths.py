"""The cases of `paths.md`: what is asked of each program, and the first path that must be answered."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from flowmap.follow.paths import paths
from flowmap.follow.world import World
from flowmap.model.flow import FlowStep, What
from flowmap.reports.flow_subjects import value
from tests.programs import index_of

CASES = Path(__file__).with_name("paths.md")
_CASE = re.compile(r"^## (?P<title>.+?)\n.*?```python\n(?P<program>.*?)```\n```flow\n(?P<asked>.*?)```", re.M | re.S)
_NO_PATH = "no path "
_ON_LINE = re.compile(r"^\d+:")


@dataclass(frozen=True)
class Question:
    """One question of a case: the steps of the first path, "" for no path."""

    title: str
    program: str
    start: str
    end: str
    steps: str


def questions() -> Iterator[Question]:
    """All questions of all cases."""
    for case in _CASE.finditer(CASES.read_text(encoding="utf-8")):
        lines = case["asked"].splitlines()
        for number, line in enumerate(lines):
            if line.startswith(" "):
                continue
            start, _, end = line.removeprefix(_NO_PATH).partition(" -> ")
            steps = "" if line.startswith(_NO_PATH) else lines[number + 1].strip()
            yield Question(case["title"], case["program"], start, end, steps)


def said(step: FlowStep) -> str:
    """A step as a case writes it."""
    detail = f" {step.detail}" if step.what in (What.DERIVED, What.UPDATED) else ""
    return f"{step.what.value}{detail} {step.line}{' later' if step.later else ''}{' again' if step.again else ''}"


def named(text: str) -> str:
    """A name as the command takes it."""
    return f"app.py:{text}" if _ON_LINE.match(text) else text


@pytest.mark.parametrize("asked", tuple(questions()), ids=lambda asked: f"{asked.title}: {asked.start} -> {asked.end}")
def test_the_first_path_is_the_one_of_the_case(asked: Question, tmp_path: Path) -> None:
    """Its steps are those that are written under the program, or there is no path."""
    world = World(index_of(tmp_path, {"app.py": asked.program}))
    found = paths(world, value(world, named(asked.start)), value(world, named(asked.end)), 5, 5_000).paths
    assert (", ".join(map(said, found[0].steps)) if found else "") == asked.steps
