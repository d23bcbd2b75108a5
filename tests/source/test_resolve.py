"""Which subject is meant, and who said so."""

from __future__ import annotations

from pathlib import Path

import pytest

from flowmap.model.problem import FlowmapError
from flowmap.model.progress import SilentProgress
from flowmap.source.hints import with_hints
from flowmap.source.names import SourceKind, parse_name
from flowmap.source.open import open_source
from flowmap.source.resolve import choose_subject, default_sources
from tests.source.conftest import write_tree


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, empty."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "here"


def test_the_command_line_comes_first(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before the environment and the configuration."""
    write_tree(folder, {"flowmap.toml": 'source = "pypi:configured"\nexclude = ["x"]\nlink = "l"\n'})
    monkeypatch.setenv("FLOWMAP_SOURCE", "pypi:environment")
    choice = choose_subject(("pypi:named",), ("y",), folder)
    assert (choice.sources, choice.why) == (("pypi:named",), "named by --source")
    assert (choice.excludes, choice.link) == (("y",), "")


def test_the_environment_comes_second(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may name several, with commas between them."""
    write_tree(folder, {"flowmap.toml": 'source = "pypi:configured"\n'})
    monkeypatch.setenv("FLOWMAP_SOURCE", "pypi:one, pypi:two")
    choice = choose_subject((), (), folder)
    assert (choice.sources, choice.why) == (("pypi:one", "pypi:two"), "named by FLOWMAP_SOURCE")


def test_the_configuration_comes_third(folder: Path) -> None:
    """With what is excluded, the link, and the file that said so."""
    write_tree(folder, {"flowmap.toml": 'source = ["pypi:one", "dist:two"]\nexclude = ["*/tests/*"]\nlink = "{path}:{line}"\n'})
    choice = choose_subject((), ("more",), folder)
    assert (choice.sources, choice.why) == (("pypi:one", "dist:two"), "from flowmap.toml")
    assert (choice.excludes, choice.link) == (("*/tests/*", "more"), "{path}:{line}")
    assert choice.config == folder / "flowmap.toml"


def test_the_configurations_excludes_go_with_its_source(folder: Path) -> None:
    """Who names the same source gets them too."""
    write_tree(folder, {"flowmap.toml": 'source = "pypi:one"\nexclude = ["x"]\n'})
    assert choose_subject(("pypi:one",), (), folder).excludes == ("x",)


def test_a_configuration_above_is_found(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A relative path is meant from the file that holds it."""
    write_tree(folder, {"pyproject.toml": '[tool.flowmap]\nsource = "lib"\n', "lib/m.py": "", "a/b/c.txt": ""})
    monkeypatch.chdir(folder / "a" / "b")
    choice = choose_subject((), (), folder / "a" / "b")
    assert (choice.sources, choice.why) == ((str(folder / "lib"),), "from [tool.flowmap] in pyproject.toml")


def test_a_pyproject_without_our_table_is_passed_over(folder: Path) -> None:
    """The search goes on above it."""
    write_tree(folder, {"flowmap.toml": 'source = "pypi:one"\n', "sub/pyproject.toml": "[project]\nname = 'x'\n"})
    assert choose_subject((), (), folder / "sub").sources == ("pypi:one",)


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"pyproject.toml": "", "src/demo/__init__.py": ""}, ["src"]),
        ({"pyproject.toml": "", "demo/__init__.py": "", "tests/__init__.py": ""}, ["demo"]),
        ({"pyproject.toml": "[project]\nname = 'my-demo'", "my_demo/__init__.py": "", "other/__init__.py": ""}, ["my_demo"]),
        ({"setup.py": "", "one/__init__.py": "", "two/__init__.py": ""}, ["one", "two"]),
        ({"demo/__init__.py": ""}, ["demo"]),
    ],
)
def test_the_current_projects_package_comes_fourth(folder: Path, files: dict[str, str], expected: list[str]) -> None:
    """What the project is about, not what it keeps beside that."""
    choice = choose_subject((), (), write_tree(folder, files))
    assert (list(choice.sources), choice.why) == (expected, "the package of the current folder's project")


def test_the_project_is_found_from_below(folder: Path) -> None:
    """The current folder may be anywhere in it."""
    write_tree(folder, {"pyproject.toml": "", "demo/__init__.py": "", "demo/inner/__init__.py": ""})
    assert choose_subject((), (), folder / "demo" / "inner").sources == ("demo",)


def test_a_single_module_project_is_read_as_a_folder(folder: Path) -> None:
    """It has no package."""
    assert choose_subject((), (), write_tree(folder, {"pyproject.toml": "", "demo.py": ""})).sources == (str(folder),)


def test_at_last_comes_the_default(folder: Path) -> None:
    """An exact release, kept as data."""
    choice = choose_subject((), (), folder)
    assert (choice.sources, choice.why) == (default_sources(), "the default, since nothing names another")
    name = parse_name(choice.sources[0])
    assert (name.kind, bool(name.version)) == (SourceKind.RELEASE, True)


def test_hints_hold_for_the_source_of_their_file(folder: Path) -> None:
    """They change what the source is read as, and do not apply where another source is named."""
    said = "source = 'demo'\n[[hint]]\nat = 'demo.f(x)'\nholds = 'demo.C'\n"
    write_tree(folder, {"flowmap.toml": said, "demo/__init__.py": "", "other/__init__.py": ""})
    (hint,) = choose_subject((), (), folder).hints
    assert (hint.at, hint.holds, hint.written) == ("demo.f(x)", ("demo.C",), "flowmap.toml")
    opened = open_source(str(folder / "demo"), (), SilentProgress())
    assert with_hints(opened, (hint,)).identity != opened.identity == with_hints(opened, ()).identity
    assert not choose_subject(("other",), (), folder).hints


def test_a_configuration_without_a_source_still_excludes(folder: Path) -> None:
    """Its other keys hold for the project that it stands in."""
    write_tree(folder, {"pyproject.toml": "[tool.flowmap]\nexclude = 'demo/tests'\n", "demo/__init__.py": ""})
    choice = choose_subject((), (), folder)
    assert (choice.sources, choice.excludes) == (("demo",), ("demo/tests",))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sorce = 'x'", "unknown key `sorce`\n    Did you mean `source`?"),
        ("zzz = 1", "unknown key `zzz`\n    Known keys: source, exclude, link, hint."),
        ("source = 1", "`source` is neither a text nor a list of texts"),
        ("exclude = ['a', 2]", "`exclude` is neither a text nor a list of texts"),
        ("link = ['a']", "`link` is not a text"),
        (
            "link = 'x://{path}:{nope}:{rows}'",
            "`link` has {nope}, {rows}, which nothing stands for\n    Known: {path}, {line}, {col}.",
        ),
        ("source = []", "`source` names nothing"),
        ("hint = 'x'", "a [[hint]] says not both `at` and `holds`"),
        ("[[hint]]\nat = 'demo.f(x)'", "a [[hint]] says not both `at` and `holds`"),
        ("source = ", "is not TOML"),
    ],
)
def test_a_wrong_configuration_is_named(folder: Path, text: str, message: str) -> None:
    """With the file, what is wrong, and what to write."""
    write_tree(folder, {"flowmap.toml": text})
    with pytest.raises(FlowmapError) as caught:
        choose_subject((), (), folder)
    assert message in str(caught.value)
    assert str(caught.value).startswith(str(folder / "flowmap.toml"))


def test_each_thing_that_is_wrong_is_said_once(folder: Path) -> None:
    """And what is right, not at all."""
    write_tree(folder, {"flowmap.toml": "link = 5\n"})
    with pytest.raises(FlowmapError) as caught:
        choose_subject((), (), folder)
    assert [problem.what for problem in caught.value.problems] == ["`link` is not a text"]
    write_tree(folder, {"flowmap.toml": "link = 'x://{path}:{line}:{col}'\nexclude = []\n"})
    assert choose_subject((), (), folder).link == "x://{path}:{line}:{col}"


def test_a_table_of_ours_that_is_none_is_not_passed_over(folder: Path) -> None:
    """Whoever wrote it meant something; other tools' tables are no concern."""
    write_tree(folder, {"pyproject.toml": "[tool]\nflowmap = 3\n"})
    with pytest.raises(FlowmapError, match=r"`tool\.flowmap` is no table"):
        choose_subject((), (), folder)
    write_tree(folder, {"pyproject.toml": "tool = 3\n", "demo/__init__.py": ""})
    assert choose_subject((), (), folder).sources == ("demo",)


def test_a_folder_in_the_place_of_the_configuration_is_named(folder: Path) -> None:
    """It is neither read nor passed over."""
    (folder / "flowmap.toml").mkdir()
    with pytest.raises(FlowmapError, match="is no file"):
        choose_subject((), (), folder)


def test_all_that_is_wrong_is_said_at_once(folder: Path) -> None:
    """Nobody corrects a file three times."""
    write_tree(folder, {"flowmap.toml": "sorce = 'x'\nlinks = 'y'\nexclude = 3\n"})
    with pytest.raises(FlowmapError) as caught:
        choose_subject((), (), folder)
    assert len(caught.value.problems) == 3


@pytest.mark.parametrize("name", ["", "  "])
def test_a_source_without_a_name_is_refused(folder: Path, name: str) -> None:
    """It is not taken for the current folder."""
    with pytest.raises(FlowmapError, match="names nothing"):
        choose_subject((name,), (), folder)


def test_the_same_source_counts_once(folder: Path) -> None:
    """However its path is written; another one counts too."""
    write_tree(folder, {"pkg/__init__.py": "", "other/__init__.py": ""})
    assert choose_subject(("pkg", "./pkg/", "pkg"), (), folder).sources == ("pkg",)
    assert choose_subject(("pkg", "other", str(folder / "pkg")), (), folder).sources == ("pkg", "other")
    assert choose_subject(("pypi:a", "pypi:b", "pypi:a"), (), folder).sources == ("pypi:a", "pypi:b")


def test_notebooks_beside_the_projects_package_are_said(folder: Path) -> None:
    """Those in its folder and one below; those inside are counted with the package's own files."""
    write_tree(folder, {"pkg/__init__.py": "", "a.ipynb": "{}", "notebooks/b.ipynb": "{}", "pkg/c.ipynb": "{}"})
    (problem,) = choose_subject((), (), folder).beside
    assert problem.what == "2 notebooks are left out"
    assert choose_subject(("pkg",), (), folder).beside == ()


@pytest.mark.parametrize("name", ["code.py", "code.pyi", "code.ipynb"])
def test_a_single_file_is_no_source(folder: Path, name: str) -> None:
    """The message says which folder to name."""
    write_tree(folder, {f"pkg/{name}": ""})
    with pytest.raises(FlowmapError, match="Name the folder that it lies in: `--source pkg`"):
        parse_name(f"pkg/{name}")
