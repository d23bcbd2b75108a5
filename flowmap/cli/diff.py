"""`flowmap diff` and `flowmap review`."""

from __future__ import annotations

import dataclasses
import os
import sys
from enum import StrEnum
from typing import TYPE_CHECKING

import click

from flowmap.cli.answer import chosen, opened, write
from flowmap.cli.asked import NAME, Asked, Format, takes_configuration, takes_options_besides_format
from flowmap.cli.commands import Command
from flowmap.model.problem import FlowmapError, Problem

if TYPE_CHECKING:
    from flowmap.model.source import SubjectChoice
    from flowmap.model.view import Section, View
    from flowmap.store.index import Index

MOST_LINES = 20


class DiffFormat(StrEnum):
    """The formats of a difference: those of every command, and a comment on a change."""

    TEXT = "text"
    JSON = "json"
    LINES = "lines"
    MD = "md"


@click.command(cls=Command)
@click.argument("first", type=NAME, metavar="REV|SOURCE")
@click.argument("second", type=NAME, required=False, metavar="[REV|SOURCE]")
@click.option(
    "--most", type=click.IntRange(min=1), default=MOST_LINES, show_default=True, metavar="N", help="Lines of each sort."
)
@click.option(
    "--format",
    "form",
    type=click.Choice([each.value for each in DiffFormat]),
    default=DiffFormat.TEXT.value,
    show_default=True,
    help="`md` is a comment on the change, with long lists folded; `json` has everything.",
)
@takes_options_besides_format
@takes_configuration
def diff(asked: Asked, first: str, second: str | None, *, most: int, form: str) -> None:
    """What of calls, guards, class orders and accesses of fields is different in the second state; what moved is told once.

    A state is a source, or a git revision of the folder that is the source here. Without the second one: the folder as it is.

    \b
    Examples:
      flowmap diff main                        what the work tree changes
      flowmap diff v1.4 v1.5 --format md
      flowmap diff pypi:NAME==1.4 pypi:NAME==1.5
    """
    from flowmap.diff.diff import diff as compared
    from flowmap.diff.unread import unread_files
    from flowmap.reports.diff import diff as report
    from flowmap.reports.diff import names_of, sections, summary

    choice = chosen(asked)
    before, after = both_opened(asked, choice, (first, second))
    told, names = compared(before, after), names_of(before, after)
    view = report(told, names, most)
    view = dataclasses.replace(view, notes=(*unread_files(before, after), *view.notes))
    form_wanted = DiffFormat(form)
    if form_wanted is DiffFormat.MD:
        write_as_comment(view, summary(told), sections(told, names, most), choice.link)
    else:
        write(dataclasses.replace(asked, format=Format(form_wanted.value)), view, choice.link, after.locations)


def both_opened(asked: Asked, choice: SubjectChoice, named: tuple[str, str | None]) -> tuple[Index, Index]:
    """The indexes of two states. Where the one cannot be had the other is only looked for: nothing is indexed in vain.

    Errors: FlowmapError with what is wrong with either of them.
    """
    from flowmap.kept import open_subject
    from flowmap.model.progress import SilentProgress

    meant: list[SubjectChoice] = []
    found: list[Index] = []
    problems: list[Problem] = []
    for name in named:
        try:
            meant.append(choice if name is None else state_named(choice, name))
        except FlowmapError as error:
            problems += error.problems
    for one in meant:
        try:
            if problems:
                open_subject(one, SilentProgress())
            else:
                found.append(opened(asked, one))
        except FlowmapError as error:
            problems += error.problems
    if problems:
        raise FlowmapError(*dict.fromkeys(problems))
    return found[0], found[1]


def state_named(choice: SubjectChoice, name: str) -> SubjectChoice:
    """A source where the name is that of one, else a git revision of the folders that are the subject.

    Errors: FlowmapError when the subject is no folder, so that it has no revisions.
    """
    if name.startswith(("pypi:", "dist:", "git:")) or os.path.exists(name):
        return dataclasses.replace(choice, sources=(name,), is_named=True, beside=())
    folders = [source for source in choice.sources if os.path.isdir(source)]
    if len(folders) < len(choice.sources):
        what = f"is no source, and {', '.join(choice.sources)} is no folder that could have revisions"
        raise FlowmapError(Problem(name, what, "Name a source, as git:FOLDER@REV or pypi:NAME==VERSION."))
    return dataclasses.replace(choice, sources=tuple(f"git:{folder}@{name}" for folder in folders), is_named=True, beside=())


def write_as_comment(view: View, summary: str, sections: tuple[Section, ...], link: str) -> None:
    """Write a comment on a change to standard output."""
    from flowmap.render.comment import write_comment
    from flowmap.render.markdown import Links

    write_comment(view, summary, sections, sys.stdout, Links(link))
