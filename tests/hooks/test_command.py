"""`flowmap hooks`, as a user types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Command
from tests.hooks.programs import PROGRAM, QUESTION

PROFILE = 'assume = [{ says = "No graphs are used.", that = "Settings.graphs=false" }]\n'


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The loop with a question about hooks and a profile of its own, where a user stands."""
    for name, text in PROGRAM.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "flowmap.toml").write_text('source = "."\n', encoding="utf-8")
    (tmp_path / "queries" / "hooks").mkdir(parents=True)
    (tmp_path / "queries" / "hooks" / "quiet.toml").write_text(QUESTION, encoding="utf-8")
    (tmp_path / "profiles").mkdir()
    (tmp_path / "profiles" / "plain.toml").write_text(PROFILE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("project")
def test_the_answer_comes_first(flowmap: Command) -> None:
    """Three lines: where to hook in, what that owes, where a policy can watch. Then the ranking, at the end a checklist."""
    text = flowmap("hooks", "quiet").stdout
    first = text.splitlines()
    assert first[0] == "quiet  Where can drafting and verifying be left out?"
    assert first[1].startswith("Hook in at Worker.step  loop.py:")
    assert first[2].startswith("It owes ")
    assert "Watch at Loop.finish" in text
    assert text.index("Where work can be bypassed") < text.index("Where a signal can be read") < text.index("Checklist for")
    assert "[ ] Result.accepted" in text


def test_without_a_configuration_those_of_the_working_folder_count(flowmap: Command, project: Path) -> None:
    """A project that needs no flowmap.toml has questions, all the same."""
    (project / "flowmap.toml").unlink()
    (project / "pyproject.toml").write_text('[project]\nname = "loop"\n', encoding="utf-8")
    assert flowmap("hooks", "quiet", "--source", ".").stdout.startswith("quiet  Where can drafting")


@pytest.mark.usefixtures("project")
def test_what_cannot_be_bypassed_stands_at_the_bottom_with_its_reason(flowmap: Command) -> None:
    """A reader sees that it was thought of."""
    text = flowmap("hooks", "quiet").stdout
    part = text[text.index("Where work can be bypassed") : text.index("Where a signal can be read")]
    assert part.index("clean") < part.index("infeasible")
    assert "bars runs while a graph is recorded; the graph is replayed without it" in part


@pytest.mark.usefixtures("project")
def test_nothing_is_wider_than_the_page(flowmap: Command) -> None:
    """80 columns in a pipe."""
    assert max(map(len, flowmap("hooks", "quiet", COLUMNS="80").stdout.splitlines())) <= 80


@pytest.mark.usefixtures("project")
def test_json_has_the_candidates_at_the_top(flowmap: Command) -> None:
    """In the exported form: symbols, places as FILE:LINE, roles and verdicts by their words."""
    report = json.loads(flowmap("hooks", "quiet", "--format", "json").stdout)
    best = report["candidates"][0]
    assert (best["symbol"], best["role"], best["verdict"], best["profile"]) == ("loop.Worker.step", "skip", "clean", "")
    assert best["call_sites"] == best["live_call_sites"]
    owed = {(one["kind"], one["name"]): one for one in best["obligations"]}
    assert all(site.startswith("loop.py:") for site in owed["result", "Result.accepted"]["writes"])
    assert all(set(one) == {"name", "points", "bars", "says", "sites"} for one in best["criteria"])


@pytest.mark.usefixtures("project")
def test_markdown_is_written_to_a_file(flowmap: Command, project: Path) -> None:
    """For a comment on a change."""
    flowmap("hooks", "quiet", "--format", "md", "-o", "report.md")
    text = (project / "report.md").read_text(encoding="utf-8")
    assert text.startswith("## `quiet`")
    assert "### Checklist for Worker.step" in text


@pytest.mark.usefixtures("project")
def test_profiles_stand_side_by_side(flowmap: Command) -> None:
    """What a configuration leaves is told for each, on the same measures."""
    report = json.loads(flowmap("hooks", "quiet", "--profile", "plain", "--format", "json").stdout)
    assert report["profiles"] == ["plain"]
    (forward,) = (one for one in report["candidates"] if one["symbol"] == "loop.Worker.draft_forward")
    assert len(forward["call_sites"]) == 2
    text = flowmap("hooks", "quiet", "--profile", "plain", "--profile", "plain").stdout
    assert "side by side" not in text


@pytest.mark.usefixtures("project")
def test_a_bypass_needs_no_file(flowmap: Command) -> None:
    """Names alone will do."""
    text = flowmap("hooks", "--bypass", "Worker.verify", "--entry", "Loop.run").stdout
    assert text.startswith("bypassing Worker.verify\nHook in at Worker.")


@pytest.mark.usefixtures("project")
def test_questions_that_have_names_are_listed(flowmap: Command) -> None:
    """The shipped ones, too."""
    listed = flowmap("hooks", "--list").stdout
    assert "quiet  Where can drafting and verifying be left out?" in listed
    assert "adaptive-disable  " in listed


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ((), 2, "Name a question, or say what is to be bypassed"),
        (("quiet", "--bypass", "Worker.verify"), 2, "Name a question, or say what is to be bypassed"),
        (("quit",), 2, "Did you mean quiet?"),
        (("--bypass", "Worker.verfy"), 1, "Worker.verfy: no such name in "),
        (("--bypass", "Worker.verfy"), 1, "Worker.verify"),
        (("--bypass", "Worker"), 1, "Worker: is a class, and no function"),
        (("--bypass", "Worker.verify", "--entry", "loop"), 1, "loop: is a module, and no function"),
        (("--bypass", "Worker.verify", "--entry", "Loop.take"), 1, "does not reach Worker.verify"),
        (("quiet", "--profile", "plane"), 2, "plain"),
        (("--bypass", " "), 2, "it is empty"),
    ],
)
def test_bad_input_is_said_in_one_message(flowmap: Command, arguments: tuple[str, ...], code: int, said: str) -> None:
    """What, where, what to do next; 2 for a question that cannot be asked, 1 for one whose answer is no."""
    result = flowmap("hooks", *arguments, code=code)
    assert said in " ".join(result.stderr.split())


def test_all_errors_of_a_file_are_said_at_once(flowmap: Command, project: Path) -> None:
    """With the nearest word for each."""
    wrong = 'questoin = "?"\nbypass = []\nmachinery = 3\n[signals]\nqueue = "Loop.waiting"\n'
    (project / "wrong.toml").write_text(wrong, encoding="utf-8")
    said = flowmap("hooks", "wrong.toml", code=2).stderr
    for part in ("unknown key `questoin`", "has no question", "`bypass` is not a list", "`machinery` is not a list", "`queue`"):
        assert part in said
