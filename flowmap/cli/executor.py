"""The executor that `--executor` names: where the facts of files are extracted."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager

from flowmap.model.problem import FlowmapError, Problem

DASK = "dask://"
_CONNECT_SECONDS = 15


def check_executor(text: str) -> None:
    """Errors: FlowmapError when the text has not the form of an executor, nor is empty."""
    if text == DASK or (text and not text.startswith(DASK)):
        raise FlowmapError(Problem(f"--executor {text}", "names no executor", f"Write {DASK}HOST:PORT of a Dask scheduler."))


@contextmanager
def executor_named(text: str) -> Iterator[Executor | None]:
    """The executor at `dask://HOST:PORT`; None, which stands for processes on this machine, where nothing is named.

    Errors: FlowmapError when the text names none, when Dask is not installed, when nobody answers there.
    """
    if not text:
        yield None
        return
    check_executor(text)
    try:
        from distributed import Client, KilledWorker
    except ImportError:
        fix = 'Install it with: pip install "flowmap-py[dask]"'
        raise FlowmapError(Problem(f"--executor {text}", "needs Dask, which is not installed", fix)) from None
    try:
        client = Client(f"tcp://{text.removeprefix(DASK)}", timeout=_CONNECT_SECONDS)
    except (OSError, ValueError) as error:
        fix = "Start a scheduler with: dask scheduler; and workers with: dask worker HOST:PORT"
        raise FlowmapError(Problem(f"--executor {text}", f"no Dask scheduler answers there: {error}", fix)) from None
    try:
        with client:
            yield client.get_executor()
    except KilledWorker as error:
        fix = "Give the workers more memory, or leave files out with --exclude GLOB."
        raise FlowmapError(Problem(f"--executor {text}", f"its workers were killed one after the other: {error}", fix)) from None
