"""Which files of a folder are the source, and what they are called."""

from __future__ import annotations

import os
import pickle
from pathlib import Path

import pytest

from flowmap.model.problem import FlowmapError
from flowmap.model.progress import SilentProgress
from flowmap.model.source import OpenedSource
from flowmap.source.excludes import excludes
from flowmap.source.open import merge_sources, open_source, read_bytes
from tests.source.conftest import write_tree

PROJECT = {"pyproject.toml": "[project]\nname = 'demo'\n[project.scripts]\ndemo = 'demo.cli:main'\n"}


def opened(folder: Path, *globs: str) -> OpenedSource:
    """A folder as a source."""
    return open_source(str(folder), globs, SilentProgress())


def paths(source: OpenedSource) -> list[str]:
    """The paths of its files."""
    return [file.path for file in source.files]


def test_a_package_is_called_by_its_folder(tmp_path: Path) -> None:
    """A folder with `__init__.py` begins every path below it."""
    source = opened(write_tree(tmp_path / "shop", {"__init__.py": "", "cart/__init__.py": "", "cart/item.py": ""}))
    assert paths(source) == ["shop/__init__.py", "shop/cart/__init__.py", "shop/cart/item.py"]
    modules = [(file.module, file.is_package) for file in source.files]
    assert modules == [("shop", True), ("shop.cart", True), ("shop.cart.item", False)]


def test_any_other_folder_holds_top_level_modules(tmp_path: Path) -> None:
    """Its files are modules and its folders packages, namespace packages too."""
    source = opened(write_tree(tmp_path / "code", {"main.py": "", "name/space.py": ""}))
    assert [(file.path, file.module) for file in source.files] == [("main.py", "main"), ("name/space.py", "name.space")]


def test_a_project_is_read_from_where_its_packages_are_imported(tmp_path: Path) -> None:
    """In a project with `src`, tests and scripts beside it are not part of the package."""
    source = opened(write_tree(tmp_path, PROJECT | {"src/demo/__init__.py": "", "src/demo/cli.py": "", "tests/test_demo.py": ""}))
    assert paths(source) == ["demo/__init__.py", "demo/cli.py"]
    assert source.entry_points == (("demo", "demo.cli:main"),)


def test_the_build_configuration_says_where_packages_are(tmp_path: Path) -> None:
    """`where` of setuptools counts as `src` does."""
    where = {"pyproject.toml": '[tool.setuptools.packages.find]\nwhere = ["lib"]\n'}
    assert paths(opened(write_tree(tmp_path, where | {"lib/demo/__init__.py": "", "demo_test.py": ""}))) == ["demo/__init__.py"]


def test_what_is_not_the_project_is_left_out(tmp_path: Path) -> None:
    """Builds, environments, caches and hidden folders hold copies and other people's code."""
    beside = ["build", "dist", ".git", ".venv", "node_modules", "__pycache__", "demo.egg-info"]
    files = PROJECT | {f"{folder}/x.py": "" for folder in beside} | {"env/pyvenv.cfg": "", "env/x.py": "", "demo/__init__.py": ""}
    assert paths(opened(write_tree(tmp_path, files))) == ["demo/__init__.py"]


def test_a_package_called_build_is_kept(tmp_path: Path) -> None:
    """Only what a build makes at the top of a project is left out."""
    source = opened(write_tree(tmp_path, PROJECT | {"build/__init__.py": "", "demo/build/tool.py": ""}))
    assert paths(source) == ["build/__init__.py", "demo/build/tool.py"]


def test_stubs_are_kept_beside_modules(tmp_path: Path) -> None:
    """Both are given, and the stub says that it is one; a `-stubs` package declares the modules of the plain name."""
    source = opened(write_tree(tmp_path / "code", {"m.py": "", "m.pyi": "", "lib-stubs/__init__.pyi": ""}))
    assert [(file.module, file.is_stub) for file in source.files] == [("lib", True), ("m", False), ("m", True)]


def test_notebooks_are_counted(tmp_path: Path) -> None:
    """A notebook is left out, and that is said."""
    source = opened(write_tree(tmp_path / "code", {"m.py": "", "a.ipynb": "{}", "b/c.ipynb": "{}"}))
    assert [problem.what for problem in source.problems] == ["2 notebooks are left out"]


def test_links_that_lead_out_are_left_out(tmp_path: Path) -> None:
    """A link inside the source is a file like any other, one to elsewhere is a problem, one in a circle does no harm."""
    code = write_tree(tmp_path / "code", {"m.py": "x = 1"})
    (tmp_path / "secret.py").write_text("", encoding="utf-8")
    os.symlink(tmp_path / "secret.py", code / "out.py")
    os.symlink(code / "m.py", code / "inside.py")
    os.symlink(code, code / "circle")
    source = opened(code)
    assert paths(source) == ["inside.py", "m.py"]
    assert [problem.where for problem in source.problems] == ["circle", "out.py"]


def test_the_identity_follows_the_content(tmp_path: Path) -> None:
    """Other content is another identity, the same content elsewhere is the same."""
    one, two = (opened(write_tree(tmp_path / name, {"m.py": "x = 1"})) for name in ("one", "two"))
    assert one.identity == two.identity
    write_tree(tmp_path / "two", {"m.py": "x = 2"})
    assert opened(tmp_path / "two").identity != one.identity


def test_a_file_is_read_as_bytes(tmp_path: Path) -> None:
    """A file can be sent to another process and read there, a byte order mark included."""
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "m.py").write_bytes(b"\xef\xbb\xbfx = 1\r\n")
    (file,) = opened(tmp_path / "code").files
    assert read_bytes(pickle.loads(pickle.dumps(file))) == b"\xef\xbb\xbfx = 1\r\n"


def test_a_file_that_changes_meanwhile_is_not_read(tmp_path: Path) -> None:
    """Facts are kept under the digest, so no other content may pass under it."""
    (file,) = opened(write_tree(tmp_path / "code", {"m.py": "x = 1"})).files
    write_tree(tmp_path / "code", {"m.py": "x = 2"})
    with pytest.raises(FlowmapError, match="changed while it was being read"):
        read_bytes(file)


def test_a_file_that_is_gone_is_one_message(tmp_path: Path) -> None:
    """The error comes whole out of a worker process."""
    (file,) = opened(write_tree(tmp_path / "code", {"m.py": ""})).files
    with pytest.raises(FlowmapError, match="cannot be read") as caught:
        read_bytes(file._replace(location=str(tmp_path / "gone.py")))
    assert pickle.loads(pickle.dumps(caught.value)).problems == caught.value.problems


def test_a_folder_without_python_is_no_source(tmp_path: Path) -> None:
    """There is nothing to index."""
    with pytest.raises(FlowmapError, match="holds no Python file"):
        opened(write_tree(tmp_path / "code", {"README.md": ""}))


def test_a_folder_of_projects_points_to_them(tmp_path: Path) -> None:
    """Module names would begin with the folder, so the user is told."""
    source = opened(write_tree(tmp_path / "repo", {"python/pyproject.toml": "", "python/demo/__init__.py": ""}))
    assert paths(source) == ["python/demo/__init__.py"]
    assert "--source" in source.problems[0].fix


@pytest.mark.parametrize(
    ("glob", "path", "expected"),
    [
        ("demo/tests", "demo/tests/a/b.py", True),
        ("demo/tests/", "demo/tests/a.py", True),
        ("demo/tests", "demo/tests_of_it.py", False),
        ("*/tests/*", "demo/tests/a.py", True),
        ("**/tests/**", "tests/a.py", True),
        ("**/tests/**", "demo/x/tests/a.py", True),
        ("demo/**/a.py", "demo/a.py", True),
        ("*_pb2.py", "demo/x_pb2.py", True),
        ("*_pb2.py", "demo/x_pb2.pyi", False),
        ("test_?.py", "test_1.py", True),
        ("Demo/*", "demo/a.py", False),
    ],
)
def test_globs_match_whole_paths(glob: str, path: str, expected: bool) -> None:
    """As `fnmatch` does, with `**/` for any folders and a folder for all below it."""
    assert excludes(glob, path) is expected


def test_excluded_files_are_gone_and_change_the_identity(tmp_path: Path) -> None:
    """An index without some files is another index."""
    folder = write_tree(tmp_path / "code", {"m.py": "", "tests/t.py": ""})
    assert paths(opened(folder, "tests")) == ["m.py"]
    assert opened(folder, "tests").identity != opened(folder).identity
    assert opened(folder, "nothing").identity == opened(folder).identity


def test_excluding_everything_is_an_error(tmp_path: Path) -> None:
    """It says that the globs are to blame."""
    with pytest.raises(FlowmapError, match="all of its Python files are excluded"):
        opened(write_tree(tmp_path / "code", {"m.py": ""}), "*")


def test_several_sources_become_one(tmp_path: Path) -> None:
    """Their files stand side by side; of two files at one path the first stays, and that is said."""
    one = opened(write_tree(tmp_path / "one", {"a.py": "1", "same.py": "", "twice.py": "1"}))
    two = opened(write_tree(tmp_path / "two", {"b.py": "2", "same.py": "", "twice.py": "2"}))
    merged = merge_sources((one, two))
    assert paths(merged) == ["a.py", "b.py", "same.py", "twice.py"]
    assert read_bytes(merged.files[-1]) == b"1"
    assert [problem.what for problem in merged.problems] == [
        "1 of its files stand in an earlier source too, which is the one that is read: twice.py"
    ]
    assert merged.label == f"{one.label} + {two.label}"
    assert merged.identity != merge_sources((two, one)).identity


def test_one_source_stays_as_it_is(tmp_path: Path) -> None:
    """Merging adds nothing to it."""
    one = opened(write_tree(tmp_path / "one", {"a.py": ""}))
    assert merge_sources((one,)) is one
