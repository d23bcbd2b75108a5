"""What Ctrl-C does: it ends the command and its workers, at once and without a word, wherever they are."""

from __future__ import annotations

import _thread
import os
import signal
import sys
import threading
from types import FrameType
from typing import NoReturn

INTERRUPTED = 130  # the exit code that a shell gives to what Ctrl-C ended
_MAIN = os.getpid()
_A_MOMENT = 0.05  # seconds
_interrupts: list[int] = []  # the signals that came


def handle_interrupts() -> None:
    """From here on an interrupt becomes a KeyboardInterrupt of this process alone; its workers are told to end."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, _interrupted)
    sys.unraisablehook = _interrupt_again
    threading.excepthook = _tell_of_a_thread
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_end_without_a_word)


def was_interrupted() -> bool:
    """Whether Ctrl-C was pressed: what else goes wrong after that is its consequence."""
    return bool(_interrupts)


def _interrupted(number: int, _: FrameType | None) -> NoReturn:
    """Workers that wait for work would keep this process from ending. One that was just forked may be called here, too."""
    if os.getpid() != _MAIN:
        os._exit(INTERRUPTED)
    _interrupts.append(number)
    if "multiprocessing" in sys.modules:
        for worker in sys.modules["multiprocessing"].active_children():
            worker.terminate()
    raise KeyboardInterrupt


def _interrupt_again(ignored: sys.UnraisableHookArgs) -> None:
    """An interrupt that came where Python swallows exceptions (in a hook around a fork) comes once more, a moment later."""
    if issubclass(ignored.exc_type, KeyboardInterrupt):
        threading.Timer(_A_MOMENT, _thread.interrupt_main).start()
    else:
        sys.__unraisablehook__(ignored)


def _tell_of_a_thread(failed: threading.ExceptHookArgs) -> None:
    """A pool's own thread stumbles over the work that an interrupt cancelled: that is no news."""
    if not was_interrupted():
        threading.__excepthook__(failed)


def _end_without_a_word() -> None:
    """Ctrl-C reaches workers too: their tracebacks would be all that is read."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
