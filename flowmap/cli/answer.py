"""Opens the index that is asked for, puts the question, and writes the answer in the format that is wanted."""

from __future__ import annotations

import dataclasses
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, assert_never

import click

from flowmap.cli.asked import Asked, Colour, Format, Voice
from flowmap.model.problem import FlowmapError
from flowmap.model.view import View
from flowmap.reports.phrases import Detail

if TYPE_CHECKING:
    from flowmap.model.source import SubjectChoice
    from flowmap.store.index import Index

_FALLBACK_WIDTH = 80
NOWHERE: Mapping[str, str] = {}


def chosen(asked: Asked) -> SubjectChoice:
    """The subject that the options, the environment or the configuration name."""
    from flowmap.source.resolve import choose_subject

    return choose_subject(asked.sources, asked.excludes, Path.cwd())


def opened(asked: Asked, choice: SubjectChoice) -> Index:
    """The index of a subject, made now if it is not there."""
    if asked.profile or asked.assumed:
        return _configured(asked, choice)
    return _ready(choice) or _made(asked, choice)


def answer(asked: Asked, report: Callable[[Index], View]) -> None:
    """Put a question to the index and write the answer; say which source it is about, beside a finding too."""
    choice = chosen(asked)
    ready = None if asked.profile or asked.assumed else _ready(choice)
    index = ready or opened(asked, choice)
    try:
        view = report(index)
    except FlowmapError:
        if index.configuration or (ready and not choice.is_named):  # else it has been said, or is known
            remark(asked, f"source: {index.source} ({choice.why})")
        raise
    write(asked, dataclasses.replace(view, source=f"{view.source} ({choice.why})"), choice.link, index.locations)


def _ready(choice: SubjectChoice) -> Index | None:
    from flowmap.warm import ready_index

    return ready_index(choice)


def _made(asked: Asked, choice: SubjectChoice) -> Index:
    """A new index. Whoever did not name the subject is told first which it is: fetching and indexing may take a minute."""
    from flowmap.cli.executor import executor_named
    from flowmap.cli.progress import progress_for
    from flowmap.gather import unseen
    from flowmap.kept import open_kept, open_subject
    from flowmap.pipeline import make_index  # loads the whole engine: only where an index has to be made
    from flowmap.source.cache_places import cache_folder

    if not choice.is_named:
        remark(asked, f"source: {', '.join(choice.sources)} ({choice.why})")
    with executor_named(asked.executor) as executor:
        progress = progress_for(asked.voice)
        found = open_subject(choice, progress)
        kept = open_kept(found)
        if kept is None and asked.detail is Detail.FULL:
            remark(asked, str(unseen(found.files)))
        made = kept or make_index(found, progress, executor)
    not_kept = [problem for problem in made.problems() if problem.where.startswith(str(cache_folder()))]
    remark(asked, *map(str, not_kept[-1:]))
    return made


def _configured(asked: Asked, choice: SubjectChoice) -> Index:
    """The index of a subject in the configuration that is asked for."""
    from flowmap.subject.profiles import configuration
    from flowmap.warm import ready_index

    wanted = configuration(asked.profile, asked.assumed, choice.config)
    index = ready_index(choice, wanted)
    if index is None:
        from flowmap.cli.progress import progress_for
        from flowmap.configured import open_configured

        index = open_configured(choice, wanted, progress_for(asked.voice))
    remark(asked, *(f"decides nothing: {one}" for one in index.meta.get("idle", "").splitlines()))
    return index


def write(asked: Asked, view: View, link: str = "", locations: Mapping[str, str] = NOWHERE) -> None:
    """Write a View to standard output. `locations` are those of the index: lines name a file as the current folder sees it."""
    match asked.format:
        case Format.TEXT:
            _write_text(asked, view, link)
        case Format.JSON:
            from flowmap.render.json import write_json

            write_json(view, sys.stdout)
        case Format.LINES:
            from flowmap.render.lines import write_lines

            write_lines(view, sys.stdout, from_here(locations))
            remark(asked, *view.notes, f"source: {view.source}")
        case _:
            assert_never(asked.format)


def from_here(locations: Mapping[str, str]) -> Mapping[str, str]:
    """The files below the current folder, each as it can be opened from there."""
    if not locations:
        return locations
    here = os.path.join(os.getcwd(), "")
    return {path: location.removeprefix(here) for path, location in locations.items() if location.startswith(here)}


def remark(asked: Asked, *texts: str) -> None:
    """Say something on standard error, beside an answer that programs read."""
    if asked.voice is Voice.NORMAL:
        from flowmap.render.untrusted import plain

        sys.stdout.flush()
        for line in (line for text in texts for line in text.split("\n")):
            click.echo(plain(line), err=True)


def _write_text(asked: Asked, view: View, link: str) -> None:
    """As text: plain in a pipe, which needs no rich and is there sooner."""
    columns = os.environ.get("COLUMNS", "")
    width = int(columns) if columns.isdecimal() and int(columns) > 0 else None
    if not (sys.stdout.isatty() or os.environ.get("FORCE_COLOR")):
        from flowmap.render.piped import write_piped

        write_piped(view, sys.stdout, width or _FALLBACK_WIDTH)
        return
    from flowmap.render.terminal import Page
    from flowmap.render.text import write_text

    colourless = True if asked.colour is Colour.NEVER or os.environ.get("NO_COLOR") else None
    write_text(view, Page(width=width, no_color=colourless, soft_wrap=True), link)
