"""A package that flowmap was not made for: celery, the smallest of those in the manual's figures."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.conftest import Command, Row

SOURCE = "pypi:celery==5.5.3"
FIGURES = Path(__file__).parents[2] / "docs" / "figures.md"
COUNTS = ["files", "lines", "classes", "functions", "sites", "proven", "inferred", "external", "builtin", "unresolved"]


@pytest.fixture(scope="module")
def rows(flowmap: Command) -> list[Row]:
    """The exported calls of celery."""
    return [json.loads(line) for line in flowmap("export", "calls", "--source", SOURCE).stdout.splitlines()]


def targets(rows: list[Row], caller: str, callee: str) -> set[str]:
    """The symbols that the calls of `callee` in `caller` name with more than a guess."""
    found = [row for row in rows if row["caller"] == caller and row["expr"].startswith(f"{callee}(")]
    return {target["symbol"] for row in found for target in row["targets"] if target["confidence"] != "possible"}


def count(text: str, name: str) -> int:
    """The number that `flowmap index` prints for one of COUNTS."""
    before = {"lines": r"([\d,]+) lines", "proven": r"([\d,]+) proven", "inferred": r"([\d,]+) inferred"}
    found = re.search(before.get(name, rf"{name} +([\d,]+)"), text)
    assert found, name
    return int(found[1].replace(",", ""))


def test_a_mixin_runs_the_method_of_its_host(rows: list[Row]) -> None:
    """`RPCBackend` overrides a method of the mixin after which it is reached; the other host does not."""
    mixin = "celery.backends.asynchronous.AsyncBackendMixin"
    assert targets(rows, f"{mixin}.remove_pending_result", "self.on_result_fulfilled") == {
        f"{mixin}.on_result_fulfilled",
        "celery.backends.rpc.RPCBackend.on_result_fulfilled",
    }


def test_a_factory_gives_the_receiver(rows: list[Row]) -> None:
    """What `maybe_signature` returns is a signature: its method runs, and not that of tasks."""
    found = targets(rows, "celery.app.builtins.add_unlock_chord_task.<locals>.unlock_chord", "callback.delay")
    assert "celery.canvas.Signature.delay" in found
    assert "celery.app.task.Task.delay" not in found


@pytest.mark.parametrize("name", COUNTS)
def test_the_manual_has_the_counts(flowmap: Command, name: str) -> None:
    """The row of celery in the manual says what `flowmap index` prints, within 1%."""
    lines = [[cell.strip() for cell in line.split("|")] for line in FIGURES.read_text(encoding="utf-8").splitlines()]
    (header,) = [line for line in lines if line[1:3] == ["source", "files"]]
    (row,) = [line for line in lines if line[1:2] == [f"`{SOURCE}`"]]
    written = int(row[header.index(name)].replace(",", ""))
    assert count(flowmap("index", SOURCE).stdout, name) == pytest.approx(written, rel=0.01)
