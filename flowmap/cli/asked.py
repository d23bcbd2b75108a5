"""What every command takes besides its own arguments: the sources, the format, how much is said."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import click

from flowmap.model.program import Confidence
from flowmap.reports.phrases import Detail


class Format(StrEnum):
    """How an answer is written."""

    TEXT = "text"
    JSON = "json"
    LINES = "lines"


class Voice(StrEnum):
    """Whether progress and remarks are told on standard error."""

    NORMAL = "normal"
    QUIET = "quiet"


class Colour(StrEnum):
    """Whether a terminal gets colours. NO_COLOR in the environment says the same as NEVER."""

    AUTO = "auto"
    NEVER = "never"


@dataclass(frozen=True, slots=True)
class Asked:
    """The options that all commands share."""

    sources: tuple[str, ...]
    excludes: tuple[str, ...]
    format: Format
    voice: Voice
    colour: Colour
    detail: Detail
    profile: str = ""
    assumed: tuple[str, ...] = ()
    executor: str = ""  # where the facts of files are extracted; "" for this machine


class _Name(click.ParamType[str]):
    """What a command is asked about: any text that is not blank."""

    name = "name"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The text. Errors: BadParameter when it is blank."""
        if not value.strip():
            self.fail("it is empty; give a name, a file, or FILE:LINE.", param, ctx)
        return value


NAME = _Name()
_Command = Callable[..., Any]
_FORMAT = click.option(
    "--format",
    "form",
    type=click.Choice([each.value for each in Format]),
    default=Format.TEXT.value,
    show_default=True,
    help="`lines` is file:line:col: what, for editors and grep.",
)
_OPTIONS = (
    click.option(
        "--source",
        "sources",
        multiple=True,
        metavar="SOURCE",
        help="What to ask about: a directory, an archive, pypi:NAME==VERSION, dist:NAME, git:PATH@REV. Repeatable.",
    ),
    click.option("--exclude", "excludes", multiple=True, metavar="GLOB", help="Leave these files out of the index. Repeatable."),
    _FORMAT,
    click.option(
        "--no-color",
        "colour",
        flag_value=Colour.NEVER.value,
        default=Colour.AUTO.value,
        help="No colours; NO_COLOR=1 says the same.",
    ),
    click.option(
        "-q",
        "--quiet",
        "voice",
        flag_value=Voice.QUIET.value,
        default=Voice.NORMAL.value,
        help="No progress and no remarks on standard error.",
    ),
    click.option(
        "-v",
        "--verbose",
        "detail",
        flag_value=Detail.FULL.name,
        default=Detail.BRIEF.name,
        help="Everything: evidence, and what is only counted otherwise.",
    ),
)


def takes_common_options(command: _Command) -> _Command:
    """Add the shared options to a command, which gets them as one `Asked` in front of its own arguments."""

    @functools.wraps(command)
    def taking(
        *arguments: Any,
        sources: tuple[str, ...],
        excludes: tuple[str, ...],
        form: str,
        voice: str,
        colour: str,
        detail: str,
        **own: Any,
    ) -> Any:
        asked = Asked(sources, excludes, Format(form), Voice(voice), Colour(colour), Detail[detail])
        return command(asked, *arguments, **own)

    for option in reversed(_OPTIONS):
        taking = option(taking)
    return taking


def takes_options_besides_format(command: _Command) -> _Command:
    """The shared options for a command that has a `--format` of its own: what its `Asked` says of the format is TEXT."""

    @functools.wraps(command)
    def taking(
        *arguments: Any,
        sources: tuple[str, ...],
        excludes: tuple[str, ...],
        colour: str,
        voice: str,
        detail: str,
        **own: Any,
    ) -> Any:
        asked = Asked(sources, excludes, Format.TEXT, Voice(voice), Colour(colour), Detail[detail])
        return command(asked, *arguments, **own)

    for option in reversed([each for each in _OPTIONS if each is not _FORMAT]):
        taking = option(taking)
    return taking


def takes_confidence(command: _Command) -> _Command:
    """Add `--confidence`; the command gets its text."""
    texts = [each.value for each in Confidence]
    help_text = "The weakest answers to show. `possible` is for what is weaker than inferred: accesses whose receiver is unknown."
    return click.option("--confidence", type=click.Choice(texts), default="inferred", show_default=True, help=help_text)(command)


def takes_configuration(command: _Command) -> _Command:
    """Add `--profile` and `--assume`, which the command finds in its `Asked`. Stands below `takes_common_options`."""

    @functools.wraps(command)
    def taking(asked: Asked, *arguments: Any, profile: str, assumed: tuple[str, ...], **own: Any) -> Any:
        return command(dataclasses.replace(asked, profile=profile, assumed=assumed), *arguments, **own)

    help_profile = "Answer for this configuration: one that is shipped, or of `profiles/` beside flowmap.toml."
    help_assume = "Answer for where this holds, as Class.field=VALUE or function()=VALUE. Repeatable."
    taking = click.option("--assume", "assumed", multiple=True, metavar="EXPR=VALUE", help=help_assume)(taking)
    return click.option("--profile", default="", metavar="NAME", help=help_profile)(taking)
