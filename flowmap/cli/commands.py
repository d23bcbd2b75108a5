"""Commands and groups whose help rich-click writes; it is loaded only when help or a usage line is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import click

if TYPE_CHECKING:
    from rich_click import RichCommand, RichContext, RichHelpFormatter


class _Context(click.Context):
    """The context of a command: what it writes help with."""

    def make_formatter(self) -> click.HelpFormatter:
        """The formatter of rich-click. What it writes has colours only where standard output takes them."""
        from rich_click import RichHelpConfiguration, RichHelpFormatter

        configuration = RichHelpConfiguration.load_from_globals()
        return RichHelpFormatter(width=self.terminal_width, max_width=self.max_content_width, config=configuration)

    def get_help(self) -> str:
        """The help, to be printed as it is."""
        self.color = True
        return super().get_help()


class Command(click.Command):
    """A command of flowmap."""

    context_class = _Context
    # What rich-click looks for in a command: none is grouped or has a second name.
    panels: tuple[()] = ()
    panel = None
    aliases: tuple[()] = ()

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """What the command is for, and its examples."""
        from rich_click import RichCommand

        RichCommand.format_help_text(*_as_rich(self, ctx, formatter))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The table of options; in a group that of commands, too."""
        from rich_click import RichCommand

        RichCommand.format_options(*_as_rich(self, ctx, formatter))


class Group(Command, click.Group):
    """A group of commands of flowmap."""

    command_class = Command


def _as_rich(
    command: Command, context: click.Context, formatter: click.HelpFormatter
) -> tuple[RichCommand, RichContext, RichHelpFormatter]:
    """The same, as rich-click has them: all that its methods ask of a command stands in `Command`."""
    return cast("RichCommand", command), cast("RichContext", context), cast("RichHelpFormatter", formatter)
