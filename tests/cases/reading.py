"""Reads the cases in `*.md`: a heading, a sentence, a program, and below its sites the answers (see README.md here)."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.cases.constructs import UnknownConstructError, constructs_named

CASES = Path(__file__).parent

_FENCE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_CONFIGURATION = re.compile(r"^```toml\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"# file: (\S+)\n")
_NEEDS = re.compile(r"^Needs: (.+)\.$", re.MULTILINE)
_ASSUME = re.compile(r"^Assume: `([^`]+)`\.$", re.MULTILINE)
_CARETS = re.compile(
    r"^ *#(?P<gap> *)(?P<carets>\^+) +(?:(?P<kind>\w+) +)?-> (?P<answer>[^\[]+?)"
    r"(?: +\[known-wrong: should be (?P<right>[^\]]+)\])?$"
)
_MAYBE_CARETS = re.compile(r"^ *# *\^")
_KINDS = (
    (ast.Call, "call"),
    (ast.Attribute, "property"),
    (ast.Await, "await"),
    (ast.BinOp | ast.UnaryOp | ast.Compare | ast.Subscript, "operator"),
)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a case says of one site, which stands on one line: its targets in the case's files.

    `expr` is the site's text as `ast.unparse` prints it.

    `seen` are the right targets that the run of the case must take; `right` those that an open error hides (`known-wrong`).
    """

    file: str
    line: int
    col: int
    expr: str
    kind: str
    targets: frozenset[str]
    seen: frozenset[str]
    right: frozenset[str] | None


@dataclass(frozen=True, slots=True)
class Case:
    """One heading of a file of cases. `files` are (path, text) pairs; `app.py` is what runs.

    `shows` are the constructs that it shows to work, `denies` those for which it says what must not be given.
    """

    group: str
    heading: str
    files: tuple[tuple[str, str], ...]
    answers: tuple[Answer, ...]
    needs: tuple[str, ...] = field(default=())
    shows: tuple[str, ...] = field(default=())
    denies: tuple[str, ...] = field(default=())
    configuration: str = ""  # the text of its flowmap.toml
    assumes: tuple[str, ...] = field(default=())  # the answers are those of this configuration

    def __str__(self) -> str:
        return f"{self.group}: {self.heading}"

    @property
    def is_right(self) -> bool:
        """Whether no answer of the case is known to be wrong."""
        return all(answer.right is None for answer in self.answers)

    def write_to(self, folder: Path) -> None:
        """Put the case's files below `folder`."""
        for name, text in self.files:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        if self.configuration:
            (folder / "flowmap.toml").write_text(self.configuration, encoding="utf-8")


class BadCaseError(Exception):
    """A case that says nothing certain: the text of a test is wrong, not the engine."""


def all_cases() -> list[Case]:
    """Every case in this folder, in the order of files and headings."""
    return [
        case
        for path in sorted(CASES.glob("*.md"))
        if path.name != "README.md"
        for case in read_cases(path.stem, path.read_text(encoding="utf-8"))
    ]


def read_cases(group: str, text: str) -> list[Case]:
    """The cases of one markdown text. Errors: `BadCaseError` for carets that point at nothing, or a heading without a program."""
    _, *sections = re.split(r"^## ", text, flags=re.MULTILINE)
    return [_read_section(group, *section.split("\n", 1)) for section in sections]


def _read_section(group: str, heading: str, body: str = "") -> Case:
    files = tuple(map(_named, _FENCE.findall(body)))
    if not files:
        raise BadCaseError(f"{group}: {heading}: no program")
    needs = _NEEDS.search(body)
    try:
        answers = tuple(answer for name, code in files for answer in _answers(name, code))
        shows, denies = constructs_named(body, "Shows"), constructs_named(body, "Denies")
    except (BadCaseError, UnknownConstructError, SyntaxError) as error:
        raise BadCaseError(f"{group}: {heading}: {error}") from error
    needed = tuple(re.split(r",\s*", needs[1])) if needs else ()
    configuration = "".join(_CONFIGURATION.findall(body))
    return Case(group, heading.strip(), files, answers, needed, shows, denies, configuration, tuple(_ASSUME.findall(body)))


def _named(code: str) -> tuple[str, str]:
    name = _FILE.match(code)
    return (name[1] if name else "app.py", code)


def _answers(file: str, code: str) -> Iterator[Answer]:
    tree = ast.parse(code)
    lines = code.splitlines()
    above = 0
    for number, line in enumerate(lines, 1):
        if not _MAYBE_CARETS.match(line):
            above = number
        elif match := _CARETS.match(line):
            start, end = match.span("carets")
            node = _node_at(tree, above, start, end) or (None if match["gap"] else _node_at(tree, above, start - 1, end))
            if node is None:
                raise BadCaseError(f"{file}, line {number}: these carets are not under an expression")
            yield _answer(file, node, match)
        else:
            raise BadCaseError(f"{file}, line {number}: not an answer: {line.strip()}")


def _node_at(tree: ast.Module, line: int, start: int, end: int) -> ast.expr | ast.ImportFrom | None:
    """The outermost expression, or the import, from column `start` to `end`."""
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.expr | ast.ImportFrom)
            and (node.lineno, node.col_offset) == (line, start)
            and (node.end_lineno, node.end_col_offset) == (line, end)
        ):
            return node
    return None


def _answer(file: str, node: ast.expr | ast.ImportFrom, match: re.Match[str]) -> Answer:
    given, right = _targets(match["answer"]), _targets(match["right"]) if match["right"] else None
    truth = given if right is None else right
    return Answer(
        file=file,
        line=node.lineno,
        col=node.col_offset,
        expr="__path__" if isinstance(node, ast.ImportFrom) else ast.unparse(node),  # what an import itself asks for
        kind=match["kind"] or _kind_of(node),
        targets=frozenset(name.rstrip("?") for name in given),
        seen=frozenset(name for name in truth if not name.endswith("?")),
        right=None if right is None else frozenset(name.rstrip("?") for name in right),
    )


def _targets(text: str) -> list[str]:
    return [] if text == "nothing" else re.split(r",\s*", text)


def _kind_of(node: ast.expr | ast.ImportFrom) -> str:
    for types, kind in _KINDS:
        if isinstance(node, types):
            return kind
    raise BadCaseError(f"line {node.lineno}: say the kind of this site before `->`")
