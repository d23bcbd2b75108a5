"""The manual's page about the command line is made from the code; `make goldens` writes it anew."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from flowmap.cli.asked import takes_common_options
from flowmap.cli.main import flowmap

pytestmark = pytest.mark.golden
PAGE = Path(__file__).parents[2] / "docs" / "reference" / "cli.md"
HEAD = """# The command line

This page is made from the code (`make goldens`); `flowmap COMMAND --help` says the same.

Exit codes: 0 done; 1 a finding (the name is not there, no path leads, something is to be fixed); 2 the question could not be
asked (usage, a source that cannot be opened, an ambiguous name); 130 interrupted. Answers go to standard output, progress and
remarks to standard error.
"""


def page() -> str:
    """The whole page."""
    context = click.Context(flowmap, info_name="flowmap")
    shared = [f"`{name}`" for parameter in common().params if (name := primary(parameter))]
    parts = [HEAD, "## Options of every command\n", *options(common().params), f"Below, {', '.join(shared)} are left out.\n"]
    parts += [part for name in flowmap.list_commands(context) for part in section(flowmap, name, context)]
    return "\n".join(parts)


def common() -> click.Command:
    """A command that has the shared options alone."""

    @click.command()
    @takes_common_options
    def nothing(asked: object) -> None:
        """Does nothing."""

    return nothing


def section(group: click.Group, name: str, above: click.Context) -> Iterator[str]:
    """What is said of one command, and below it of those of a group."""
    command = group.get_command(above, name)
    assert command is not None
    context = click.Context(command, info_name=name, parent=above)
    yield f"## {context.command_path}\n"
    yield f"```text\n{command.get_usage(context).removeprefix('Usage: ')}\n```\n"
    yield prose(inspect.cleandoc(command.help or ""))
    shared = {parameter.name for parameter in common().params}
    yield from options([each for each in command.params if each.name not in shared])
    if isinstance(command, click.Group):
        for below in command.list_commands(context):
            yield from section(command, below, context)


def prose(text: str) -> str:
    """A command's help with its examples as code."""
    said, _, examples = text.partition("\b\n")
    title, _, lines = examples.partition("\n")
    block = f"{title}\n\n```console\n{inspect.cleandoc(lines)}\n```\n" if examples else ""
    return f"{said.strip()}\n\n{block}"


def options(parameters: list[click.Parameter]) -> Iterator[str]:
    """A table of options; nothing where there are none."""
    rows = [each for each in parameters if isinstance(each, click.Option)]
    if rows:
        yield "| option | what it does |\n|---|---|"
        yield from (f"| `{' '.join([*each.opts, value(each)]).strip()}` | {meaning(each)} |" for each in rows)
        yield ""


def primary(parameter: click.Parameter) -> str:
    """The longest name of an option."""
    return max(parameter.opts, key=len)


def value(option: click.Option) -> str:
    """What is written behind an option."""
    if isinstance(option.type, click.Choice):
        return "\\|".join(map(str, option.type.choices))
    return option.metavar or ""


def meaning(option: click.Option) -> str:
    """An option's help, and what holds without it."""
    default = f" Default: `{option.default}`." if option.show_default else ""
    return f"{' '.join((option.help or '').split())}{default}"


def test_the_page_is_what_the_code_says(request: pytest.FixtureRequest) -> None:
    """Nothing is told of a command that it does not do, and nothing is left out."""
    text = page()
    if request.config.getoption("--rewrite-goldens"):
        PAGE.write_text(text, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == text, "see how with: make goldens && git diff docs"


def test_every_command_has_its_section() -> None:
    """From the first to the last."""
    context = click.Context(flowmap)
    assert all(f"## flowmap {name}\n" in page() for name in flowmap.list_commands(context))
