"""`flowmap diff` as a user types it: revisions and sources, formats, what cannot be asked."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.conftest import Command
from tests.diff.test_diff import FILES, POOL, WORK

CHANGED = WORK.replace("return worker.verify(batch)", "return worker.draft(batch)").replace("print(result.size)", "print(1)")


def git(folder: Path, *arguments: str) -> None:
    """Run git in a folder."""
    subprocess.run(
        ["git", "-C", str(folder), "-c", "user.name=n", "-c", "user.email=n@example.org", *arguments],
        check=True,
        capture_output=True,
    )


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A clone with two commits and an edit on top of them, where a user stands."""
    folder = tmp_path / "clone"
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (folder / "pyproject.toml").write_text('[project]\nname = "app"\n', encoding="utf-8")
    git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", "first")
    git(folder, "tag", "first")
    (folder / "app" / "work.py").write_text(WORK.replace("draft(", "propose("), encoding="utf-8")
    git(folder, "commit", "--quiet", "-a", "-m", "second")
    (folder / "app" / "work.py").write_text(CHANGED, encoding="utf-8")
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.usefixtures("clone")
def test_two_revisions_are_compared(flowmap: Command) -> None:
    """What stands in the work tree does not count."""
    said = flowmap("diff", "first", "main", COLUMNS="80").stdout
    assert said.startswith("git:app@first → git:app@main\n1 moved or renamed\n\nMoved and renamed  1\n")
    assert "Worker.draft → Worker.propose  work.py:23  renamed\n" in said


@pytest.mark.usefixtures("clone")
def test_without_a_second_revision_the_work_tree_is_compared(flowmap: Command) -> None:
    """With what is not committed."""
    said = flowmap("diff", "first", COLUMNS="80").stdout
    assert "1 call appeared, 1 call vanished, 1 access of fields\n" in said
    assert "step\n├─ - Base.verify  was work.py:43\n" in said
    assert "└─ + Worker.draft  work.py:43\n     under not overlap\n" in said
    assert "- reads Result.size  was work.py:49" in said
    assert max(map(len, said.splitlines())) <= 80


@pytest.mark.usefixtures("clone")
def test_sources_are_compared_as_well(flowmap: Command, tmp_path: Path) -> None:
    """Folders, and revisions of other clones."""
    other = tmp_path / "other" / "app"
    other.mkdir(parents=True)
    for name, text in FILES.items():
        (other / Path(name).name).write_text(text, encoding="utf-8")
    assert "nothing is different" in flowmap("diff", str(other), "git:app@first").stdout
    assert "1 call appeared" in flowmap("diff", str(other), "app").stdout


@pytest.mark.usefixtures("clone")
def test_all_formats_tell_the_same(flowmap: Command) -> None:
    """Editors get places that are there; a comment has no title, and links where there is a pattern for them."""
    assert flowmap("diff", "first", "--format", "lines").stdout.splitlines() == [
        "app/work.py:40:1: - Base.verify was work.py:43 step under not overlap",
        "app/work.py:43:12: + Worker.draft step under not overlap",
        "app/work.py:46:1: - reads Result.size was work.py:49 main",
    ]
    record = json.loads(flowmap("diff", "first", "--format", "json").stdout)["record"]
    assert [(one["side"], one["caller"], one["callee"]) for one in record["calls"] if not one["is_outside"]] == [
        ("vanished", "app.work.step", "app.work.Base.verify"),
        ("appeared", "app.work.step", "app.work.Worker.draft"),
    ]
    comment = flowmap("diff", "first", "--format", "md").stdout
    assert comment.startswith("**1 call appeared, 1 call vanished, 1 access of fields**\n\n#### Calls (2)\n\n- `step`\n")
    assert "  - \\+ `Worker.draft` `work.py:43`\n    <br>`under not overlap`\n" in comment


def test_a_comment_has_links_and_folds_what_is_long(flowmap: Command, clone: Path) -> None:
    """By the pattern of the configuration; a program that says so little is told in full."""
    link = "https://example.org/{path}#L{line}"
    (clone / "pyproject.toml").write_text(
        f'[project]\nname = "app"\n[tool.flowmap]\nsource = "app"\nlink = "{link}"\n', encoding="utf-8"
    )
    more = "".join(f"    worker.draft({number})\n    worker.step{number}()\n" for number in range(9))
    methods = "".join(f"    def step{number}(self):\n        return {number}\n\n" for number in range(9))
    text = WORK.replace("    print(", f"{more}    print(").replace("    def forward", f"{methods}    def forward")
    (clone / "app" / "work.py").write_text(text, encoding="utf-8")
    comment = flowmap("diff", "first", "--format", "md").stdout
    assert "<details>\n<summary>New (9)</summary>\n\n- \\+ `Worker.step0(self)` [`work.py:" in comment
    assert "](https://example.org/app/work.py#L" in comment
    assert comment.count("<details>") == comment.count("</details>") == 2
    short = flowmap("diff", "first", "--most", "3").stdout
    assert "and 6 more: --most 9" in short


def test_the_same_bytes_come_out(flowmap: Command, clone: Path) -> None:
    """Whatever seed Python hashes with."""
    text = CHANGED.replace("Worker", "Runner").replace("if overlap:", "if overlap and batch:").replace("def close", "def shut")
    (clone / "app" / "work.py").write_text(text, encoding="utf-8")
    for form in ("text", "json", "md"):
        one, two = (flowmap("diff", "first", "--format", form, PYTHONHASHSEED=seed).stdout for seed in ("0", "1"))
        assert one == two


@pytest.mark.usefixtures("clone")
def test_what_cannot_be_compared_is_said_for_both(flowmap: Command) -> None:
    """Exit code 2."""
    said = flowmap("diff", "nope", "nada", code=2).stderr
    assert "the clone has no revision `nope`" in said
    assert "the clone has no revision `nada`" in said
    said = flowmap("diff", "nope", "first", FLOWMAP_CACHE=str(Path("own-cache").resolve()), code=2).stderr
    assert "nope" in said
    assert "linking and solving" not in said
    assert not list(Path("own-cache").rglob("*.sqlite"))  # of the other, which there is
    assert "'rst' is not one of" in flowmap("diff", "first", "--format", "rst", code=2).stderr
    assert "is no folder that could have revisions" in flowmap("diff", "v1", "--source", "pypi:app==1.0", code=2).stderr


def test_a_folder_outside_of_a_clone_has_no_revisions(flowmap: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is said, and nothing is compared."""
    (tmp_path / "pool.py").write_text(POOL, encoding="utf-8")
    (tmp_path / "flowmap.toml").write_text('source = "."\n', encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert "lies in no git clone" in flowmap("diff", "main", code=2, GIT_CEILING_DIRECTORIES=str(tmp_path.parent)).stderr
