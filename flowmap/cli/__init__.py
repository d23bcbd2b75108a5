"""The command `flowmap`: arguments in, exit code out. A command's module is imported when that command is run, and not before."""

from flowmap.cli.main import main

__all__ = ["main"]
