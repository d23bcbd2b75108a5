"""`flowmap drift`: a name followed from release to release."""

from __future__ import annotations

import dataclasses
import sys
from enum import StrEnum
from typing import TYPE_CHECKING

import click

from flowmap.cli.answer import chosen, remark, write
from flowmap.cli.asked import NAME, Asked, Format, takes_options_besides_format
from flowmap.cli.commands import Command
from flowmap.model.problem import ExitCode, FlowmapError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from flowmap.model.assumption import Configuration
    from flowmap.model.hooks import HookQuestion
    from flowmap.model.source import SubjectChoice
    from flowmap.model.view import View
    from flowmap.query.files import QueryFile, Shelf
    from flowmap.reports.drift_contracts import Contracts
    from flowmap.reports.drift_hooks import HooksIn
    from flowmap.store.index import Index

    IndexOf = Callable[[Asked, str], Index | None]
    Opener = Callable[[Asked, str, str], Index | None]


class _Form(StrEnum):
    """How the answer is written."""

    TEXT = "text"
    MARKDOWN = "md"
    HTML = "html"
    JSON = "json"
    LINES = "lines"


@click.command(cls=Command)
@click.argument("name", type=NAME, metavar="NAME|QUERY|CONTRACTS")
@click.option(
    "--across",
    "spans",
    multiple=True,
    required=True,
    metavar="SPAN",
    help="A..B: all releases from A to B. Or versions and sources with commas between them. Repeatable.",
)
@click.option(
    "--every", default=1, show_default=True, type=click.IntRange(1), metavar="N", help="Of A..B each Nth, and both ends."
)
@click.option(
    "--check", "is_checking", is_flag=True, help="Of CONTRACTS: index the releases that have no index, and check them all."
)
@click.option(
    "--hook-points",
    "is_hooking",
    is_flag=True,
    help="NAME is a question about hooks: what is a hook point in which release that has an index; with --check in all.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice([each.value for each in _Form]),
    default=_Form.TEXT.value,
    show_default=True,
    help="`md` is Markdown, `html` a page that needs nothing else, `lines` is file:line:col: what.",
)
@takes_options_besides_format
def drift(asked: Asked, name: str, *, spans: tuple[str, ...], every: int, is_checking: bool, is_hooking: bool, form: str) -> int:
    """Where NAME is in each of several releases: what was moved, renamed, changed or removed, and in which.

    NAME is a function, method, class or field; it is followed through moves and renames both ways, so any of its names will do.
    Of a QUERY, all that it names is followed; of a file of CONTRACTS, too, with the releases in which each of them holds.
    Releases that are not in the cache are fetched; each is read once, without being solved. The exit code is 1 when a release
    could not be had.

    \b
    Examples:
      flowmap drift Worker.run --across 1.0..2.3
      flowmap drift Worker.run --across 1.0..2.3 --every 3
      flowmap drift event-loop --across 1.0,1.4,2.3
      flowmap drift Worker.run --across ./before,./after --format md
      flowmap drift Result.tokens --across pypi:NAME==1.0..2.3
      flowmap drift my-question --hook-points --across 1.0..2.3 --check
    """
    from flowmap.cli.progress import progress_for
    from flowmap.releases import compared
    from flowmap.reports.drift import DriftQuestion
    from flowmap.reports.drift import drift as report
    from flowmap.reports.drift_subjects import subject_named, subjects_of
    from flowmap.source.across import across, project_of

    choice = chosen(asked)
    asked_of = _hook_question(name, choice.config) if is_hooking else _question(name, choice.config)
    subjects = subject_named(name) if asked_of == name else subjects_of(asked_of)
    found = across(spans, project_of(choice.sources), every)
    remark(asked, *found.notes)
    with compared(found.sources, asked.excludes, progress_for(asked.voice)) as releases:
        problems = (*found.problems, *releases.problems)
        held = _contracts(asked, asked_of, releases.labels, _any_index if is_checking else _kept_index)
        hooks = (
            _hooks(asked, asked_of, releases.labels, _opener(choice.config, _made if is_checking else _ready))
            if is_hooking
            else ()
        )
        question = DriftQuestion(name, subjects, releases.labels, found.notes, problems, asked.detail, held, hooks)
        view = report(releases.line, question)
    _write(asked, view, _Form(form))
    return int(ExitCode.FINDING if problems else ExitCode.DONE)


def _question(name: str, config: Path | None) -> object:
    """The question of whichever sort that has this name or file; the name itself where none has."""
    from flowmap.contracts.read import read_contracts
    from flowmap.hooks.read import read_question
    from flowmap.query.files import CONTRACTS, HOOKS, QUERIES, file_on, files_on
    from flowmap.query.page import Page, toml_in
    from flowmap.query.read import read_query

    readers: dict[Shelf, Callable[[QueryFile], object]] = {CONTRACTS: read_contracts, HOOKS: read_question, QUERIES: read_query}
    if name.endswith(".toml"):
        file = file_on(QUERIES, name, config)
        keys = toml_in(file, Page(file.shown))
        shelf = CONTRACTS if "contract" in keys else HOOKS if "bypass" in keys else QUERIES
        return readers[shelf](file)
    shelves = [shelf for shelf in readers if name in files_on(shelf, config)]
    return readers[shelves[0]](file_on(shelves[0], name, config)) if shelves else name


def _contracts(asked: Asked, question: object, labels: Sequence[str], index_of: IndexOf) -> Contracts | None:
    """How the contracts of a file fare in each release that has an index."""
    from flowmap.contracts.check import check_contracts
    from flowmap.model.contract import ContractFile
    from flowmap.reports.drift_contracts import Contracts, Held

    if not isinstance(question, ContractFile):
        return None
    held = []
    for label in labels:
        index = index_of(asked, label)
        held.append(Held(label, None if index is None else check_contracts(index, question)))
    return Contracts(question, tuple(held))


def _hook_question(name: str, config: Path | None) -> HookQuestion:
    """The question about hooks of that name or file. Errors: FlowmapError when there is none, or something is wrong in it."""
    from flowmap.hooks.read import question_file, read_question

    return read_question(question_file(name, config))


def _hooks(asked: Asked, question: object, labels: Sequence[str], opener: Opener) -> tuple[HooksIn, ...]:
    """The hook points of each release that has an index of each configuration."""
    from flowmap.hooks.answer import hook_points
    from flowmap.model.hooks import HookQuestion
    from flowmap.reports.drift_hooks import HooksIn

    assert isinstance(question, HookQuestion), "no other is read for --hook-points"
    found = []
    for label in labels:
        try:
            indexes = [opener(asked, label, profile) for profile in ("", *question.profiles)]
            whole, *configured = indexes
            if whole is None or None in configured:
                found.append(HooksIn(label, None))
                continue
            asked_in = [each for each in configured if each] or [whole]
            found.append(HooksIn(label, tuple(hook_points(index, whole, question) for index in asked_in)))
            for index in indexes:
                index.close() if index else None
        except FlowmapError as error:
            found.append(HooksIn(label, None, str(error.problems[0])))
    return tuple(found)


def _opener(config: Path | None, open_under: Callable[[Asked, str, Configuration], Index | None]) -> Opener:
    """What opens the index of a release under a profile; "" is none."""
    from flowmap.subject.profiles import configuration

    return lambda asked, source, profile: open_under(asked, source, configuration(profile, (), config))


def _ready(asked: Asked, source: str, wanted: Configuration) -> Index | None:
    """The index of a release that was made before."""
    from flowmap.warm import ready_index

    return ready_index(_choice(asked, source), wanted)


def _made(asked: Asked, source: str, wanted: Configuration) -> Index | None:
    """The same, made now where it was not made before."""
    from flowmap.cli.progress import progress_for
    from flowmap.configured import open_configured

    if not wanted.assumptions:
        return _any_index(asked, source)
    return _ready(asked, source, wanted) or open_configured(_choice(asked, source), wanted, progress_for(asked.voice))


def _kept_index(asked: Asked, source: str) -> Index | None:
    """The index of a release that was made before."""
    from flowmap.warm import ready_index

    return ready_index(_choice(asked, source))


def _any_index(asked: Asked, source: str) -> Index | None:
    """The index of a release, made now where it was not made before."""
    from flowmap.cli.progress import progress_for
    from flowmap.pipeline import open_index

    return _kept_index(asked, source) or open_index(_choice(asked, source), progress_for(asked.voice))


def _choice(asked: Asked, source: str) -> SubjectChoice:
    from flowmap.model.source import SubjectChoice

    return SubjectChoice((source,), asked.excludes, "named by --across", is_named=True)


def _write(asked: Asked, view: View, form: _Form) -> None:
    if form is _Form.MARKDOWN:
        from flowmap.render.markdown import Links, write_markdown

        write_markdown(view, sys.stdout, Links())
        return
    if form is _Form.HTML:
        from flowmap.render.document import write_document

        write_document(view, sys.stdout, "")
        return
    write(dataclasses.replace(asked, format=Format(form.value)), view)
