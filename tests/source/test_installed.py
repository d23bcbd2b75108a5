"""What is installed is found by its metadata."""

from __future__ import annotations

import json
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from flowmap.model.problem import FlowmapError
from flowmap.model.progress import SilentProgress
from flowmap.model.source import OpenedSource
from flowmap.source.open import open_source
from tests.source.conftest import write_tree


def opened(name: str) -> OpenedSource:
    """A source by its name."""
    return open_source(name, (), SilentProgress())


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose `.venv` has `demo` 1.0; the current folder is below it."""
    site = "Lib/site-packages" if sys.platform == "win32" else "lib/python3.11/site-packages"
    metadata = f"{site}/demo-1.0.dist-info"
    record = "demo/__init__.py,,\ndemo/n.ipynb,,\n../../../bin/demo.py,,\ndemo-1.0.dist-info/METADATA,,\n"
    files = {
        "pyvenv.cfg": "",
        f"{site}/demo/__init__.py": "raise SystemExit('imported')",
        f"{metadata}/METADATA": "Metadata-Version: 2.1\nName: Demo\nVersion: 1.0\n",
        f"{metadata}/RECORD": record,
        f"{metadata}/entry_points.txt": "[console_scripts]\ndemo = demo:main\n",
    }
    write_tree(tmp_path / "project" / ".venv", files)
    (tmp_path / "project" / "below").mkdir()
    monkeypatch.chdir(tmp_path / "project" / "below")
    return tmp_path / "project" / ".venv" / site


@pytest.mark.usefixtures("installed")
def test_the_projects_environment_is_looked_into() -> None:
    """Its files are read where they stand, and never imported."""
    source = opened("dist:demo")
    assert (source.label, source.entry_points) == ("dist:demo==1.0", (("demo", "demo:main"),))
    assert [file.path for file in source.files] == ["demo/__init__.py"]
    assert [problem.what for problem in source.problems] == ["1 notebook is left out"]
    assert "demo" not in sys.modules


def test_what_this_python_has_is_found() -> None:
    """Its version stands in the label."""
    assert opened("dist:packaging").label == f"dist:packaging=={version('packaging')}"


def test_an_editable_project_is_read_where_it_stands(installed: Path, tmp_path: Path) -> None:
    """Its metadata names the folder."""
    project = write_tree(tmp_path / "demo", {"pyproject.toml": "", "src/demo/__init__.py": "", "src/demo/new.py": ""})
    record = {"url": project.as_uri(), "dir_info": {"editable": True}}
    (installed / "demo-1.0.dist-info" / "direct_url.json").write_text(json.dumps(record), encoding="utf-8")
    assert [file.path for file in opened("dist:demo").files] == ["demo/__init__.py", "demo/new.py"]


def test_what_is_not_installed_is_one_message() -> None:
    """It says where else it may come from."""
    with pytest.raises(FlowmapError, match=r"is installed neither .*\n.*pypi:no-such-project"):
        opened("dist:no-such-project")


@pytest.mark.usefixtures("installed")
def test_another_version_than_the_named_one_is_one_message() -> None:
    """The installed version is said."""
    with pytest.raises(FlowmapError, match=r"version 1\.0 is installed"):
        opened("dist:demo==2.0")


@pytest.mark.usefixtures("installed")
def test_a_recorded_file_that_is_gone_is_a_problem(installed: Path) -> None:
    """The others are read."""
    with (installed / "demo-1.0.dist-info" / "RECORD").open("a", encoding="utf-8") as record:
        record.write("demo/gone.py,,\n")
    source = opened("dist:demo")
    assert len(source.files) == 1
    assert source.problems[0].where == "demo/gone.py"
