"""Brings the hook into a scheduler process: checks the binding, then has each scheduler get the hook once it is set up.

A server spawns its scheduler processes, and what was patched in the process that launches them does not reach them. It
takes the function that they run as a parameter, though: `launch` hands over `run_scheduler_process` of this module,
which spawned processes import by its name.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from adaptive_disable.compatibility import check
from adaptive_disable.config import HookConfig

if TYPE_CHECKING:
    from sglang.srt.managers.scheduler import Scheduler


def run_scheduler_process(config: HookConfig, *arguments: Any, **named: Any) -> None:
    """What a spawned scheduler process runs instead of SGLang's function of this name, whose arguments follow `config`.

    Raises `BindingMoved` before anything is patched where the running SGLang is not the one that this package was made
    for. The process ends then, and the server that waits for it does.
    """
    check()
    # Only a SGLang that was checked is imported, and this package's patch of it.
    from sglang.srt.managers import scheduler  # noqa: PLC0415

    from adaptive_disable.attach import attach  # noqa: PLC0415

    with schedulers_hooked(scheduler.Scheduler, functools.partial(attach, config=config)):
        scheduler.run_scheduler_process(*arguments, **named)


@contextmanager
def schedulers_hooked(scheduler: type[Scheduler], attach: Callable[[Scheduler], object]) -> Iterator[None]:
    """Every scheduler that is made meanwhile is handed to `attach`, when it is set up and before it serves.

    One attribute of one class is all that is patched; the hook itself goes on the instance, all or nothing. What fails
    there fails in the scheduler's own constructor: the process ends, and the server with it.
    """
    original = scheduler.__init__

    @functools.wraps(original)
    def set_up(self: Scheduler, *arguments: Any, **named: Any) -> None:
        original(self, *arguments, **named)
        attach(self)

    scheduler.__init__ = set_up
    try:
        yield
    finally:
        scheduler.__init__ = original
