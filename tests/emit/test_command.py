"""`flowmap emit`, as a user types it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.conftest import Command
from tests.emit.projects import RECIPE, lay_out

EMIT = ("emit", "quiet", "--release", "1.0", "-o", "out")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a recipe of its own, where a user stands; no package index is there."""
    monkeypatch.chdir(tmp_path)
    offline = {"PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_CONFIG_FILE": os.devnull, "PIP_RETRIES": "0"}
    for name, value in offline.items():
        monkeypatch.setenv(name, value)
    return lay_out(tmp_path)


def contents(folder: Path) -> dict[str, bytes]:
    """All files of a folder, by path."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_a_package_is_written_for_one_release(flowmap: Command, project: Path) -> None:
    """Templates that are plain are copied, others speak of the release; what the package relies on is a table of its own."""
    said = flowmap(*EMIT).stdout
    assert said.startswith("quiet  7 files in out  variant whole-step")
    hook = (project / "out" / "quiet_drafts" / "hook.py").read_text(encoding="utf-8")
    assert hook.startswith('"""Stands in for `Worker.step` (loop.py:')
    assert "step(self, batch: Batch) -> Result of loop.Worker: whole-step." in hook


def test_emitting_twice_gives_the_same_bytes(flowmap: Command, project: Path) -> None:
    """Nothing of the time, the machine or an earlier emission is in a package."""
    flowmap(*EMIT)
    first = contents(project / "out")
    flowmap(*EMIT)
    flowmap("emit", "quiet", "--release", "1.0", "-o", "again")
    assert contents(project / "out") == contents(project / "again") == first


def test_the_binding_lists_what_is_relied_on(flowmap: Command, project: Path) -> None:
    """Each anchor with its place, digest, reason and what it serves; fields that are owed are in it by themselves."""
    record = json.loads(flowmap(*EMIT, "--format", "json").stdout)["record"]
    bound = {one["anchor"]: one for one in record["bound"]}
    assert bound["step"]["symbol"] == "loop.Worker.step"
    assert bound["launch"]["inside"] == "loop.Loop.run"
    assert bound["accepted"]["discharges"] == ["result Result.accepted", "timing Result.accepted"]
    assert "Result.tokens" in bound
    text = (project / "out" / "BINDING.md").read_text(encoding="utf-8")
    for one in bound.values():
        assert f"`{one['file']}:{one['line']}`" in text
        assert one["digest"] in text


@pytest.mark.usefixtures("project")
def test_every_obligation_is_met_or_a_limit(flowmap: Command) -> None:
    """Who meets it is a function of the package; a limit is said where a user sees it."""
    record = json.loads(flowmap(*EMIT, "--format", "json").stdout)["record"]
    assert all(bool(one["by"]) != bool(one["limit"]) for one in record["obligations"])
    assert {one["by"] for one in record["obligations"] if one["by"]} == {"quiet_drafts.hook.off_step"}
    assert "one rank alone: a second one would wait for ever" in flowmap(*EMIT).stdout


def test_an_obligation_that_nobody_meets_is_refused(flowmap: Command, project: Path) -> None:
    """All of them are said at once, and nothing is written."""
    start = RECIPE.index('[[obligation]]\nof = ["*"]')
    lay_out(project, RECIPE[:start])
    said = flowmap(*EMIT, code=1).stdout
    assert "shape 1 sizes that follow from the same constants  nobody meets this obligation  settings.py:" in said
    assert not (project / "out").exists()


def test_a_function_that_is_not_in_the_package_meets_nothing(flowmap: Command, project: Path) -> None:
    """A recipe cannot claim what its templates do not hold."""
    lay_out(project, RECIPE.replace("hook.off_step", "hook.no_such_step"))
    said = flowmap(*EMIT, code=1).stdout
    assert "quiet_drafts.hook.no_such_step  is not in the emitted package" in said
    assert not (project / "out").exists()


def test_a_signature_that_is_another_is_refused(flowmap: Command, project: Path) -> None:
    """The place of what moved is said, and why it is needed."""
    text = (project / "loop" / "loop.py").read_text(encoding="utf-8")
    (project / "loop" / "loop.py").write_text(
        text.replace("def step(self, batch: Batch)", "def step(self, batch: Batch, n=1)"), "utf-8"
    )
    said = flowmap(*EMIT, code=1).stdout
    assert "step  Worker.step takes (self, batch, n), not (self, batch)  loop.py:" in said
    assert "An off step stands in for it." in said


def test_a_text_that_nobody_read_is_refused(flowmap: Command, project: Path) -> None:
    """Templates that stand in for a function were written beside its text: another text is another recipe's."""
    lay_out(project, RECIPE.replace('name = "step"\n', 'name = "step"\ndigests = ["35047f907f359458"]\n'))
    flowmap(*EMIT)
    text = (project / "loop" / "loop.py").read_text(encoding="utf-8")
    (project / "loop" / "loop.py").write_text(text.replace("result = self.verify(", "result = 1 + self.verify("), "utf-8")
    said = flowmap(*EMIT, code=1).stdout
    assert "step  says something else than what the templates were written beside: its digest is" in said


def test_an_import_that_nothing_binds_is_refused(flowmap: Command, project: Path) -> None:
    """What the package imports of the code base is looked up, every name."""
    place = project / "queries" / "emit" / "quiet" / "package" / "quiet_drafts" / "more.py"
    place.write_text("from loop import Batch, Worker\nfrom os import path\n", encoding="utf-8")
    said = flowmap(*EMIT, code=1).stdout
    assert said.startswith("quiet  nothing is emitted for loop: 1 reason\nloop.Batch  is imported by quiet_drafts/more.py")


def test_a_contract_that_does_not_hold_is_refused(flowmap: Command, project: Path) -> None:
    """A recipe can name contracts: what must be true of a release beyond names and signatures."""
    contract = (
        '[[contract]]\nname = "two drafts"\nkind = "only-call-site"\nof = "Worker.draft"\nin = "Loop.run"\nwhy = "It must."\n'
    )
    (project / "queries" / "contracts").mkdir()
    (project / "queries" / "contracts" / "quiet.toml").write_text(contract, encoding="utf-8")
    lay_out(project, RECIPE.replace('hooks = "quiet"', 'hooks = "quiet"\ncontracts = "quiet"'))
    said = flowmap(*EMIT, code=1).stdout
    assert "contract two drafts  Worker.draft is not called in Loop.run" in said


def test_the_other_variant_is_held_to_what_it_owes_too(flowmap: Command, project: Path) -> None:
    """The package holds its code, and can be told to run it."""
    lay_out(project, RECIPE.replace('of = ["*"]\n', 'of = ["*"]\nvariants = ["whole-step"]\n'))
    assert "no-draft: shape 2 sizes" in flowmap(*EMIT, code=1).stdout


def test_a_release_without_a_hook_gets_its_own_templates(flowmap: Command, project: Path) -> None:
    """What is not covered there is said; there are no variants."""
    said = flowmap("emit", "quiet", "--release", "2.1", "-o", "out").stdout
    assert "the length of the queue" in said
    assert json.loads((project / "out" / "loop.json").read_text(encoding="utf-8")) == {"worker": "loop.Worker", "release": "2.1"}
    said = flowmap("emit", "quiet", "--release", "2.1", "-o", "out", "--variant", "no-draft", code=2).stderr
    assert said.startswith("--variant no-draft: there is none of this name from 2.0 to 2.9")


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("emit", "quiet", "--release", "3.0"), 1, "emit quiet: nothing is emitted for loop 3.0\n    Version 3 has no drafts."),
        (("emit", "quiet"), 2, "loop: nothing tells which release this is"),
        (("emit", "quiet", "--release", "one"), 2, "--release one: is no version"),
        (("emit", "quite", "--release", "1.0"), 2, "quite: there is no recipe of this name\n    Did you mean quiet?"),
        (("emit", "quiet", "--release", "1.0", "--variant", "hole-step"), 2, "Did you mean `whole-step`?"),
        (("emit", "quiet", "--release", "1.0", "-o", "loop"), 2, "loop: is there, and flowmap did not emit it"),
        (("emit", "quiet", "--release", "1.0", "-o", "flowmap.toml"), 2, "flowmap.toml"),
        (("emit",), 2, "Name a recipe"),
    ],
    ids=str,
)
def test_what_cannot_be_asked_is_said_at_once(flowmap: Command, arguments: tuple[str, ...], code: int, said: str) -> None:
    """One message: what, where, what to do next."""
    assert said in flowmap(*arguments, code=code).stderr


def test_a_release_that_is_refused_is_told_what_it_lacks(flowmap: Command, project: Path) -> None:
    """Beside the reason: each anchor that the recipe has for it and that is not there. No index is made for that."""
    gone = '\n[[anchor]]\nname = "gone"\ndefinition = "Worker.draught"\nwhy = "It drafts."\nsince = "3.0"\n'
    lay_out(project, RECIPE + gone)
    ran = flowmap("emit", "quiet", "--release", "3.0", "-o", "out", code=1)
    assert "nothing is emitted for loop: 2 reasons" in ran.stdout
    assert "loop 3.0  Version 3 has no drafts." in ran.stdout
    assert "gone  nothing is called Worker.draught" in ran.stdout
    assert "linking" not in ran.stderr
    assert not (project / "out").exists()


def test_what_was_changed_by_hand_is_not_overwritten(flowmap: Command, project: Path) -> None:
    """Nor is what others put beside it."""
    flowmap(*EMIT)
    (project / "out" / "notes.txt").write_text("mine", encoding="utf-8")
    flowmap(*EMIT)
    assert (project / "out" / "notes.txt").read_text(encoding="utf-8") == "mine"
    (project / "out" / "quiet_drafts" / "hook.py").write_text("mine", encoding="utf-8")
    assert "hook.py: was changed since it was emitted" in flowmap(*EMIT, code=2).stderr
    assert (project / "out" / "quiet_drafts" / "hook.py").read_text(encoding="utf-8") == "mine"


def test_a_recipe_says_all_that_is_wrong_with_it(flowmap: Command, project: Path) -> None:
    """At once, each with its place."""
    broken = RECIPE.replace('package = "quiet_drafts"', 'package = "quiet-drafts"').replace('field = "Result', 'feld = "Result')
    lay_out(project, broken.replace('"no-draft"]', '"no-drift"]'))
    said = flowmap(*EMIT, code=2).stderr
    assert "`package = 'quiet-drafts'` is no name of a package" in said
    assert "[[anchor]] accepted: unknown key `feld`" in said
    assert "there is no variant `no-drift`" in said


def test_a_template_that_names_what_is_not_bound_is_said_with_its_line(flowmap: Command, project: Path) -> None:
    """Nothing is left blank in its place."""
    place = project / "queries" / "emit" / "quiet" / "package" / "quiet_drafts" / "hook.py.jinja"
    place.write_text("one\n{{ stepp.at }}\n", encoding="utf-8")
    said = flowmap(*EMIT, code=2).stderr
    assert "hook.py.jinja:2: names what is not bound in this release: 'stepp' is undefined" in said


@pytest.mark.usefixtures("project")
def test_the_recipes_are_listed(flowmap: Command) -> None:
    """Those that are shipped, and the user's own."""
    said = flowmap("emit", "--list").stdout
    assert "quiet  about loop  whole-step, no-draft" in said


def test_a_strategy_leaves_files_of_its_folders_out(flowmap: Command, project: Path) -> None:
    """So that a release for which less fits can use the same folders."""
    lay_out(
        project, RECIPE.replace('templates = ["settings"]', 'templates = ["package", "settings"]\nleaves_out = ["*/hook.py"]')
    )
    flowmap("emit", "quiet", "--release", "2.0", "-o", "out")
    assert not (project / "out" / "quiet_drafts" / "hook.py").exists()
    assert {"quiet_drafts/__init__.py", "loop.json"} <= contents(project / "out").keys()


def test_nothing_is_left_out_that_is_not_there(flowmap: Command, project: Path) -> None:
    """A file that was renamed would come along without a word."""
    lay_out(project, RECIPE.replace('templates = ["settings"]', 'templates = ["settings"]\nleaves_out = ["hooks.py"]'))
    said = flowmap("emit", "quiet", "--release", "2.0", "-o", "out", code=2).stderr
    assert "leaves out hooks.py: no file is called so" in said


def test_one_thing_may_have_two_names(flowmap: Command, project: Path) -> None:
    """Templates know it under both; what is merely used is listed once."""
    more = '\n[[anchor]]\nname = "again"\ndefinition = "Worker.step"\nwhy = "For another reason."\n'
    more += '\n[[uses]]\ndefinitions = ["Worker.step", "Worker.draft", "loop.Worker.draft"]\nwhy = "It is called."\n'
    lay_out(project, RECIPE + more)
    record = json.loads(flowmap(*EMIT, "--format", "json").stdout)["record"]
    symbols = [one["symbol"] for one in record["bound"] if one["kind"] == "definition"]
    assert symbols.count("loop.Worker.step") == 2
    assert symbols.count("loop.Worker.draft") == 1


@pytest.mark.parametrize(
    "pattern", ['of = ["timming *"]\nlimit = "it comes a step late"', 'of = ["result Nope.*"]\nby = "hook.off_step"']
)
def test_what_the_recipe_says_of_obligations_that_nobody_owes_is_told(flowmap: Command, project: Path, pattern: str) -> None:
    """It is a slip of the pen, or nothing of the kind is owed any more; the package is right all the same."""
    lay_out(project, f"{RECIPE}\n[[obligation]]\n{pattern}\n")
    name = pattern.split('"')[1]
    assert f"queries/emit/quiet.toml says who meets `{name}`: nothing of the kind is owed here" in flowmap(*EMIT).stdout
    assert json.loads(flowmap(*EMIT, "--format", "json").stdout)["record"]["idle"] == [name]


def test_anchors_are_held_to_it_too(flowmap: Command, project: Path) -> None:
    """What an anchor is said to serve has to be owed."""
    lay_out(project, RECIPE.replace('why = "Its step is replaced."', 'why = "Its step."\ndischarges = ["rank *", "ranks *"]'))
    assert json.loads(flowmap(*EMIT, "--format", "json").stdout)["record"]["idle"] == ["rank *"]


def test_a_recipe_that_speaks_of_all_that_is_owed_says_nothing_more(flowmap: Command, project: Path) -> None:
    """What it says of other variants and releases is left alone."""
    rows = ('variants = ["no-draft"]', 'since = "1.1"', 'until = "0.9"')
    more = [f'\n[[obligation]]\nof = ["kind {n}"]\nlimit = "x"\n{row}\n' for n, row in enumerate(rows)]
    lay_out(project, RECIPE + "".join(more))
    record = json.loads(flowmap(*EMIT, "--format", "json").stdout)["record"]
    assert record["idle"] == ["kind 0"]  # the other variant is in the package, and owes nothing of the kind


def test_a_row_about_other_releases_meets_nothing(flowmap: Command, project: Path) -> None:
    """An obligation that was met until then is open again."""
    lay_out(
        project, RECIPE.replace('of = ["ranks *"]', 'of = ["ranks *"]\nuntil = "0.9"').replace('of = ["*"]', 'of = ["shape *"]')
    )
    assert "ranks 3 collective calls  nobody meets this obligation" in flowmap(*EMIT, code=1).stdout


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{{ 1 / 0 }}", "x.py.jinja:2: cannot be rendered: division by zero"),
        ("{{ 1 + step.name }}", "x.py.jinja:2: cannot be rendered: unsupported operand type(s)"),
        ("{{ 3 | places }}", "x.py.jinja:2: cannot be rendered: "),
        ("{{ 'x' | nope }}", "x.py.jinja:2: cannot be rendered: No filter named 'nope'"),
        ("{% for n in range(10 ** 9) %}{% endfor %}", "x.py.jinja:2: cannot be rendered: Range too big"),
        ("{% include 'hook.py.jinja' %}", "x.py.jinja:2: cannot be rendered: "),
    ],
)
def test_a_template_that_fails_is_said_with_its_line(flowmap: Command, project: Path, text: str, said: str) -> None:
    """Whatever its computations end with."""
    (project / "queries/emit/quiet/package/quiet_drafts/x.py.jinja").write_text(f"\n{text}\n", encoding="utf-8")
    assert said in flowmap(*EMIT, code=2).stderr


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"def (:\n", "quiet_drafts/x.py  is no Python: line 1: invalid syntax"),
        (b"# \xff\xfe\n", "quiet_drafts/x.py  is no Python: "),
        (b"# -*- coding: latin-1 -*-\n# \xff\n", "quiet_drafts/x.py  is no Python: it is not UTF-8"),
        (b"import loop.nosuch as n\n", "loop.nosuch  is imported by quiet_drafts/x.py, and this release has no such module"),
        (b"from loop.nosuch import Worker\n", "loop.nosuch  is imported by quiet_drafts/x.py, and this release has no such"),
        (b"from loop import *\n", "loop.*  is imported by quiet_drafts/x.py, and no anchor names it"),
    ],
)
def test_code_that_could_not_run_is_refused(flowmap: Command, project: Path, content: bytes, said: str) -> None:
    """It parses, and the modules that it imports of the code base are there."""
    (project / "queries/emit/quiet/package/quiet_drafts/x.py").write_bytes(content)
    assert said in flowmap(*EMIT, code=1).stdout
    assert not (project / "out").exists()


def test_a_file_that_is_there_plain_and_as_a_template_is_said(flowmap: Command, project: Path) -> None:
    """One of them would be dropped without a word."""
    (project / "queries/emit/quiet/package/quiet_drafts/hook.py").write_text("", encoding="utf-8")
    assert "quiet_drafts/hook.py: is there twice, plain and as a template" in flowmap(*EMIT, code=2).stderr


def test_where_the_question_about_hooks_has_no_answer_what_moved_is_said_with_it(flowmap: Command, project: Path) -> None:
    """The function was renamed: neither does anything lead to the operations as the question says, nor is the anchor there."""
    loop = project / "loop" / "loop.py"
    loop.write_text(loop.read_text(encoding="utf-8").replace("def step(self", "def turn(self"), encoding="utf-8")
    said = flowmap(*EMIT, code=1).stdout
    assert "hooks quiet  Loop.run: does not reach Worker.draft" in said
    assert "step  nothing is called Worker.step" in said
    assert not (project / "out").exists()
