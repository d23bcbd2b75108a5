"""Which subject is meant, and who said so."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from flowmap.model.problem import FlowmapError, Problem
from flowmap.model.source import SubjectChoice
from flowmap.source.config import Configuration, find_configuration, read_toml, texts
from flowmap.source.folder import notebooks_left_out
from flowmap.source.names import FORMS, anchored, shown_path
from flowmap.source.project import is_package, packages_of_project

_DEFAULT = Path(__file__).parents[1] / "subject" / "default.toml"
_OF_PROJECT = "the package of the current folder's project"


def choose_subject(named: tuple[str, ...], excludes: tuple[str, ...], folder: Path) -> SubjectChoice:
    """Decide what is indexed: `--source`, FLOWMAP_SOURCE, the configuration, the project's package or the default, in this order.

    `named` and `excludes` are what the command line says, `folder` is where it was typed. The configuration's `exclude`,
    `link` and hints belong to its own `source`: where other sources are named they do not apply.
    Errors: FlowmapError when the configuration is wrong.
    """
    _check(named)
    return _choice(named, excludes, folder, find_configuration(folder))


def choose_without_configuration(named: tuple[str, ...], excludes: tuple[str, ...], folder: Path) -> SubjectChoice:
    """As `choose_subject` where there is no configuration, for whoever has told that it is wrong."""
    _check(named)
    return _choice(named, excludes, folder, Configuration())


def _check(named: tuple[str, ...]) -> None:
    if any(not name.strip() for name in named):
        raise FlowmapError(Problem("--source", "names nothing", FORMS))


def _choice(named: tuple[str, ...], excludes: tuple[str, ...], folder: Path, configured: Configuration) -> SubjectChoice:
    sources, why = _chosen(named, configured, folder)
    choice = SubjectChoice(
        sources=_each_once(sources),
        excludes=(*configured.excludes, *excludes),
        why=why,
        link=configured.link,
        config=configured.path,
        is_named=bool(named),
        hints=configured.hints,
    )
    if why.startswith("named") and configured.sources and set(sources) != set(configured.sources):
        return replace(choice, excludes=excludes, link="", hints=())
    return replace(choice, beside=_notebooks_beside(sources)) if why == _OF_PROJECT else choice


def _each_once(sources: tuple[str, ...]) -> tuple[str, ...]:
    """The sources without those that name the same thing once more, as `pkg` and `./pkg/` do."""
    alike = {os.path.realpath(name) if os.path.exists(name) else name: name for name in reversed(sources)}
    return tuple(name for name in dict.fromkeys(sources) if name in alike.values())


def _notebooks_beside(packages: tuple[str, ...]) -> tuple[Problem, ...]:
    """What is said of notebooks that lie in the folder of a project's packages, or one folder below it, in none of them."""
    roots = {Path(os.path.abspath(name)) for name in packages}
    folders = {root.parent for root in roots if is_package(root)}
    found = {path for folder in folders for glob in ("*.ipynb", "*/*.ipynb") for path in folder.glob(glob)}
    beside = [path for path in found if path.parent not in roots and not path.parent.name.startswith(".")]
    return tuple(
        replace(problem, where=shown_path(folder))
        for folder in sorted(folders)
        for problem in notebooks_left_out(sum(path.is_relative_to(folder) for path in beside))
    )


def default_sources() -> tuple[str, ...]:
    """The subject where nothing names one. Kept as text among what is known of code bases."""
    return texts(read_toml(_DEFAULT)["source"]) or ()


def _chosen(named: tuple[str, ...], configured: Configuration, folder: Path) -> tuple[tuple[str, ...], str]:
    if named:
        return tuple(anchored(name, folder) for name in named), "named by --source"
    if from_environment := _from_environment(folder):
        return from_environment, "named by FLOWMAP_SOURCE"
    if configured.sources:
        return configured.sources, f"from {configured.shown}"
    if packages := packages_of_project(folder):
        return tuple(shown_path(path) for path in packages), _OF_PROJECT
    return default_sources(), "the default, since nothing names another"


def _from_environment(folder: Path) -> tuple[str, ...]:
    """FLOWMAP_SOURCE holds one source, or several with commas between them."""
    text = os.environ.get("FLOWMAP_SOURCE", "").strip()
    names = [text] if os.path.exists(os.path.join(folder, text)) else text.split(",")
    return tuple(anchored(name.strip(), folder) for name in names if name.strip())
