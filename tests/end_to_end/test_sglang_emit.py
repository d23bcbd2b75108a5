"""`flowmap emit adaptive-disable` on SGLang: what is emitted is whole, checked and the same each time; what moved is refused."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from flowmap.emit.emission import emission, ordered
from flowmap.emit.folder import MANIFEST, write_folder
from flowmap.emit.ground import Ground
from flowmap.emit.recipe import read_recipe
from flowmap.model.progress import SilentProgress
from flowmap.query.files import RECIPES, file_on
from flowmap.query.release import release_of
from flowmap.releases import compared
from flowmap.source.open import open_source
from tests.conftest import RELEASE, Command
from tests.emit.names_used import bound_in, names_used
from tests.manual import ROOT

TOOLS = (("ruff", "check", "."), ("ruff", "format", "--check", "."), ("mypy",), ("pytest", "-q"))
CHECK = """
import sys
from adaptive_disable.compatibility import check
check()
assert not [name for name in sys.modules if name.partition(".")[0] in ("sglang", "torch")]
"""


@pytest.fixture(scope="module")
def emitted(flowmap: Command, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package for 0.5.9."""
    folder = tmp_path_factory.mktemp("emitted") / "hook"
    flowmap("emit", "adaptive-disable", "--source", RELEASE, "-o", str(folder))
    return folder


def run_in(folder: Path, *arguments: str, **environment: str) -> str:
    """Run a tool of Python in a folder; fails with what it said."""
    command = [sys.executable, "-m", *arguments]
    alone = {"PYTHONPATH": "", "PYTHONDONTWRITEBYTECODE": "1"} | environment
    done = subprocess.run(command, cwd=folder, env=os.environ | alone, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, f"{' '.join(arguments)}\n{done.stdout}{done.stderr}"
    return done.stdout


def files_of(folder: Path) -> dict[str, bytes]:
    """All that was emitted, by path; not what tools left beside it."""
    listed = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))["files"]
    return {path: (folder / path).read_bytes() for path in (*listed, MANIFEST)}


@pytest.mark.parametrize("tool", TOOLS, ids=" ".join)
def test_it_passes_its_own_checks(emitted: Path, tool: tuple[str, ...]) -> None:
    """Linter, formatter, type checker and tests, as whoever takes it over would run them."""
    run_in(emitted, *tool)


def test_the_manual_shows_what_it_says(flowmap: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its first example, word for word: how many files, how much it relies on."""
    page = (ROOT / "docs" / "how-to" / "emit-a-hook.md").read_text(encoding="utf-8")
    command, _, shown = page.partition("```console\n$ flowmap ")[2].partition("\n```")[0].partition("\n")
    monkeypatch.chdir(tmp_path)
    said = flowmap(*command.split()).stdout
    assert "nothing of the kind is owed" not in said
    assert " ".join(said.split()).startswith(" ".join(shown.split()))


def test_it_is_the_same_each_time(emitted: Path, flowmap: Command, tmp_path: Path) -> None:
    """Byte for byte; the other variant differs in what it is bound for alone."""
    before = files_of(emitted)
    flowmap("emit", "adaptive-disable", "--source", RELEASE, "-o", str(tmp_path / "again"))
    assert files_of(tmp_path / "again") == before
    flowmap("emit", "adaptive-disable", "--source", RELEASE, "--variant", "dummy-draft", "-o", str(tmp_path / "other"))
    other = files_of(tmp_path / "other")
    differing = {path for path in before.keys() | other.keys() if before.get(path) != other.get(path)}
    expected = {"BINDING.md", "adaptive_disable/binding.py", "adaptive_disable/default_variant.py", MANIFEST}
    assert differing == expected


def test_what_is_installed_is_checked_without_being_imported(emitted: Path) -> None:
    """The release that it was emitted for passes."""
    file = open_source(RELEASE, (), SilentProgress()).files[0]
    root = file.location.removesuffix(file.path)
    paths = os.pathsep.join((str(emitted), root))
    subprocess.run([sys.executable, "-c", CHECK], env=os.environ | {"PYTHONPATH": paths}, check=True)


def test_every_name_that_is_used_of_it_is_bound(emitted: Path) -> None:
    """Attributes that the code reads of the scheduler's objects are checked at start like what it imports. Those that the package
    has itself are taken for its own."""
    assert names_used(emitted) == {}


def test_for_the_registry_of_plugins_they_are_bound_too(emitted: Path, for_registry: Path) -> None:
    """By the names of that release. Fields that the hook owes are bound with what it owes, which is not looked at here."""
    owed = bound_in(ast.parse((emitted / "adaptive_disable" / "binding.py").read_text(encoding="utf-8")))
    assert {name: place for name, place in names_used(for_registry).items() if name not in owed} == {}


def test_a_name_that_nothing_binds_is_found(emitted: Path, tmp_path: Path) -> None:
    """As an attribute, in a call, and as a text."""
    package = tmp_path / "adaptive_disable"
    package.mkdir()
    used = "x.unheard, x.unseen(), getattr(x, 'untold'), x.append, f'{x.waiting_queue}'"
    text = f"from sglang import a\n\n\ndef f(x):\n    return {used}\n"
    (package / "new.py").write_text(text, encoding="utf-8")
    (package / "binding.py").write_bytes((emitted / "adaptive_disable" / "binding.py").read_bytes())
    assert names_used(tmp_path) == dict.fromkeys(("unheard", "unseen", "untold"), "new.py:5")


@pytest.fixture(scope="module", params=["0.5.11", "0.5.12.post1"])
def for_registry(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package for a release with a registry, bound without an index: what the hook owes there is not looked at."""
    source = f"pypi:sglang=={request.param}"
    opened = open_source(source, (), SilentProgress())
    release = release_of(opened.label)
    assert release is not None
    file = file_on(RECIPES, "adaptive-disable", None)
    order = ordered(read_recipe(file), file, release, "")
    with compared((source,), (), SilentProgress()) as releases:
        made = emission(Ground(opened, release, releases.line.ledger, releases.line.releases[0]), order, None)
    assert [f"{one.subject}: {one.what}" for one in made.refusals] == []
    folder = tmp_path_factory.mktemp("registry") / "hook"
    write_folder(folder, "adaptive-disable", made.files)
    return folder


@pytest.mark.parametrize("tool", TOOLS, ids=" ".join)
def test_for_the_registry_of_plugins_it_passes_them_too(for_registry: Path, tool: tuple[str, ...]) -> None:
    """The names are those of that release."""
    run_in(for_registry, *tool)


def test_it_follows_the_release_where_that_counts_otherwise(emitted: Path, for_registry: Path) -> None:
    """Up to 0.5.9 the slot of the bonus token is counted when the result is resolved, later before the step."""
    name = "adaptive_disable/of_release.py"
    ours, theirs = ((folder / name).read_text(encoding="utf-8") for folder in (emitted, for_registry))
    assert "kv_committed_len += length\n" in ours
    assert "length - 1\n" in theirs


def test_one_release_is_not_taken_for_another(emitted: Path) -> None:
    """The package of 0.5.9 refuses 0.5.11, with all that moved, before anything is imported."""
    file = open_source("pypi:sglang==0.5.11", (), SilentProgress()).files[0]
    paths = os.pathsep.join((str(emitted), file.location.removesuffix(file.path)))
    done = subprocess.run(
        [sys.executable, "-c", CHECK], env=os.environ | {"PYTHONPATH": paths}, capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 1
    assert "GenerationBatchResult.num_accepted_tokens" in done.stderr
    assert "says something else now" in done.stderr
