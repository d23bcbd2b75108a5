"""`flowmap docs`."""

from __future__ import annotations

import dataclasses
import os
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import click

from flowmap.cli.answer import chosen, opened, write
from flowmap.cli.asked import Asked, takes_common_options
from flowmap.cli.commands import Command
from flowmap.model.problem import FlowmapError, Problem

if TYPE_CHECKING:
    from flowmap.atlas.slice import Slice
    from flowmap.model.source import SubjectChoice
    from flowmap.model.view import View
    from flowmap.query.atlas import DriftPlan
    from flowmap.store.index import Index

_NEEDED = ("sphinx", "furo", "myst_parser")


@click.command(cls=Command)
@click.argument("named", nargs=-1, metavar="[SOURCE]...")
@click.option(
    "-o", "--output", "folder", required=True, type=click.Path(file_okay=False), metavar="DIR", help="The folder of the site."
)
@click.option(
    "--atlas", "plan", default="", metavar="NAME|FILE", help="What the site is about: one that is shipped, or a file of yours."
)
@click.option(
    "-j", "--jobs", "n_jobs", type=click.IntRange(min=1), default=1, show_default=True, help="Processes that write pages."
)
@takes_common_options
def docs(asked: Asked, named: tuple[str, ...], folder: str, plan: str, n_jobs: int) -> None:
    """Make a site of a slice of a code base: a page for each function, class, field and query, and the source, annotated.

    Where no --atlas is named, it is the one about the project that is asked about; else where the program is entered, and what is
    called most. Nothing of the site is loaded from elsewhere: open DIR/index.html.

    \b
    Examples:
      flowmap docs -o site                       the subject that the project or its configuration names
      flowmap docs pypi:NAME==VERSION -o site    a release
      flowmap docs -o site --atlas my-atlas      what queries/atlas/my-atlas.toml beside flowmap.toml says
    """
    _check_installed()
    from flowmap.atlas.build import Site, build_atlas, check_folder
    from flowmap.atlas.counted import counted_view
    from flowmap.cli.progress import progress_for

    check_folder(Path(folder))
    asked = dataclasses.replace(asked, sources=(*named, *asked.sources))
    choice = chosen(asked)
    index = opened(asked, choice)
    slice_ = _slice(asked, index, plan, choice)
    counted = build_atlas(index, slice_, Site(Path(folder), n_jobs), progress_for(asked.voice))
    view = counted_view(index, counted, os.path.join(folder, "index.html"))
    write(asked, dataclasses.replace(view, source=f"{view.source} ({choice.why})"))


def _check_installed() -> None:
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        what = f"needs {', '.join(missing)}, which is not installed"
        raise FlowmapError(Problem("flowmap docs", what, "pip install 'flowmap-py[docs]'"))


def _slice(asked: Asked, index: Index, plan: str, choice: SubjectChoice) -> Slice:
    from flowmap.atlas.slice import planned, unplanned, with_emissions
    from flowmap.cli.emit import emission_shown
    from flowmap.query.atlas import atlas_about, atlas_named
    from flowmap.query.release import release_of

    found = atlas_named(plan, choice.config) if plan else atlas_about(release_of(index.source), choice.config)
    if found is None:
        return unplanned(index)
    emissions = [emission_shown(asked, choice, name, index) for name in found.emits]
    slice_ = with_emissions(index, planned(index, found, choice.config), emissions)
    return dataclasses.replace(slice_, histories=_histories(asked, found.drift, choice)) if found.drift else slice_


def _histories(asked: Asked, plan: DriftPlan, choice: SubjectChoice) -> tuple[View, ...]:
    """Names of a plan, followed through its releases. Errors: FlowmapError when no release can be had, or none has a name."""
    from flowmap.cli.progress import progress_for
    from flowmap.releases import compared
    from flowmap.reports.drift import DriftQuestion, drift
    from flowmap.reports.drift_subjects import subject_named
    from flowmap.source.across import across, project_of

    found = across(plan.across, project_of(choice.sources), plan.every)
    with compared(found.sources, asked.excludes, progress_for(asked.voice)) as releases:
        problems = (*found.problems, *releases.problems)
        questions = [
            DriftQuestion(name, subject_named(name), releases.labels, found.notes, problems, asked.detail) for name in plan.names
        ]
        return tuple(drift(releases.line, question) for question in questions)
