"""`flowmap review` says what a change does to contracts, watched fields and hook points, and nothing of what it leaves alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Command
from tests.diff.test_commands import git
from tests.diff.test_diff import FILES, WORK

CONTRACTS = """
[[contract]]
name = "one draft"
kind = "only-call-site"
of = "Worker.draft"
in = "Worker.forward"
why = "The patch hands out drafts there."

[[contract]]
name = "close frees"
kind = "calls"
in = "Base.close"
of = "release"
why = "The patch relies on it."

[[contract]]
name = "propose"
kind = "anchor-exists"
of = "Worker.propose"
why = "The next patch overrides it."
"""
HOOKS = 'question = "Where can the draft be left out?"\nbypass = ["Worker.draft"]\nentries = ["main"]\n'
QUERY = 'question = "Who knows the size?"\n[[find]]\nfields = ["Result.size"]\n'


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A clone with contracts, a query and a question about hooks, where a user stands."""
    texts = {
        **FILES,
        "flowmap.toml": 'source = "app"\n',
        "queries/contracts/patch.toml": CONTRACTS,
        "queries/hooks/draft.toml": HOOKS,
        "queries/size.toml": QUERY,
    }
    for name, text in texts.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "-m", "first")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def edit(clone: Path, *edits: tuple[str, str]) -> None:
    """Edits the module, each time with an effect."""
    text = WORK
    for old, new in edits:
        assert old in text, old
        text = text.replace(old, new)
    (clone / "app" / "work.py").write_text(text, encoding="utf-8")


def reviewed(flowmap: Command, *arguments: str, code: int = 0) -> str:
    """What is said of the work tree."""
    return flowmap("review", "--base", "main", *arguments, code=code, COLUMNS="80").stdout


def test_a_change_that_concerns_nobody_says_so(flowmap: Command, clone: Path) -> None:
    """What was broken before is no fault of it; comments and lines are no change."""
    edit(clone, ("class Result", "# results\n\n\nclass Result"))
    said = reviewed(flowmap)
    assert "3 contracts: 1 is broken, as before; 0 of 1 watched field touched; 0 hook points\n  changed" in said
    assert "Contracts that are broken as before  1\npatch/propose  anchor-exists\n" in said
    assert "nothing is different" in said


def test_a_contract_that_breaks_is_exit_code_1(flowmap: Command, clone: Path) -> None:
    """With the place in the work tree, and why it is there."""
    edit(clone, ("return worker.verify(batch)", "return worker.draft(batch)"))
    said = reviewed(flowmap, code=1)
    assert "Contracts that break  1\npatch/one draft  only-call-site\n│  The patch hands out drafts there.\n" in said
    assert "work.py:43  Worker.draft is called in step, too\n" in said
    assert max(map(len, said.splitlines())) <= 80
    lines = flowmap("review", "--base", "main", "--format", "lines", code=1).stdout.splitlines()
    assert lines[0].startswith("app/work.py:43:12: Worker.draft is called in step, too")


def test_a_contract_that_holds_now_is_told(flowmap: Command, clone: Path) -> None:
    """Even by a rename, which breaks those that speak of the old name."""
    edit(clone, ("draft(", "propose("))
    said = reviewed(flowmap, code=1)
    assert "Contracts that hold now  1\npatch/propose  anchor-exists\n" in said
    assert "nothing is called Worker.draft" in said


def test_a_contract_whose_function_is_changed_is_told(flowmap: Command, clone: Path) -> None:
    """It holds; whoever relies on it may want to look."""
    edit(clone, ("        release(self)", "        release(self)\n        print(1)"))
    said = reviewed(flowmap)
    assert "Contracts that hold, whose functions are changed  1\npatch/close frees  calls\n" in said
    assert "is changed: Base.close\n" in said


def test_watched_fields_are_those_of_queries_and_of_the_user(flowmap: Command, clone: Path) -> None:
    """A field that nobody watches is left out."""
    edit(clone, ("        result.done = True", "        result.size = 4"), ("print(result.size)", "print(1)"))
    said = reviewed(flowmap)
    assert "Watched fields  1\nResult.size  watched by query size\n" in said
    assert "+ writes Result.size" in said
    assert "- reads Result.size" in said
    assert "done" not in said.partition("Watched fields")[2].partition("source:")[0]
    assert "done  watched by --watch\n" in reviewed(flowmap, "--watch", "done")
    assert "Result.done  watched by --watch\n" in reviewed(flowmap, "--watch", "Result.done")
    done = flowmap("review", "--base", "main", "--watch", "Worker.done", code=2)
    assert "done: Worker has no field of this name\n    Classes that have one: Result." in done.stderr


def test_a_guard_over_a_watched_field_is_told(flowmap: Command, clone: Path) -> None:
    """The access is the same, its condition is not."""
    edit(clone, ("    print(result.size)", "    if batch:\n        print(result.size)"))
    assert "Result.size  watched by query size\n└─ main" in reviewed(flowmap)


def test_hook_points_that_owe_something_else_are_told(flowmap: Command, clone: Path) -> None:
    """With what they owe now."""
    edit(
        clone,
        ("        drafts = []\n", "        drafts = []\n        self.pool.seen = batch\n"),
        ("print(result.size)", "print(worker.pool.seen)"),
    )
    said = reviewed(flowmap)
    assert "Hook points" in said
    assert "Worker.draft  work.py:23" in said
    assert "owes now: Pool.seen" in said
    assert "its text is changed" in said


def test_programs_and_comments_get_the_same(flowmap: Command, clone: Path) -> None:
    """The record holds the whole difference, too."""
    edit(clone, ("return worker.verify(batch)", "return worker.draft(batch)"))
    record = json.loads(flowmap("review", "--base", "main", "--format", "json", code=1).stdout)["record"]
    assert [(one["contract"]["name"], one["turn"]) for one in record["contracts"]] == [
        ("one draft", "breaks"),
        ("propose", "is broken, as before"),
    ]
    assert record["diff"]["calls"]
    comment = flowmap("review", "--base", "main", "--format", "md", code=1).stdout
    assert comment.startswith("**3 contracts: 1 breaks, 1 is broken, as before;")
    assert "#### Contracts that break (1)\n" in comment


def test_contracts_can_be_named(flowmap: Command, clone: Path) -> None:
    """The others are left alone then; two revisions are compared as well."""
    edit(clone, ("return worker.verify(batch)", "return worker.draft(batch)"))
    mine = clone / "mine.toml"
    mine.write_text(CONTRACTS[CONTRACTS.index('[[contract]]\nname = "close') :], encoding="utf-8")
    assert "2 contracts: 1 is broken, as before" in reviewed(flowmap, "mine.toml")
    assert "1 is broken, as before" in reviewed(flowmap, "--head", "main")


def test_a_question_that_cannot_be_asked_any_more_hides_nothing(flowmap: Command, clone: Path) -> None:
    """It is told that, and why."""
    edit(clone, ("draft(", "propose("))
    assert "hooks draft: " in reviewed(flowmap, code=1)


def test_files_that_cannot_be_read_are_told(flowmap: Command, clone: Path) -> None:
    """A wrong file of contracts is an error; a wrong query or question is told beside the review."""
    (clone / "queries" / "size.toml").write_text("quesion = 1\n", encoding="utf-8")
    (clone / "queries" / "hooks" / "draft.toml").write_text("bypas = 1\n", encoding="utf-8")
    said = flowmap("review", "--base", "main").stdout
    assert "unknown key `quesion`" in said
    assert "unknown key `bypas`" in said
    (clone / "queries" / "contracts" / "patch.toml").write_text("contract = 1\n", encoding="utf-8")
    assert "`contract` is not a list of tables" in flowmap("review", "--base", "main", code=2).stderr


@pytest.mark.usefixtures("clone")
def test_what_cannot_be_asked_is_said(flowmap: Command) -> None:
    """Exit code 2."""
    assert "Missing option '--base'" in flowmap("review", code=2).stderr
    assert "the clone has no revision `nope`" in flowmap("review", "--base", "nope", code=2).stderr
    assert "there is no file of contracts of this name" in flowmap("review", "nope", "--base", "main", code=2).stderr


@pytest.mark.usefixtures("clone")
def test_a_field_that_neither_state_has_is_watched_by_nobody(flowmap: Command) -> None:
    """It would never be touched, and nobody would know why; all such are said at once, with the nearest."""
    done = flowmap("review", "--base", "main", "--watch", "Result.sise", "--watch", "Nowhere.size", code=2)
    assert "sise" in done.stderr
    assert "Nowhere" in done.stderr
    assert done.stdout == ""


def test_a_watched_field_that_has_another_name_is_told(flowmap: Command, clone: Path) -> None:
    """Whoever leans on it by its name has lost it."""
    edit(clone, ("size", "width"))
    said = reviewed(flowmap, "--watch", "Result.size")
    assert "Result.size  watched by --watch\n└─ Result.size → Result.width" in said
    assert "1 of 1 watched field touched" in said


def test_a_file_that_does_not_parse_any_more_is_said(flowmap: Command, clone: Path) -> None:
    """All that it defined looks gone; so does `flowmap diff`. Where it is broken before and after, nothing is said."""
    work = clone / "app" / "work.py"
    work.write_text(work.read_text(encoding="utf-8") + "def (\n", encoding="utf-8")
    line = len(work.read_text(encoding="utf-8").splitlines())
    said = f"work.py of app does not parse, and nothing of it counts: line {line}: invalid syntax"
    for command in (("review", "--base", "main"), ("review", "--base", "main", "--format", "md"), ("diff", "main")):
        code = 1 if command[0] == "review" else 0
        assert said in " ".join(flowmap(*command, code=code).stdout.split())
    assert "does not parse" not in flowmap("diff", "app", "app").stdout
