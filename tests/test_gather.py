"""Facts are extracted once: whatever else changes, what is kept of a file's content and place is what it would give anew."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from flowmap import gather
from flowmap.extract.extract import extract
from flowmap.gather import FEW_FILES, extract_here, gather_facts, making_of_facts
from flowmap.model.facts import FileFacts
from flowmap.model.problem import FlowmapError
from flowmap.model.progress import SilentProgress
from flowmap.model.source import SourceFile
from flowmap.source.cache_places import facts_folder
from flowmap.source.facts import keep_facts, kept_facts
from flowmap.source.open import open_source
from tests.programs import facts_say

MANY = FEW_FILES + 1
QUIET = SilentProgress()


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test begins with nothing kept."""
    monkeypatch.setenv("FLOWMAP_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package of more files than are extracted without ado."""
    folder = tmp_path / "app"
    folder.mkdir()
    for number in range(MANY):
        (folder / f"m{number}.py").write_text(f"def f{number}(x):\n    return x.run({number})\n", encoding="utf-8")
    return folder


def files_of(folder: Path) -> tuple[SourceFile, ...]:
    """The files of a package."""
    return open_source(str(folder), (), QUIET).files


def extracted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Fills with the paths of what is extracted from now on, in this process."""
    paths: list[str] = []
    real = extract

    def noting(file: SourceFile, content: bytes) -> FileFacts:
        paths.append(file.path)
        return real(file, content)

    monkeypatch.setattr(gather, "extract", noting)
    return paths


def test_only_what_has_changed_is_extracted_again(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file with new content, and a new file; not a file that was only touched."""
    gather_facts(files_of(package), QUIET)
    paths = extracted(monkeypatch)
    (package / "m1.py").write_text("def changed(): ...\n", encoding="utf-8")
    (package / "new.py").write_text("def new(): ...\n", encoding="utf-8")
    (package / "m2.py").touch()
    found = gather_facts(files_of(package), QUIET)
    assert sorted(paths) == ["m1.py", "new.py"]
    assert facts_say(found) == facts_say(extract_here(files_of(package), QUIET))


def test_a_copy_elsewhere_has_facts_of_its_own(package: Path) -> None:
    """Facts say in which module they stand."""
    gather_facts(files_of(package), QUIET)
    shutil.copyfile(package / "m1.py", package / "copy.py")
    found = gather_facts(files_of(package), QUIET)
    assert "copy" in {one.module for one in found}


def test_what_few_files_say_is_not_kept(tmp_path: Path) -> None:
    """To look it up would take longer."""
    (tmp_path / "one.py").write_text("x = 1\n", encoding="utf-8")
    gather_facts(files_of(tmp_path), QUIET)
    assert not facts_folder().exists()


def test_workers_of_an_executor_get_the_contents(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They may be on another machine: whatever they read must have come with the call."""
    files = files_of(package)
    texts = {file.path: Path(file.location).read_bytes() for file in files}
    monkeypatch.setattr(gather, "extract_packed", None)
    with ThreadPoolExecutor(1) as executor:
        found = gather_facts(files, QUIET, executor)
    assert facts_say(found) == facts_say(extract_here(files, QUIET))
    assert all(Path(file.location).read_bytes() == texts[file.path] for file in files)


def test_an_executor_works_for_few_files_too(tmp_path: Path) -> None:
    """Whoever names one wants it used."""
    (tmp_path / "one.py").write_text("x = 1\n", encoding="utf-8")
    with ThreadPoolExecutor(1) as executor:
        assert len(gather_facts(files_of(tmp_path), QUIET, executor)) == 1
    assert facts_folder().exists()


@pytest.mark.parametrize("content", [b"", b"this is no database, however long it may be" * 100])
def test_damaged_facts_are_made_anew(package: Path, content: bytes) -> None:
    """They count as not kept; the run after the next finds them again."""
    files = files_of(package)
    gather_facts(files, QUIET)
    (path,) = facts_folder().glob("*.sqlite")
    path.write_bytes(content)
    for _ in range(2):
        assert facts_say(gather_facts(files, QUIET)) == facts_say(extract_here(files, QUIET))
    gather_facts(files, QUIET)
    assert len(kept_facts(files, making_of_facts())) == MANY


def test_where_nothing_can_be_written_facts_are_extracted_each_time(package: Path) -> None:
    """And nothing is said: the index, which cannot be kept either, says it."""
    facts_folder().parent.mkdir(parents=True)
    facts_folder().write_text("a file where the folder should be", encoding="utf-8")
    assert len(gather_facts(files_of(package), QUIET)) == MANY
    assert kept_facts(files_of(package), making_of_facts()) == {}


def test_facts_of_older_code_go(package: Path) -> None:
    """Those of the code before are kept: two versions may be in use by turns."""
    files = files_of(package)[:1]
    for making in ("first", "second", "third"):
        keep_facts([(files[0], b"facts")], making)
    assert sorted(path.stem for path in facts_folder().glob("*.sqlite")) == ["second", "third"]


BROKEN = "def broken(:\n"
EDITS = ("change", "add", "delete", "rename", "break", "mend")


def edit(folder: Path, how: str, number: int) -> None:
    """One edit of a package."""
    paths = sorted(folder.glob("*.py"))
    chosen = paths[number % len(paths)]
    texts = {"change": f"def edited{number}(): ...\n", "break": BROKEN, "mend": f"class Mended{number}: ...\n"}
    if how == "delete" and len(paths) > MANY:
        chosen.unlink()
    elif how == "rename":
        chosen.rename(folder / f"renamed{number}_{chosen.name}")
    elif how == "add":
        (folder / f"added{number}.py").write_text(f"import m{number}\n", encoding="utf-8")
    elif how in texts:
        chosen.write_text(texts[how], encoding="utf-8")


def edits() -> st.SearchStrategy[list[tuple[str, int]]]:
    """A few edits, each with the number of what it touches."""
    return st.lists(st.tuples(st.sampled_from(EDITS), st.integers(0, 99)), min_size=1, max_size=6)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(edits())
def test_after_any_edits_the_facts_are_those_of_a_cold_run(package: Path, rounds: list[tuple[str, int]]) -> None:
    """Change, add, delete, rename, break and mend files; after each the answer is the one that nothing kept would give."""
    for how, number in rounds:
        edit(package, how, number)
        files = files_of(package)
        assert facts_say(gather_facts(files, QUIET)) == facts_say(extract_here(files, QUIET))


def test_a_worker_that_dies_ends_in_one_message(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Most likely memory ran out."""

    def broken(*_: object) -> Iterator[object]:
        raise BrokenProcessPool

    monkeypatch.setattr(gather, "extract_in", broken)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    with pytest.raises(FlowmapError, match="was killed"):
        gather_facts(files_of(package), QUIET)


def test_lines_in_files_that_were_not_seen_are_counted(package: Path) -> None:
    """By content: an edited file counts whole, one that moved does, too, and what is kept does not."""
    assert gather.unseen(files_of(package)) == gather.Unseen(2 * MANY, 2 * MANY)
    gather_facts(files_of(package), QUIET)
    assert gather.unseen(files_of(package)).share == 0
    (package / "m0.py").write_text("x = 1\n", encoding="utf-8")
    (package / "m1.py").rename(package / "moved.py")
    found = gather.unseen(files_of(package))
    assert (found.n_lines, found.n_unseen) == (2 * MANY - 1, 3)
    assert str(found) == "3 of 129 lines (2%) stand in files not seen before"


def test_of_nothing_no_share_is_unseen() -> None:
    """No division by zero."""
    assert gather.unseen(()).share == 0
