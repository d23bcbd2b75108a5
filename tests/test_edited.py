"""After any edit the index is that of a first run; after one that only moved lines it is not solved for."""

from __future__ import annotations

import marshal
import zlib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from flowmap import pipeline
from flowmap.model.flow import unpack_moves
from flowmap.model.progress import Progress, SilentProgress
from flowmap.model.source import OpenedSource
from flowmap.pipeline import build_tables, make_index
from flowmap.source.open import open_source
from flowmap.store.index import Index
from flowmap.store.memory import index_in_memory
from flowmap.store.write import IndexTables
from flowmap.warm import open_kept

QUIET = SilentProgress()
WORKER = '''"""What does the work."""

from app.model import Model
from app.tools import *


class Worker:
    """Runs a model."""

    limit: int = 3

    def __init__(self, model: Model) -> None:
        self.model = model
        self.table = {"run": self.run, "stop": stop}

    def run(self, batch):
        """Runs a batch."""
        if batch and self.limit > 1:
            self.last = self.model.forward(
                batch,
                scale=2,
            )
        return self.last


def main():
    worker = Worker(Model())
    for name in worker.table:
        worker.table[name](1)
    return [one for one in (worker.run(2),)]
'''
MODEL = """class Base(type): ...


class Model:
    def forward(self, batch, scale=1):
        return getattr(self, "scale" + batch, lambda: scale)()

    @property
    def scale_up(self):
        return self


class Broken(Model, Model): ...
"""
TOOLS = '''def stop(worker):
    """Stops."""
    worker.last = None
'''


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test begins with nothing kept."""
    monkeypatch.setenv("FLOWMAP_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def app(tmp_path: Path) -> Path:
    """A small package."""
    folder = tmp_path / "app"
    folder.mkdir()
    for name, text in {"__init__.py": "", "worker.py": WORKER, "model.py": MODEL, "tools.py": TOOLS}.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def opened(folder: Path) -> OpenedSource:
    """The package as it is now."""
    return open_source(str(folder), (), QUIET)


def rows_of(index: Index) -> dict[str, list[object]]:
    """All rows of an index, table by table; what is packed, unpacked."""
    tables = [name for (name,) in index.rows("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")]
    found: dict[str, list[object]] = {name: [*index.rows(f'SELECT * FROM "{name}"')] for name in tables}
    found["flow_scope"] = [(scope, unpack_moves(body)) for scope, body in index.rows("SELECT * FROM flow_scope")]
    for name in ("flow_field", "flow_file"):
        packed = index.rows(f"SELECT * FROM {name}")
        found[name] = [(*row[:-1], marshal.loads(zlib.decompress(row[-1]))) for row in packed]
    return found


def kept_rows(folder: Path) -> dict[str, list[object]]:
    """The rows of the index that is made of what is kept."""
    source = opened(folder)
    index = open_kept(source) or make_index(source, QUIET)
    try:
        return rows_of(index)
    finally:
        index.close()


def first_rows(folder: Path) -> dict[str, list[object]]:
    """The rows of a first run."""
    return rows_of(index_in_memory(build_tables(opened(folder), QUIET)))


def edit(path: Path, before: str, after: str) -> None:
    """Replaces the first of a text in a file."""
    text = path.read_text(encoding="utf-8")
    assert before in text
    path.write_text(text.replace(before, after, 1), encoding="utf-8")


MOVING = {
    "a comment": ("class Worker:", "# who runs it\nclass Worker:"),
    "a blank line in a call": ("                batch,\n", "\n                batch,\n"),
    "a comment in a call": ("                batch,\n", "                batch,  # all of it\n"),
    "a comment behind code": ("return self.last\n", "return self.last  # or nothing\n"),
    "a docstring": ('"""Runs a batch."""', '"""Runs a batch.\n\n        And gives what comes of it.\n        """'),
    "a docstring of the module": ('"""What does the work."""\n\n', '"""What does most of the work."""\n'),
    "no docstring": ('"""Runs a batch."""', ""),
    "a line less": ("limit: int = 3\n\n", "limit: int = 3\n"),
}


@pytest.mark.parametrize("change", MOVING.values(), ids=MOVING)
def test_what_only_moves_lines_is_not_solved_for(app: Path, change: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The index is that of a first run."""
    kept_rows(app)
    edit(app / "worker.py", *change)
    expected = first_rows(app)
    monkeypatch.setattr(pipeline, "build_tables", None)
    assert kept_rows(app) == expected


SAYING = {
    "a call more": ("return self.last", "self.run(1)\n        return self.last"),
    "a call less": ("worker.table[name](1)", "pass"),
    "another guard": ("self.limit > 1", "self.limit > 2"),
    "another argument": ("worker.run(2)", "worker.run(3)"),
    "an expression on more lines": ("Worker(Model())", "Worker(\n        Model()\n    )"),
    "a call a column further": ("= Worker(", "=  Worker("),
    "a comment in what is shown": ("scale=2,", "scale=(  # twice\n                    2\n                ),"),
    "two names that change places": ("limit: int = 3", "bound: int = 1\n    limit: int = 3"),
    "another number": ("limit: int = 3", "limit: int = 4"),
    "a syntax error": ("def main():", "def main(:"),
}


@pytest.mark.parametrize("change", SAYING.values(), ids=SAYING)
def test_what_says_something_else_is_solved_for(app: Path, change: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever of it an index shows."""
    kept_rows(app)
    edit(app / "worker.py", *change)
    solved: list[OpenedSource] = []
    real = pipeline.build_tables

    def noting(source: OpenedSource, progress: Progress, executor: None) -> IndexTables:
        solved.append(source)
        return real(source, progress, executor)

    monkeypatch.setattr(pipeline, "build_tables", noting)
    assert kept_rows(app) == first_rows(app)
    assert solved


@pytest.mark.parametrize("name", ["other.py", "tools.py"])
def test_a_file_more_or_less_is_solved_for(app: Path, name: str) -> None:
    """It may change what reaches any other."""
    kept_rows(app)
    path = app / name
    path.unlink() if path.exists() else path.write_text(TOOLS, encoding="utf-8")
    assert kept_rows(app) == first_rows(app)


def test_lines_that_fall_together_are_solved_for(app: Path) -> None:
    """A chain of evidence leaves out what stands on the line that it has told already."""
    (app / "tools.py").write_text("a = 1; b = print\n\nc = b\n\nc()\n", encoding="utf-8")
    kept_rows(app)
    (app / "tools.py").write_text("a = 1; b = print\n\nc = b\n;c()\n".replace("\n;", "; "), encoding="utf-8")
    assert kept_rows(app) == first_rows(app)


def test_a_file_with_a_coding_is_solved_for(app: Path) -> None:
    """What is kept of it is no longer in that coding."""
    (app / "tools.py").write_bytes("# coding: latin-1\nNAME = 'é'\n".encode("latin-1"))
    kept_rows(app)
    (app / "tools.py").write_bytes("# coding: latin-1\n\nNAME = 'é'\n".encode("latin-1"))
    assert kept_rows(app) == first_rows(app)


def test_what_is_kept_and_damaged_is_not_used(app: Path, tmp_path: Path) -> None:
    """The index is made anew."""
    kept_rows(app)
    (path,) = (tmp_path / "cache" / "index").glob("*.sqlite")
    path.write_bytes(path.read_bytes()[:9000])
    edit(app / "worker.py", *MOVING["a comment"])
    assert kept_rows(app) == first_rows(app)


LINES = st.sampled_from(
    ("# note", "", "def more(x): return x.run(1)", "worker = 1", '"""text"""', "def broken(:", "from app.worker import Worker")
)
EDITS = st.lists(
    st.tuples(st.sampled_from(("insert", "delete", "rename", "append")), st.sampled_from(("worker", "model", "tools")),
              st.integers(0, 40), LINES),
    min_size=1,
    max_size=4,
)  # fmt: skip


def apply(folder: Path, change: tuple[str, str, int, str]) -> None:
    """Makes one edit; a line that is inserted is indented as the one that it comes before."""
    how, name, at, text = change
    path = folder / f"{name}.py"
    if not path.exists():
        path.write_text(TOOLS, encoding="utf-8")
        return
    lines = path.read_text(encoding="utf-8").split("\n")
    at = min(at, len(lines) - 1)
    match how:
        case "insert":
            lines.insert(at, " " * (len(lines[at]) - len(lines[at].lstrip())) + text)
        case "delete":
            del lines[at]
        case "append":
            lines[at] += f"  # {text}"
        case _:
            path.rename(folder / f"{name}_{at}.py")
            return
    path.write_text("\n".join(lines), encoding="utf-8")


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(edits=EDITS)
def test_after_any_edits_the_index_is_that_of_a_first_run(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, edits: list[tuple[str, str, int, str]]
) -> None:
    """Change, add, delete, rename, break and mend: each time the same rows as from nothing."""
    home = tmp_path_factory.mktemp("edits")
    monkeypatch.setenv("FLOWMAP_CACHE", str(home / "cache"))
    folder = home / "app"
    folder.mkdir()
    for name, text in {"__init__.py": "", "worker.py": WORKER, "model.py": MODEL, "tools.py": TOOLS}.items():
        (folder / name).write_text(text, encoding="utf-8")
    kept_rows(folder)
    for each in edits:
        apply(folder, each)
        assert kept_rows(folder) == first_rows(folder)
