"""What is said of assumptions beside an answer."""

from __future__ import annotations

from pathlib import Path

from tests.conftest import Command

APP = """class Job:
    def __init__(self, fast, n):
        self.fast = fast
        self.n = n
def used(): ...
def main(job: Job):
    while job.fast:
        used()
"""


def test_an_assumption_that_decides_no_test_is_told(flowmap: Command, tmp_path: Path) -> None:
    """Each time; one that decides a test, that of a loop too, is not."""
    (tmp_path / "app.py").write_text(APP, encoding="utf-8")
    for _ in range(2):
        options = ("--source", str(tmp_path), "--assume", "Job.n=77", "--assume", "Job.fast=false")
        said = flowmap("callers", "used", *options, FLOWMAP_CACHE=str(tmp_path / "cache"))
        assert "decides nothing: Job.n = 77" in said.stderr
        assert "decides nothing: Job.fast" not in said.stderr
        assert "1 site pruned" in said.stdout
