"""Which subject is meant, and who said so."""

from __future__ import annotations

import os
from importlib.resources import files
from pathlib import Path

from flowmap.model.source import SubjectChoice
from flowmap.source.config import Configuration, find_configuration, read_toml, texts
from flowmap.source.names import anchored, shown_path
from flowmap.source.project import packages_of_project


def choose_subject(named: tuple[str, ...], excludes: tuple[str, ...], folder: Path) -> SubjectChoice:
    """Decide what is indexed: `--source`, FLOWMAP_SOURCE, the configuration, the project's package or the default, in this order.

    `named` and `excludes` are what the command line says, `folder` is where it was typed. The configuration's `exclude` and
    `link` belong to its own `source`: where other sources are named they do not apply.
    Errors: FlowmapError when the configuration is wrong.
    """
    configured = find_configuration(folder)
    sources, why = _chosen(named, configured, folder)
    if why.startswith("named") and configured.sources and set(sources) != set(configured.sources):
        return SubjectChoice(sources, excludes, why, "", configured.path)
    return SubjectChoice(sources, (*configured.excludes, *excludes), why, configured.link, configured.path)


def default_sources() -> tuple[str, ...]:
    """The subject where nothing names one. Kept as text among what is known of code bases."""
    path = Path(str(files("flowmap").joinpath("subject", "default.toml")))
    return texts(read_toml(path)["source"]) or ()


def _chosen(named: tuple[str, ...], configured: Configuration, folder: Path) -> tuple[tuple[str, ...], str]:
    if named:
        return tuple(anchored(name, folder) for name in named), "named by --source"
    if from_environment := _from_environment(folder):
        return from_environment, "named by FLOWMAP_SOURCE"
    if configured.sources:
        return configured.sources, f"from {configured.shown}"
    if packages := packages_of_project(folder):
        return tuple(shown_path(path) for path in packages), "the package of the current folder's project"
    return default_sources(), "the default, since nothing names another"


def _from_environment(folder: Path) -> tuple[str, ...]:
    """FLOWMAP_SOURCE holds one source, or several with commas between them."""
    text = os.environ.get("FLOWMAP_SOURCE", "").strip()
    names = [text] if os.path.exists(os.path.join(folder, text)) else text.split(",")
    return tuple(anchored(name.strip(), folder) for name in names if name.strip())
