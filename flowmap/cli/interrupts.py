"""What Ctrl-C does: it ends the command and its workers, at once and without a word, wherever they are."""

from __future__ import annotations

import _thread
import os
import signal
import sys
import threading
import time
from types import FrameType
from typing import NoReturn

INTERRUPTED = 130  # the exit code that a shell gives to what Ctrl-C ended
_MAIN = os.getpid()
_A_MOMENT = 0.05  # seconds
_BETWEEN_LOOKS = 0.5  # seconds
_GRACE = 1.0  # seconds in which temporary files are removed and the terminal is put right
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
    _end_workers()
    _thread.start_new_thread(_end_at_last, ())  # no Timer: its locks may be held by what was interrupted
    raise KeyboardInterrupt


def _end_workers() -> None:
    if "multiprocessing" in sys.modules:
        for worker in sys.modules["multiprocessing"].active_children():
            worker.terminate()


def _end_at_last() -> None:
    """A pool that was interrupted while it started its workers may wait for ever: nobody waits for it."""
    time.sleep(_GRACE)
    _end_workers()
    os._exit(INTERRUPTED)


def _interrupt_again(ignored: sys.UnraisableHookArgs) -> None:
    """An interrupt that came where Python swallows exceptions (in a hook around a fork) comes once more, a moment later."""
    if issubclass(ignored.exc_type, KeyboardInterrupt):
        _thread.start_new_thread(_interrupt_in_a_moment, ())
    elif not was_interrupted():
        sys.__unraisablehook__(ignored)


def _interrupt_in_a_moment() -> None:
    time.sleep(_A_MOMENT)
    _thread.interrupt_main()


def _tell_of_a_thread(failed: threading.ExceptHookArgs) -> None:
    """A pool's own thread stumbles over the work that an interrupt cancelled: that is no news."""
    if not was_interrupted():
        threading.__excepthook__(failed)


def _end_without_a_word() -> None:
    """Ctrl-C reaches workers too: their tracebacks would be all that is read."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    _thread.start_new_thread(_end_with_the_parent, ())


def _end_with_the_parent() -> None:
    """A worker whose parent is gone, killed or interrupted while it forked, would wait for work for ever."""
    while os.getppid() == _MAIN:
        time.sleep(_BETWEEN_LOOKS)
    os._exit(INTERRUPTED)
