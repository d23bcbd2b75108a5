"""`flowmap completion`."""

from __future__ import annotations

import click

from flowmap.cli.commands import Command

_SHELLS = ("bash", "zsh", "fish")


@click.command(cls=Command)
@click.argument("shell", type=click.Choice(_SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the script that makes a shell complete flowmap's commands and options.

    \b
    Examples:
      flowmap completion bash >> ~/.bashrc
      flowmap completion zsh >> ~/.zshrc
      flowmap completion fish > ~/.config/fish/completions/flowmap.fish
    """
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None, f"click completes no {shell}"
    click.echo(kind(context.find_root().command, {}, "flowmap", "_FLOWMAP_COMPLETE").source())
