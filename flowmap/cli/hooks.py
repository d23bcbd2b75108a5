"""`flowmap hooks`."""

from __future__ import annotations

import dataclasses
import io
from enum import StrEnum
from typing import TYPE_CHECKING, assert_never

import click

from flowmap.cli.answer import chosen, opened, remark, write
from flowmap.cli.asked import NAME, Asked, Format, takes_options_besides_format
from flowmap.cli.commands import Command
from flowmap.cli.output import OutputFile, write_rows

if TYPE_CHECKING:
    from pathlib import Path

    from flowmap.model.hooks import HookQuestion
    from flowmap.model.source import SubjectChoice
    from flowmap.model.view import View

_WIDTH = 120


class _Form(StrEnum):
    """The formats of a report about hooks."""

    TEXT = "text"
    MARKDOWN = "md"
    HTML = "html"
    JSON = "json"
    LINES = "lines"


@click.command(cls=Command)
@click.argument("name", type=NAME, metavar="[FILE|NAME]", required=False)
@click.option(
    "--bypass", multiple=True, type=NAME, metavar="NAME", help="What is to be bypassed, in place of a file. Repeatable."
)
@click.option("--entry", "entries", multiple=True, type=NAME, metavar="NAME", help="From where it is reached. Repeatable.")
@click.option("--profile", "profiles", multiple=True, metavar="NAME", help="Answer for this configuration. Repeatable.")
@click.option("--list", "is_list", is_flag=True, help="The questions that have names.")
@click.option("--format", "form", type=click.Choice([each.value for each in _Form]), default=_Form.TEXT.value, show_default=True)
@click.option("-o", "--output", type=OutputFile(), metavar="FILE", help="Where to write; default: standard output.")
@takes_options_besides_format
def hooks(
    asked: Asked,
    name: str | None,
    *,
    bypass: tuple[str, ...],
    entries: tuple[str, ...],
    profiles: tuple[str, ...],
    is_list: bool,
    form: str,
    output: str | None,
) -> None:
    """Where something can be bypassed: every place, what it would owe, and what speaks for and against it.

    NAME is a question in `queries/hooks/`, shipped or yours, which says what is to be bypassed and under which profiles; FILE is
    one of your own. Each point of a verdict names its criterion and the places that show it.

    \b
    Examples:
      flowmap hooks adaptive-disable
      flowmap hooks adaptive-disable --profile NAME --format json
      flowmap hooks --bypass Worker.draft --entry Scheduler.loop
      flowmap hooks my-question.toml --format md -o report.md
    """
    choice = chosen(asked)
    if is_list:
        _list(choice)
        return
    question = _question(name, bypass, entries, choice.config)
    view = _view(asked, choice, question, profiles)
    _write(asked, view, _Form(form), output, choice)


def _list(choice: SubjectChoice) -> None:
    from flowmap.hooks.read import read_question
    from flowmap.query.files import HOOKS, files_on

    for name, file in files_on(HOOKS, choice.config).items():
        click.echo(f"{name}  {read_question(file).question}")


def _question(name: str | None, bypass: tuple[str, ...], entries: tuple[str, ...], config: Path | None) -> HookQuestion:
    from flowmap.hooks.read import question_file, question_of, read_question

    if (name is None) == (not bypass):
        raise click.UsageError("Name a question, or say what is to be bypassed: --bypass NAME.")
    return question_of(bypass, entries) if name is None else read_question(question_file(name, config))


def _view(asked: Asked, choice: SubjectChoice, question: HookQuestion, profiles: tuple[str, ...]) -> View:
    from flowmap.reports.hooks import answered
    from flowmap.reports.hooks import hooks as report

    whole = opened(asked, choice)
    answers = answered(question, whole, lambda profile: opened(dataclasses.replace(asked, profile=profile), choice), profiles)
    return report(question, answers, f"{whole.source} ({choice.why})", asked.detail)


def _write(asked: Asked, view: View, form: _Form, output: str | None, choice: SubjectChoice) -> None:
    match form:
        case _Form.TEXT if output is None:
            write(asked, view, choice.link)
        case _Form.LINES if output is None:
            write(dataclasses.replace(asked, format=Format.LINES), view, choice.link)
        case _Form.TEXT | _Form.LINES | _Form.MARKDOWN | _Form.HTML | _Form.JSON:
            write_rows(output, _text(view, form, choice.link).splitlines())
            remark(asked, *view.notes)
        case _:
            assert_never(form)


def _text(view: View, form: _Form, link: str) -> str:
    from flowmap.render.document import write_document
    from flowmap.render.json import write_record
    from flowmap.render.lines import write_lines
    from flowmap.render.markdown import Links, write_markdown
    from flowmap.render.piped import write_piped

    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="\n")
    match form:
        case _Form.JSON:
            write_record(view, stream)
        case _Form.MARKDOWN:
            write_markdown(view, stream, Links(link))
        case _Form.HTML:
            write_document(view, stream, link)
        case _Form.LINES:
            write_lines(view, stream)
        case _Form.TEXT:
            write_piped(view, stream, _WIDTH)
        case _:
            assert_never(form)
    stream.seek(0)
    return stream.read()
