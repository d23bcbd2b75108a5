"""Reads the cases of accesses in `*.md` here: a heading, a sentence, a program, and below its accesses the answers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_FENCE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_ANSWER = re.compile(r"^ *#(?P<gap> *)(?P<carets>\^+) -> (?P<answer>[^(]+?)(?: \((?P<stage>\w+)\))?$")
_MAYBE_ANSWER = re.compile(r"^ *# *\^")
NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Answer:
    """What a case says of the text between two columns of a line. `accesses` are `KIND OWNER.FIELD`, none for nothing; `stage`
    is "" where it is left open."""

    line: int
    cols: frozenset[tuple[int, int]]  # with and without the column of the `#`
    accesses: frozenset[str]
    stage: str


@dataclass(frozen=True, slots=True)
class Case:
    """One heading with its program, the file `app.py`."""

    heading: str
    text: str
    answers: tuple[Answer, ...]

    def __str__(self) -> str:
        return self.heading


def cases_in(path: Path) -> list[Case]:
    """All cases of a file. Errors: ValueError for what looks like an answer and is none, or a case that says nothing."""
    _, *sections = re.split(r"^## ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return [_case(*section.split("\n", 1)) for section in sections]


def _case(heading: str, body: str) -> Case:
    text = "".join(_FENCE.findall(body))
    answers = tuple(_answers(text))
    if not answers:
        raise ValueError(f"{heading}: says nothing")
    return Case(heading, text, answers)


def _answers(text: str) -> Iterator[Answer]:
    above = 0
    for number, line in enumerate(text.splitlines(), 1):
        if not _MAYBE_ANSWER.match(line):
            above = number
        elif match := _ANSWER.match(line):
            start, end = match.span("carets")
            cols = {(start, end)} if match["gap"] else {(start, end), (start - 1, end)}
            yield Answer(above, frozenset(cols), frozenset(_accesses(match["answer"])), match["stage"] or "")
        else:
            raise ValueError(f"not an answer: {line.strip()}")


def _accesses(answer: str) -> Iterator[str]:
    if answer != NOTHING:
        kind, _, owned = answer.partition(" ")
        yield from (f"{kind} {each}" for each in owned.split(", "))
