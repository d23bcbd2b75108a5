"""SGLang's server over HTTP, with the hook in its scheduler processes or, where that is not enabled, as it is."""

from __future__ import annotations

import argparse
import functools
import logging
import os
import signal
import tempfile
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import FrameType

from sglang.launch_server import run_server
from sglang.srt.entrypoints.http_server import launch_server
from sglang.srt.server_args import ServerArgs, prepare_server_args
from sglang.srt.server_args_config_parser import ConfigArgumentMerger
from sglang.srt.utils import kill_process_tree

from adaptive_disable.config import HookConfig
from adaptive_disable.install import run_scheduler_process
from adaptive_disable.server_arguments import ServerArgumentsError, fill_in
from adaptive_disable.settings import FLAG, PREFIX, add_flags

logger = logging.getLogger(__name__)


def serve(words: Sequence[str], config: HookConfig) -> None:
    """Serve until the server ends. `words`: its command line; `--help` among them prints both sorts of flags.

    Raises `ServerArgumentsError` where the hook is enabled and something contradicts it.
    """
    if {"-h", "--help"} & set(words):
        parser = _parser()
        add_flags(parser)
        parser.print_help()
    elif config.enabled:
        _serve_hooked(_arguments(list(words)), config)
    else:
        logger.warning("adaptive-disable: not enabled; the server starts as it would by itself")
        with _ending_children():
            run_server(prepare_server_args(list(words)))


def _parser() -> argparse.ArgumentParser:
    """The server's arguments alone: the hook's are taken out before, and half of one would be taken for it here."""
    parser = argparse.ArgumentParser(prog="python -m adaptive_disable.launch")
    ServerArgs.add_cli_args(parser)
    return parser


def _arguments(words: list[str]) -> ServerArgs:
    """The server's arguments, with what the hook needs where nothing was named; sets the environment likewise.

    Parsed as `prepare_server_args` does, a configuration file included, so that what was named can be told from what
    the server chooses.
    """
    parser = _parser()
    if "--config" in words:
        words = ConfigArgumentMerger(parser).merge_config_with_args(words)
        _refuse_settings(words)
    named = parser.parse_args(words)
    filled = fill_in(vars(named), os.environ)
    for setting, value in (*filled.arguments.items(), *filled.environment.items()):
        logger.warning("adaptive-disable: %s is set to %s, as nothing was named", setting, value)
    vars(named).update(filled.arguments)
    os.environ.update(filled.environment)
    return ServerArgs.from_cli_args(named)


def _refuse_settings(words: Sequence[str]) -> None:
    """The hook's settings were read before the server's file is: those that stand in there would not count."""
    problems = tuple(
        f"{word.partition('=')[0]} stands in the file that --config names, which is the server's: "
        f"write settings into a JSON file and name that with {FLAG}config or {PREFIX}CONFIG"
        for word in words
        if word.startswith(FLAG)
    )
    if problems:
        raise ServerArgumentsError(problems)


def _serve_hooked(server_args: ServerArgs, config: HookConfig) -> None:
    """Every scheduler process runs this package's function, also below a data-parallel controller.

    One kill file is the switch of all of them; where none is named it is one of this launch, which is not there yet.
    """
    kill_file = config.kill_file or Path(tempfile.gettempdir(), f"adaptive-disable-{uuid.uuid4().hex}.off")
    _touch_on_signal(kill_file)
    run = functools.partial(run_scheduler_process, replace(config, kill_file=kill_file))
    with _ending_children():
        launch_server(server_args, run_scheduler_process_func=run)


def _touch_on_signal(file: Path) -> None:
    """Let SIGUSR2 make a file. Left alone, that signal would end the server."""

    def touch(_number: int, _frame: FrameType | None) -> None:
        try:
            file.touch()
        except OSError as error:  # what is raised in a handler would end the server
            logger.error("adaptive-disable: not off, the file of that cannot be made: %s", error)

    signal.signal(signal.SIGUSR2, touch)
    logger.warning("adaptive-disable: off for good once %s exists, or by kill -USR2 %d", file, os.getpid())


@contextmanager
def _ending_children() -> Iterator[None]:
    """No process that the server started outlives it, however it ends."""
    try:
        yield
    finally:
        kill_process_tree(os.getpid(), include_parent=False)
