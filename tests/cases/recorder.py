"""Runs `app` from a folder and prints what it called: `recorder.py FOLDER`. Stands alone: it runs in a Python of its own.

Output: one JSON object. `calls`: [file, line, symbol], a call of a function of the folder from a line of the folder, frames
of other code between the two left out. `orders`: the class order of every class of the folder. `firsts`: by the symbol of
what called them, the functions of the folder that it called when it first ran, in the order of their first calls.
"""

import importlib
import inspect
import json
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FrameType

NOT_AT_THE_CALL = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR  # these run when they are resumed


def main(folder: Path) -> None:
    """Import `app` under a profile function and print the record."""
    calls: set[tuple[str, int, str]] = set()
    firsts: dict[str, dict[str, None]] = {}
    frames: dict[str, FrameType] = {}  # of the first run of each caller

    def profile(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call" and is_function(frame.f_code) and inside(frame, folder):
            caller = calling_frame(frame, folder)
            if caller is not None:
                calls.add((inside(caller, folder), caller.f_lineno, symbol(frame)))
            running = running_frame(caller)
            if running is not None and frames.setdefault(symbol(running), running) is running:
                firsts.setdefault(symbol(running), {})[symbol(frame)] = None

    sys.path.insert(0, str(folder))
    threading.setprofile(profile)
    sys.setprofile(profile)
    try:
        importlib.import_module("app")
    finally:
        sys.setprofile(None)
    called_first = {caller: list(callees) for caller, callees in firsts.items()}
    print(json.dumps({"calls": sorted(calls), "orders": dict(orders(folder)), "firsts": called_first}))


def is_function(code: CodeType) -> bool:
    """False for modules, class bodies, comprehensions, and what runs later than where it is called."""
    plain = code.co_flags & inspect.CO_OPTIMIZED and not code.co_flags & NOT_AT_THE_CALL
    return bool(plain) and (code.co_name == "<lambda>" or not code.co_name.startswith("<"))


def inside(frame: FrameType, folder: Path) -> str:
    """The frame's file below the folder, "" when it is elsewhere."""
    path = Path(frame.f_code.co_filename)
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else ""


def calling_frame(frame: FrameType, folder: Path) -> FrameType | None:
    """The nearest caller in the folder."""
    caller = frame.f_back
    while caller is not None and not inside(caller, folder):
        caller = caller.f_back
    return caller


def running_frame(frame: FrameType | None) -> FrameType | None:
    """The frame of the function, class body or module in which a comprehension stands; any other frame is its own."""
    if frame is None or frame.f_code.co_name not in COMPREHENSIONS:
        return frame
    around = frame.f_code.co_qualname.rpartition(".")[0].removesuffix(".<locals>") or "<module>"
    while frame is not None and frame.f_code.co_qualname != around:
        frame = frame.f_back
    return running_frame(frame)


COMPREHENSIONS = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")


def symbol(frame: FrameType) -> str:
    """Module and qualified name, by definition; of a module its name."""
    return f"{frame.f_globals['__name__']}.{frame.f_code.co_qualname}".removesuffix(".<module>")


def orders(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """The classes that stand in the folder's modules and their class orders, classes from elsewhere left out."""
    modules = {
        name for name, module in sys.modules.items() if Path(getattr(module, "__file__", None) or "/").is_relative_to(folder)
    }
    todo, done = [object], set()
    while todo:
        one = todo.pop()
        if one in done:
            continue
        done.add(one)
        todo.extend(type.__subclasses__(one))
        if one.__module__ in modules:
            yield name_of(one), [name_of(base) for base in one.__mro__ if base.__module__ in modules]


def name_of(one: type) -> str:
    """Module and qualified name of a class."""
    return f"{one.__module__}.{one.__qualname__}"


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
