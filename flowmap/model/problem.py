"""What is told to the user when something is wrong: where, what, and the next keystroke."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class ExitCode(IntEnum):
    """What the command's exit code says to the shell."""

    DONE = 0
    FINDING = 1  # the answer is "no": nothing found, a contract broken
    USAGE = 2  # the question could not be asked


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One thing that is wrong: where it is, what it is, and how to go on."""

    where: str
    what: str
    fix: str = ""

    def __str__(self) -> str:
        fix = f"\n    {self.fix}" if self.fix else ""
        return f"{self.where}: {self.what}{fix}"


class FlowmapError(Exception):
    """Ends a command with messages for the user. Holds all problems at once, never only the first."""

    def __init__(self, *problems: Problem, code: ExitCode = ExitCode.USAGE) -> None:
        super().__init__("\n".join(map(str, problems)))
        self.problems = problems
        self.code = code
