"""Releases are fetched with the user's pip, verified, kept, and never run."""

from __future__ import annotations

import multiprocessing
import shutil
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from flowmap.model.problem import FlowmapError
from flowmap.model.progress import SilentProgress
from flowmap.model.source import OpenedSource
from flowmap.source.open import open_source, read_bytes
from tests.source.conftest import Index, tarred, use_index, wheel

FOREIGN = "cp39-cp39-win_arm64" if sys.platform != "win32" else "cp39-cp39-macosx_11_0_arm64"


def opened(name: str) -> OpenedSource:
    """A source by its name."""
    return open_source(name, (), SilentProgress())


def publish_demo(index: Index, version: str = "1.0") -> str:
    """Offer a wheel of the project `demo`."""
    content = wheel("demo", version, {"demo/__init__.py": f"version = '{version}'"})
    return index.publish(f"demo-{version}-py3-none-any.whl", content)


def test_a_wheel_is_fetched_once_and_kept_with_its_hash(index: Index, cache: Path) -> None:
    """The second time nobody asks the index."""
    digest = publish_demo(index)
    source = opened("pypi:demo==1.0")
    assert (source.label, source.identity, len(source.files)) == ("pypi:demo==1.0", f"sha256:{digest}", 1)
    record = cache / "releases" / "demo==1.0" / "demo-1.0-py3-none-any.whl.sha256"
    assert record.read_text(encoding="ascii") == f"{digest}  demo-1.0-py3-none-any.whl\n"
    index.asked.clear()
    assert opened("pypi:demo==1.0") == source
    assert index.asked == []


def test_without_a_version_the_newest_is_meant(index: Index) -> None:
    """Pre-releases are not, and the label says which it was."""
    for version in ("1.9", "1.10", "2.0rc1"):
        publish_demo(index, version)
    assert opened("pypi:demo").label == "pypi:demo==1.10"


def test_a_wheel_for_another_platform_is_fetched_all_the_same(index: Index) -> None:
    """It is only read, so it need not run here. pip refuses it; the index has its link and hash."""
    digest = index.publish(f"demo-1.0-{FOREIGN}.whl", wheel("demo", "1.0", {"demo/__init__.py": ""}))
    assert opened("pypi:demo==1.0").identity == f"sha256:{digest}"


def test_an_sdist_is_fetched_without_running_it(index: Index, tmp_path: Path) -> None:
    """pip would run `setup.py` to learn the project's name."""
    ran = tmp_path / "ran"
    setup = f"open({str(ran)!r}, 'w').close()\nfrom setuptools import setup\nsetup(name='demo', version='1.0')\n"
    digest = index.publish("demo-1.0.tar.gz", tarred([], {"demo-1.0/setup.py": setup, "demo-1.0/demo/__init__.py": ""}))
    source = opened("pypi:demo==1.0")
    assert source.identity == f"sha256:{digest}"
    assert [file.path for file in source.files] == ["demo/__init__.py", "setup.py"]
    assert not ran.exists()


def test_progress_counts_bytes(index: Index) -> None:
    """Every task that starts is finished, and the steps add up to its total."""
    content = tarred([], {"demo-1.0/demo.py": "x = 1"})
    index.publish("demo-1.0.tar.gz", content)
    told: list[tuple[str, object]] = []

    class Recorded(SilentProgress):
        def start(self, task: str, total: int) -> None:
            told.append((task, total))

        def advance(self, n: int) -> None:
            told.append(("advance", n))

        def finish(self) -> None:
            told.append(("finish", None))

    open_source("pypi:demo==1.0", (), Recorded())
    sized = ("fetching demo-1.0.tar.gz", len(content))
    assert told == [("fetching demo 1.0", 0), ("finish", None), sized, ("advance", len(content)), ("finish", None)]


def test_a_file_with_another_hash_is_refused(index: Index, cache: Path) -> None:
    """Neither the sdist that flowmap fetches nor the wheel that pip fetches is kept."""
    index.publish("demo-1.0.tar.gz", tarred([], {"demo-1.0/demo.py": ""}))
    publish_demo(index, "2.0")
    index.hashes = dict.fromkeys(index.hashes, "0" * 64)
    for version in ("1.0", "2.0"):
        with pytest.raises(FlowmapError, match="has another sha256 than the index says"):
            opened(f"pypi:demo=={version}")
    assert not list((cache / "releases").iterdir())


def harmed(cache: Path) -> Path:
    """The kept archive, no longer unpacked, with other content than was fetched."""
    (archive,) = (cache / "releases" / "demo==1.0").glob("*.whl")
    shutil.rmtree(archive.parent / "unpacked-1")
    archive.write_bytes(b"junk")
    return archive


def test_a_kept_archive_that_was_harmed_is_fetched_again(index: Index, cache: Path) -> None:
    """It is held to its hash before it is unpacked."""
    publish_demo(index)
    first = opened("pypi:demo==1.0")
    harmed(cache)
    assert opened("pypi:demo==1.0") == first


def test_without_a_network_a_harmed_archive_is_named(index: Index, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the cache, and how it is cleared; a whole one is unpacked anew without asking."""
    publish_demo(index)
    first = opened("pypi:demo==1.0")
    use_index("http://127.0.0.1:9/simple", monkeypatch)
    shutil.rmtree(cache / "releases" / "demo==1.0" / "unpacked-1")
    assert opened("pypi:demo==1.0") == first
    archive = harmed(cache)
    with pytest.raises(FlowmapError, match="is harmed: its hash is no longer the one beside it") as caught:
        opened("pypi:demo==1.0")
    assert caught.value.problems[0].where == str(archive)
    assert "flowmap cache prune" in caught.value.problems[0].fix


def test_a_list_of_content_that_was_harmed_is_one_message(index: Index, cache: Path) -> None:
    """Never a traceback."""
    publish_demo(index)
    opened("pypi:demo==1.0")
    (cache / "releases" / "demo==1.0" / "unpacked-1" / "content.json").write_text("{", encoding="utf-8")
    with pytest.raises(FlowmapError, match="is harmed"):
        opened("pypi:demo==1.0")


def test_a_file_without_a_hash_is_refused(index: Index) -> None:
    """What cannot be verified is not fetched."""
    index.publish("demo-1.0.tar.gz", tarred([], {"demo-1.0/demo.py": ""}))
    index.hashes = dict.fromkeys(index.hashes, "")
    with pytest.raises(FlowmapError, match="names no hash"):
        opened("pypi:demo==1.0")


def test_an_unknown_version_names_those_near_it(index: Index) -> None:
    """And the newest."""
    for version in ("1.0", "1.1", "1.2", "1.4", "1.5", "1.6", "3.0"):
        publish_demo(index, version)
    with pytest.raises(FlowmapError, match=r"pypi:demo==1\.3: there is no such version\n.*: 1\.1, 1\.2, 1\.4, 1\.5, 3\.0\."):
        opened("pypi:demo==1.3")


@pytest.mark.parametrize("name", ["pypi:demo", "pypi:demo==1.0"])
def test_an_unknown_project_is_one_message(index: Index, name: str) -> None:
    """The index was asked and does not have it."""
    with pytest.raises(FlowmapError, match="there is no such project on the index"):
        opened(name)
    assert index.asked


def test_without_a_network_the_cache_answers(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is kept opens, the newest kept stands for the newest, and what is not kept is one clear message."""
    publish_demo(index)
    kept = opened("pypi:demo==1.0")
    use_index("http://127.0.0.1:9/simple", monkeypatch)
    assert opened("pypi:demo==1.0") == kept
    newest = opened("pypi:demo")
    assert newest.label == "pypi:demo==1.0"
    assert [problem.what for problem in newest.problems] == ["the index was not asked: 1.0 is the newest version in the cache"]
    with pytest.raises(FlowmapError, match="is not in the cache, and the index cannot be reached") as caught:
        opened("pypi:demo==2.0")
    assert len(caught.value.problems) == 1


def test_a_password_is_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Messages name the host alone."""
    use_index("http://user:topsecret@127.0.0.1:9/simple", monkeypatch)
    with pytest.raises(FlowmapError, match="cannot be reached") as caught:
        opened("pypi:demo==2.0")
    assert "topsecret" not in str(caught.value)


def test_an_index_may_be_a_folder(index: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A mirror on a disk works as one on the network does."""
    page = tmp_path / "mirror" / "demo" / "index.html"
    page.parent.mkdir(parents=True)
    name = f"demo-1.0-{FOREIGN}.whl"
    digest = index.publish(name, wheel("demo", "1.0", {"demo/__init__.py": ""}))
    (page.parent / name).write_bytes(index.files[name])
    page.write_text(f'<a href="{name}#sha256={digest}">{name}</a>', encoding="utf-8")
    use_index((tmp_path / "mirror").as_uri(), monkeypatch)
    assert opened("pypi:demo==1.0").identity == f"sha256:{digest}"


def test_an_index_may_speak_json(index: Index) -> None:
    """The newer form of the page says the same."""
    index.speaks_json = True
    digest = index.publish(f"demo-1.0-{FOREIGN}.whl", wheel("demo", "1.0", {"demo/__init__.py": ""}))
    assert opened("pypi:demo").identity == f"sha256:{digest}"


def test_credentials_in_the_index_address_open_it(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    """For its pages and for its files; with the wrong ones nothing is said of a missing project."""
    index.password = "p@ss"
    index.publish("demo-1.0.tar.gz", tarred([], {"demo-1.0/demo.py": ""}))
    use_index(index.url.replace("://", "://user:wrong@"), monkeypatch)
    with pytest.raises(FlowmapError, match=r"cannot be reached: 127\.0\.0\.1 answers 401"):
        opened("pypi:demo==1.0")
    use_index(index.url.replace("://", "://user:p%40ss@"), monkeypatch)
    assert len(opened("pypi:demo==1.0").files) == 1


def test_two_runs_at_once_both_end_right(index: Index, cache: Path) -> None:
    """Whoever is first keeps the release; nothing half-made stays."""
    digest = publish_demo(index)
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        sources = list(pool.map(opened, ["pypi:demo==1.0"] * 2))
    assert {(source.identity, read_bytes(source.files[0])) for source in sources} == {(f"sha256:{digest}", b"version = '1.0'")}
    assert sorted(path.name for path in (cache / "releases").iterdir()) == ["demo==1.0", "demo==1.0.from"]


def test_a_run_that_was_killed_does_no_harm(index: Index, cache: Path) -> None:
    """An archive without its hash, and a folder without its list, are made anew."""
    publish_demo(index)
    home = cache / "releases" / "demo==1.0"
    (home / "unpacked-1" / "files").mkdir(parents=True)
    (home / "demo-1.0-py3-none-any.whl").write_bytes(b"half")
    assert len(opened("pypi:demo==1.0").files) == 1


def test_a_cache_that_cannot_be_written_is_said_once(index: Index, cache: Path) -> None:
    """The release is opened from a temporary folder."""
    cache.write_text("a file where the folder should be", encoding="utf-8")
    publish_demo(index)
    source = opened("pypi:demo==1.0")
    assert len(source.files) == 1
    assert [problem.where for problem in source.problems] == [str(cache)]


def test_the_real_index_is_reached_as_the_user_is_configured(cache: Path) -> None:
    """A small release that never changes, with pip as it stands."""
    source = opened("pypi:six==1.16.0")
    assert [file.module for file in source.files] == ["six"]
    assert source.identity == "sha256:8abb2f1d86890a2dfb989f9a77cfcfd3e47c2a354b01111771326f8aa26e0254"
    assert cache.is_dir()
