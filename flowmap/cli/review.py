"""`flowmap review`."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import click

from flowmap.cli.answer import chosen, write
from flowmap.cli.asked import NAME, Asked, Format, takes_configuration, takes_options_besides_format
from flowmap.cli.commands import Command
from flowmap.cli.contracts import those_about, wanted_contracts
from flowmap.cli.diff import MOST_LINES, DiffFormat, both_opened, write_as_comment
from flowmap.model.problem import ExitCode, FlowmapError, Problem
from flowmap.model.program import Confidence

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from flowmap.model.change import Diff
    from flowmap.model.hooks import HookQuestion
    from flowmap.model.query import Query
    from flowmap.model.review import HookTurn
    from flowmap.query.release import Release
    from flowmap.store.index import Index


@click.command(cls=Command)
@click.argument("names", type=NAME, nargs=-1, metavar="[FILE|NAME]...")
@click.option("--base", required=True, metavar="REV|SOURCE", type=NAME, help="What the change began from.")
@click.option("--head", metavar="REV|SOURCE", type=NAME, help="What it led to. Default: the folder as it is.")
@click.option("--watch", "fields", multiple=True, metavar="FIELD", type=NAME, help="A field to be watched, too. Repeatable.")
@click.option(
    "--most", type=click.IntRange(min=1), default=MOST_LINES, show_default=True, metavar="N", help="Lines of each sort."
)
@click.option(
    "--format",
    "form",
    type=click.Choice([each.value for each in DiffFormat]),
    default=DiffFormat.TEXT.value,
    show_default=True,
    help="`md` is a comment on the change, with long lists folded.",
)
@takes_options_besides_format
@takes_configuration
def review(
    asked: Asked, names: tuple[str, ...], *, base: str, head: str | None, fields: tuple[str, ...], most: int, form: str
) -> int:
    """What a change does to what somebody leans on: contracts that break or hold now, watched fields, hook points.

    FILE and NAME are contracts, as for `check`; without one, all that are about the source. Watched are the fields of --watch and
    of the queries, contracts and questions about hooks that are about the source. Exit code 1 where a contract breaks.

    \b
    Examples:
      flowmap review --base main
      flowmap review --base v1.4 --head v1.5 --format md
      flowmap review my-patch --base main --watch Request.length
    """
    from flowmap.diff.diff import diff
    from flowmap.diff.unread import unread_files
    from flowmap.model.review import Review
    from flowmap.query.release import release_of
    from flowmap.reports.diff import names_of
    from flowmap.reports.review import breaks, review_sections, summary
    from flowmap.reports.review import review as report
    from flowmap.review.contracts import contract_turns
    from flowmap.review.fields import watched, watched_by

    choice = chosen(asked)
    wanted = wanted_contracts(names, choice.config)
    before, after = both_opened(asked, choice, (base, head))
    _check_fields(fields, (after, before))
    told, release = diff(before, after), release_of(after.source)
    files = those_about(after, wanted)
    questions, unread = _questions(choice.config, release)
    queries, unread_too = _queries(choice.config, release)
    watching = watched_by(fields, queries, files, questions)
    hooks, left_out = _hooks(before, after, questions, told)
    n_contracts = sum(len(file.contracts) for file in files)
    found = Review(
        diff=told,
        contracts=contract_turns(before, after, files, told),
        fields=watched(told, watching),
        hooks=hooks,
        asked=(n_contracts, len(watching), len(questions)),
        left_out=(*unread_files(before, after), *unread, *unread_too, *left_out),
    )
    shown = names_of(before, after)
    view = report(found, shown, most)
    if DiffFormat(form) is DiffFormat.MD:
        write_as_comment(view, summary(found), review_sections(found, shown, most), choice.link)
    else:
        write(dataclasses.replace(asked, format=Format(form)), view, choice.link, after.locations)
    return ExitCode.FINDING if breaks(found) else ExitCode.DONE


def _check_fields(names: Sequence[str], states: tuple[Index, Index]) -> None:
    """Errors: FlowmapError with each field that the user names and neither state has: it would be watched in vain."""
    wrong = [[problem for index in states for problem in _unknown(index, name)] for name in names]
    missing = [problems[0] for problems in wrong if len(problems) == len(states)]
    if missing:
        raise FlowmapError(*missing)


def _unknown(index: Index, field: str) -> tuple[Problem, ...]:
    """Why a state has no such field; nothing where it has one, or several classes of that name."""
    from flowmap.reports.fields import accesses_asked, asked_field

    try:
        accesses_asked(index, [asked_field(index, field, None)], Confidence.POSSIBLE)
    except FlowmapError as error:
        return error.problems[:1] if error.code is ExitCode.FINDING else ()
    return ()


def _is_asked(about: str, release: Release | None) -> bool:
    """Whether a question is about the source: of a folder only one that is about any."""
    from flowmap.query.release import is_of_another

    return not about or (release is not None and not is_of_another(about, release))


def _queries(config: Path | None, release: Release | None) -> tuple[list[Query], list[str]]:
    """The queries that are about the source, and what is wrong with the files of others."""
    from flowmap.query.files import QUERIES, files_on
    from flowmap.query.read import read_files

    read = read_files(files_on(QUERIES, config).values())
    queries = [one.query for one in read if one.query and _is_asked(one.query.about, release)]
    return queries, [str(problem) for one in read for problem in one.problems]


def _questions(config: Path | None, release: Release | None) -> tuple[list[HookQuestion], list[str]]:
    """The questions about hooks that are about the source, and what is wrong with the files of others."""
    from flowmap.hooks.read import read_question
    from flowmap.query.files import HOOKS, files_on

    questions: list[HookQuestion] = []
    problems: list[str] = []
    for file in files_on(HOOKS, config).values():
        try:
            questions.append(read_question(file))
        except FlowmapError as error:
            problems += map(str, error.problems)
    return [question for question in questions if _is_asked(question.about, release)], problems


def _hooks(
    before: Index, after: Index, questions: Sequence[HookQuestion], told: Diff
) -> tuple[tuple[HookTurn, ...], tuple[str, ...]]:
    """The hook points that are others, and the questions that cannot be asked any more, with why."""
    from flowmap.review.hooks import hook_turns

    found: list[HookTurn] = []
    left_out: list[str] = []
    for question in questions:
        try:
            found += hook_turns(before, after, question, told)
        except FlowmapError as error:
            left_out += [f"hooks {question.name}: {problem.what}" for problem in error.problems]
    return tuple(found), tuple(left_out)
