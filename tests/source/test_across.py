"""Several releases by one text: ranges of versions, lists of versions and sources."""

from __future__ import annotations

from pathlib import Path

import pytest

from flowmap.model.problem import FlowmapError
from flowmap.model.progress import SilentProgress
from flowmap.source.across import across, project_of
from flowmap.source.open import open_source
from tests.source.conftest import Index, use_index, wheel

VERSIONS = ("0.9", "1.0", "1.1rc1", "1.1", "1.1.post1", "1.2", "2.0")


@pytest.fixture
def published(index: Index) -> Index:
    """A project with several versions."""
    for version in VERSIONS:
        index.publish(f"demo-{version}-py3-none-any.whl", wheel("demo", version, {"demo/__init__.py": ""}))
    return index


def versions(*texts: str, every: int = 1) -> list[str]:
    """The versions that texts mean."""
    return [source.rpartition("==")[2] for source in across(texts, "demo", every).sources]


@pytest.mark.usefixtures("published")
def test_a_range_holds_final_and_post_releases_between_its_ends() -> None:
    """Both ends count; what was published before a release was final does not."""
    assert versions("1.0..1.2") == ["1.0", "1.1", "1.1.post1", "1.2"]
    assert versions("1.1rc1..1.1") == ["1.1rc1", "1.1"]
    assert across(["1.0..1.2"], "demo", 1).notes == ("demo 1.0 to 1.2: 4 releases",)


@pytest.mark.usefixtures("published")
def test_of_a_range_each_nth_and_both_ends() -> None:
    """It is said how many that are."""
    assert versions("0.9..2.0", every=4) == ["0.9", "1.2", "2.0"]
    assert across(["0.9..2.0"], "demo", 4).notes == ("demo 0.9 to 2.0: 3 of 6 releases",)


@pytest.mark.usefixtures("published")
def test_ends_need_not_be_releases() -> None:
    """What lies between them counts."""
    assert versions("1.0.5..1.9") == ["1.1", "1.1.post1", "1.2"]


@pytest.mark.usefixtures("published")
def test_a_range_may_name_its_project() -> None:
    """Whatever the subject is."""
    assert across(["pypi:demo==1.1..1.2"], "other", 1).sources == ("pypi:demo==1.1", "pypi:demo==1.1.post1", "pypi:demo==1.2")


def test_lists_hold_versions_and_sources(tmp_path: Path) -> None:
    """In their order, each once; no index is asked."""
    folder = str(tmp_path)
    assert across([f"1.0,{folder}", "1.0, git:x@y"], "demo", 1).sources == ("pypi:demo==1.0", folder, "git:x@y")


def test_a_folder_with_a_comma_or_dots_in_its_name_is_a_folder(tmp_path: Path) -> None:
    """What is there is meant."""
    folder = tmp_path / "1..2,3"
    folder.mkdir()
    assert across([str(folder)], "", 1).sources == (str(folder),)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1.2..1.0", "1.2 comes after 1.0"),
        ("1.0..2.x", "`2.x` is not a version"),
        (" , ", "names no release"),
        ("1.3..1.9", "there is no release of demo between these two"),
    ],
)
@pytest.mark.usefixtures("published")
def test_what_names_no_release_is_refused(text: str, said: str) -> None:
    """With what to write instead."""
    with pytest.raises(FlowmapError) as error:
        across([text], "demo", 1)
    assert said in str(error.value)
    assert error.value.problems[-1].fix


@pytest.mark.usefixtures("published")
def test_versions_near_an_empty_range_are_named() -> None:
    """So that the next try is a good one."""
    with pytest.raises(FlowmapError, match=r"Known versions near it: .*1\.2.*2\.0"):
        across(["1.3..1.9"], "demo", 1)


def test_a_version_of_no_project() -> None:
    """Nothing says which."""
    with pytest.raises(FlowmapError, match="nothing says of which project"):
        across(["1.0..2.0"], "", 1)


def test_versions_are_asked_for_once_a_day(published: Index) -> None:
    """The second time none is asked."""
    assert versions("1.0..1.2") == versions("1.0..1.2")
    assert published.asked.count("/simple/demo/") == 1


def test_without_the_index_those_in_the_cache_count(published: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    """And it is said that there may be more."""
    for version in ("1.0", "1.2"):
        open_source(f"pypi:demo=={version}", (), SilentProgress())
    published.files.clear()
    use_index("http://127.0.0.1:9/simple", monkeypatch)
    found = across(["1.0..2.0"], "demo", 1)
    assert found.sources == ("pypi:demo==1.0", "pypi:demo==1.2")
    assert ["only the 2 releases in the cache are known" in problem.what for problem in found.problems] == [True]


def test_without_the_index_and_with_an_empty_cache_nothing_is_known(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    """One clear message."""
    use_index("http://127.0.0.1:9/simple", monkeypatch)
    with pytest.raises(FlowmapError, match="cannot be reached"):
        across(["1.0..1.2"], "demo", 1)
    assert index.asked == []


@pytest.mark.parametrize(
    ("sources", "project"),
    [(["pypi:demo==1.0"], "demo"), (["./x", "dist:demo"], "demo"), (["./x"], ""), ([], ""), (["git:a@b"], "")],
)
def test_the_project_of_a_subject(sources: list[str], project: str) -> None:
    """That of its first release; of folders none."""
    assert project_of(sources) == project
