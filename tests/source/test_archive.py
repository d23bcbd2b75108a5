"""Wheels, zip files and sdists are unpacked without trust."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

from flowmap.model.problem import FlowmapError
from flowmap.model.progress import SilentProgress
from flowmap.model.source import OpenedSource
from flowmap.source import archive
from flowmap.source.open import open_source, read_bytes
from tests.source.conftest import tarred, wheel, zipped


def opened(path: Path, content: bytes) -> OpenedSource:
    """An archive file as a source."""
    path.write_bytes(content)
    return open_source(str(path), (), SilentProgress())


def paths(source: OpenedSource) -> list[str]:
    """The paths of its files."""
    return [file.path for file in source.files]


def everything_below(folder: Path) -> list[str]:
    """The names of all files below a folder."""
    return sorted(path.name for path in folder.rglob("*.py"))


def test_a_wheel_holds_packages_and_commands(tmp_path: Path) -> None:
    """What it installs into site-packages is the source; its metadata names the commands."""
    files = {
        "demo/__init__.py": "x = 1",
        "demo/cli.py": "",
        "demo/words.txt": "no source",
        "demo-1.0.data/purelib/extra/__init__.py": "",
        "demo-1.0.data/scripts/run.py": "",
        "demo-1.0.dist-info/entry_points.txt": "[console_scripts]\ndemo = demo.cli:main [fast]\n[other]\nx = y:z\n",
    }
    source = opened(tmp_path / "demo-1.0-py3-none-any.whl", wheel("demo", "1.0", files))
    assert paths(source) == ["demo/__init__.py", "demo/cli.py", "extra/__init__.py"]
    assert source.entry_points == (("demo", "demo.cli:main"),)
    assert read_bytes(source.files[0]) == b"x = 1"
    assert source.identity.startswith("sha256:")


def test_an_sdist_is_read_as_the_project_that_it_holds(tmp_path: Path) -> None:
    """The folder of the project's name is no package."""
    content = tarred([], {"demo-1.0/PKG-INFO": "", "demo-1.0/pyproject.toml": "", "demo-1.0/src/demo/__init__.py": ""})
    assert paths(opened(tmp_path / "demo-1.0.tar.gz", content)) == ["demo/__init__.py"]


def test_a_zipped_package_keeps_its_name(tmp_path: Path) -> None:
    """The only folder of an archive is the package when it has `__init__.py`."""
    assert paths(opened(tmp_path / "demo.zip", zipped({"demo/__init__.py": ""}))) == ["demo/__init__.py"]


def test_a_second_opening_unpacks_nothing(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was unpacked is found by the archive's hash and gives the same answer."""
    path = tmp_path / "demo.zip"
    first = opened(path, zipped({"demo/__init__.py": "", "n.ipynb": "{}"}))
    monkeypatch.setattr("flowmap.source.unpacked.unpack", None)
    assert open_source(str(path), (), SilentProgress()) == first
    assert len(list((cache / "releases").glob("file-*/unpacked-*"))) == 1


@pytest.mark.parametrize("name", ["../escaped.py", "/escaped.py", "demo/../../escaped.py", "..\\escaped.py", "C:/escaped.py"])
def test_a_member_cannot_leave_the_archive(tmp_path: Path, name: str) -> None:
    """It is left out and named; the others are read."""
    source = opened(tmp_path / "demo.zip", zipped({"demo/__init__.py": "", name: "x"}))
    assert paths(source) == ["demo/__init__.py"]
    assert [problem.what for problem in source.problems] == ["has a path that leads out and is left out"]
    assert "escaped.py" not in everything_below(tmp_path)


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE])
def test_links_and_devices_are_left_out(tmp_path: Path, kind: bytes) -> None:
    """Only plain files are unpacked, so that nothing can be read or written through a link."""
    member = tarfile.TarInfo("demo/secret.py")
    member.type, member.linkname = kind, "/etc/passwd"
    source = opened(tmp_path / "demo.tar.gz", tarred([member], {"demo/__init__.py": ""}))
    assert paths(source) == ["demo/__init__.py"]
    assert [(problem.where, problem.what) for problem in source.problems] == [
        ("demo/secret.py", "is a link or a device and is left out")
    ]


def test_a_linked_folder_leads_nowhere(tmp_path: Path) -> None:
    """A member below a link's name lands in a plain folder."""
    member = tarfile.TarInfo("demo/out")
    member.type, member.linkname = tarfile.SYMTYPE, str(tmp_path / "target")
    (tmp_path / "target").mkdir()
    source = opened(tmp_path / "demo.tar.gz", tarred([member], {"demo/__init__.py": "", "demo/out/m.py": ""}))
    assert paths(source) == ["demo/__init__.py", "demo/out/m.py"]
    assert not list((tmp_path / "target").iterdir())


def test_a_file_in_a_folders_place_is_left_out(tmp_path: Path) -> None:
    """What no file system can hold is a problem, not an end."""
    source = opened(tmp_path / "demo.zip", zipped({"demo/a.py": "", "demo/a.py/b.py": ""}))
    assert paths(source) == ["demo/a.py"]
    assert [problem.where for problem in source.problems] == ["demo/a.py/b.py"]


@pytest.mark.parametrize("bound", ["MAX_MEMBERS", "MAX_BYTES", "MAX_STREAM_BYTES"])
def test_a_bomb_is_refused(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, bound: str) -> None:
    """Beyond the bounds the archive is refused as a whole, and nothing of it stays."""
    monkeypatch.setattr(archive, bound, 2)
    with pytest.raises(FlowmapError, match="more than 2"):
        opened(tmp_path / "bomb.tar.gz", tarred([], {"a.py": "xxx", "b.py": "x", "c.py": "x"}))
    assert everything_below(cache) == []


def test_a_huge_file_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No Python file that anyone reads is that long."""
    monkeypatch.setattr(archive, "MAX_FILE_BYTES", 3)
    source = opened(tmp_path / "demo.zip", zipped({"a.py": "xxxx", "b.py": "xxx"}))
    assert (paths(source), [problem.what for problem in source.problems]) == (["b.py"], ["has 4 bytes and is left out"])


@pytest.mark.parametrize("content", [b"", b"hello", b"\x1f\x8bnot gzip after all", b"x = 1\n" * 500])
def test_a_file_that_is_no_archive_is_one_message(tmp_path: Path, content: bytes) -> None:
    """Whatever its name says."""
    with pytest.raises(FlowmapError, match=r"is no archive|is damaged") as caught:
        opened(tmp_path / "demo-1.0-py3-none-any.whl", content)
    assert len(caught.value.problems) == 1


@pytest.mark.parametrize("suffix", [".zip", ".tar.gz"])
def test_a_truncated_archive_is_damaged(tmp_path: Path, cache: Path, suffix: str) -> None:
    """An aborted download leaves nothing behind in the cache."""
    text = "".join(f"x{number} = {number * number}\n" for number in range(2000))
    whole = zipped({"demo/__init__.py": text}) if suffix == ".zip" else tarred([], {"demo/__init__.py": text})
    with pytest.raises(FlowmapError, match="is damaged"):
        opened(tmp_path / f"demo{suffix}", whole[: len(whole) // 2])
    assert everything_below(cache) == []


def test_an_archive_without_python_is_no_source(tmp_path: Path) -> None:
    """There is nothing to index; what was left out is said with it."""
    with pytest.raises(FlowmapError, match="holds no Python file"):
        opened(tmp_path / "demo.zip", zipped({"README.md": ""}))


def test_notebooks_in_an_archive_are_counted(tmp_path: Path) -> None:
    """As in a folder."""
    source = opened(tmp_path / "demo.zip", zipped({"demo/__init__.py": "", "demo/a.ipynb": "{}"}))
    assert [problem.what for problem in source.problems] == ["1 notebook is left out"]
