"""Notes which function calls which, from which line, in the process that it runs in. Started by `injected/sitecustomize.py`.

Stands alone and imports little: it runs in the program's own Python, which may hold nothing of flowmap, and what it imports
the program finds imported. It holds on to the functions of `os` that it uses: a program under test may replace them.

Each process writes a part file of its own: a line for each new edge as soon as it happens, so that a crash loses no edge, and
the counts at the end. Fields are separated by tabs; `runtime/parts.py` reads them.
"""

from __future__ import annotations

import atexit
import os
import sys
import threading
import time
from collections.abc import Callable
from itertools import count
from types import CodeType, FrameType, FunctionType, MethodType
from typing import Any

SCOPE_FILE = "only"  # in the folder of the parts: the packages to record, a line each
LATER = 0x20 | 0x80 | 0x200  # generators, coroutines, asynchronous generators: called here, run when they are resumed
OPTIMIZED = 0x1  # functions and what is compiled like them; modules and class bodies are not
INSIDE, LIBRARY, GENERATED, ELSEWHERE = range(4)  # what a file is to the record
ON_BEHALF = frozenset(f"{name}.<locals>.helper" for name in ("contextmanager", "asynccontextmanager"))  # of contextlib
FIRST_TOOLS = (4, 3)  # identifiers of sys.monitoring that nobody claims by convention
COMPREHENSIONS = frozenset(("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"))

_open, _write, _close, _pid = os.open, os.write, os.close, os.getpid
_frame = sys._getframe
_FILE = _frame().f_code.co_filename
_OWN = (_FILE, os.path.join(os.path.dirname(_FILE), "injected", ""))  # what is here for the record alone
_STANDARD = os.path.dirname(os.path.abspath(os.__file__)) + os.sep
_INSTALLED = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")

Key = tuple[int, int, int, str]  # the caller's code, where in it, the callee's code (both by id), the file between them or ""


class Scope:
    """Tells what is recorded: functions of some packages, or, where none is named, all that is not installed."""

    def __init__(self, only: tuple[str, ...]) -> None:
        self.only = only
        self.roles: dict[str, int] = {}
        self.places: dict[str, tuple[str, str]] = {}  # (module, file below the source root) of each file

    def role(self, frame: FrameType) -> int:
        """What the file of a frame's code is."""
        path = frame.f_code.co_filename
        role = self.roles.get(path)
        return self._decide(path, frame) if role is None else role

    def _decide(self, path: str, frame: FrameType) -> int:
        role = self._kind(path, frame)
        if role != GENERATED:  # many of them may share one name
            self.roles[path] = role
        return role

    def _kind(self, path: str, frame: FrameType) -> int:
        if path.startswith(_OWN):
            return ELSEWHERE
        if path.startswith("<"):
            return LIBRARY if path.startswith("<frozen ") else GENERATED
        full = os.path.abspath(path)
        if not full.endswith((".py", ".pyw")) and not os.path.isfile(full):
            return GENERATED
        module, _ = self.place(path, frame)
        installed = full.startswith(_STANDARD) or any(each in full for each in _INSTALLED)
        if self.only:
            named = any(module == each or module.startswith(f"{each}.") for each in self.only)
            return INSIDE if named else LIBRARY if installed else ELSEWHERE
        return LIBRARY if installed else INSIDE

    def place(self, path: str, frame: FrameType) -> tuple[str, str]:
        """The module and the file below the source root, both by where the file is."""
        if path not in self.places:
            name = frame.f_globals.get("__name__")
            self.places[path] = placed(os.path.abspath(path), name if isinstance(name, str) else "")
        return self.places[path]


def placed(full: str, name: str) -> tuple[str, str]:
    """(module, file) of a file whose code calls itself `name`. A name that does not fit the path is not believed."""
    stem = full.rpartition(".")[0].replace(os.sep, "/").removesuffix("/__init__")
    if not f"/{stem}".endswith("/" + name.replace(".", "/")) or not name:
        name = stem.rpartition("/")[2]
        folder = os.path.dirname(stem)
        while os.path.isfile(f"{folder}/__init__.py") and folder != os.path.dirname(folder):
            name, folder = f"{os.path.basename(folder)}.{name}", os.path.dirname(folder)
    root = stem[: len(stem) - len(name)]
    return name, full.replace(os.sep, "/")[len(root) :]


def qualified(name: str) -> str:
    """A qualified name with comprehensions folded into what stands around them."""
    kept: list[str] = []
    folding = False
    for part in name.split("."):
        if part in COMPREHENSIONS or part.startswith("<generic parameters"):
            folding = True
        elif not (folding and part == "<locals>"):
            kept.append(part)
            folding = False
        else:
            folding = False
    while kept and kept[-1] in ("<locals>", "<module>"):
        kept.pop()
    return ".".join(kept)


def is_function(code: CodeType) -> bool:
    """False for modules, class bodies, comprehensions and scopes of type parameters."""
    return bool(code.co_flags & OPTIMIZED) and (code.co_name == "<lambda>" or not code.co_name.startswith("<"))


class Recorder:
    """The edges of this process."""

    def __init__(self, folder: str, only: tuple[str, ...]) -> None:
        self.folder = folder
        self.scope = Scope(only)
        self.counts: dict[Key, int] = {}
        self.numbers: dict[Key, int] = {}  # of the lines of the part file
        self.held: dict[int, CodeType] = {}  # so that no id is given twice
        self.pending: dict[int, int] = {}  # generators and coroutines made and not yet started, by the id of their code
        self.part = ""
        self.begin()

    def begin(self) -> None:
        """Start a part file; in a forked child, one of its own."""
        self.counts, self.numbers, self.pending = {}, {}, {}
        self.next_number = count().__next__  # two threads never get the same one
        self.part = os.path.join(self.folder, f"{_pid()}-{time.time_ns()}.part")
        self.append("")

    def append(self, text: str) -> None:
        """Write to the part file. It is opened each time: a program may close every descriptor that it finds."""
        try:
            descriptor = _open(self.part, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        except OSError:  # the command has ended and a child outlived it, or no descriptor is left: nothing is said to the program
            return
        try:
            _write(descriptor, text.encode("utf-8", "replace"))
        finally:
            _close(descriptor)

    def end(self) -> None:
        """Write the counts. Called at the end of the process, and before it becomes another."""
        counts = [f"{number}:{self.counts[key]}" for key, number in list(self.numbers.items())]
        if counts:
            self.append(f"counts\t{' '.join(counts)}\n")

    def has_been_noted(self, code: CodeType) -> bool:
        """Whether what starts now is a generator or coroutine whose call was noted where it was made."""
        waiting = self.pending.get(id(code), 0) if code.co_flags & LATER else 0
        if waiting:
            self.pending[id(code)] = waiting - 1
        return waiting > 0

    def called(self, frame: FrameType) -> None:
        """Note the call that made a frame of a function inside."""
        caller, through = frame.f_back, ""
        role = self.scope.role(caller) if caller is not None else ELSEWHERE
        while caller is not None and role in (LIBRARY, GENERATED):
            through = through or caller.f_code.co_filename
            caller = caller.f_back
            role = self.scope.role(caller) if caller is not None else ELSEWHERE
        if caller is None or role == ELSEWHERE:
            return
        code, callee = caller.f_code, frame.f_code
        key = (id(code), caller.f_lasti, id(callee), through)
        if key in self.counts:
            self.counts[key] += 1
        else:
            between = names_between(frame, caller) if through else ""
            self.first_call(key, caller, (frame, callee), between)

    def first_call(self, key: Key, caller: FrameType, called: tuple[FrameType, CodeType], through: str) -> None:
        """Write a new edge. `called`: the code, and a frame of the same file's globals."""
        where, callee = called
        self.held[key[0]], self.held[key[2]] = caller.f_code, callee
        self.counts[key] = 1
        self.numbers[key] = number = self.next_number()
        module, file = self.scope.place(caller.f_code.co_filename, caller)
        callee_module, callee_file = self.scope.place(callee.co_filename, where)
        fields = (
            str(number),
            symbol(module, caller.f_code),
            file,
            str(caller.f_lineno),
            symbol(callee_module, callee),
            callee_file,
            str(callee.co_firstlineno),
            through,
        )
        self.append("\t".join(fields) + "\n")


def symbol(module: str, code: CodeType) -> str:
    """Module and qualified name, by definition."""
    name = qualified(code.co_qualname)
    return f"{module}.{name}" if name else module


def names_between(frame: FrameType, caller: FrameType) -> str:
    """The top-level modules of the frames between two, the nearest to the caller last."""
    names: list[str] = []
    between = frame.f_back
    while between is not None and between is not caller:
        generated = between.f_code.co_filename.startswith("<") and not between.f_code.co_filename.startswith("<frozen ")
        name = "<generated>" if generated else str(between.f_globals.get("__name__", "")).partition(".")[0]
        if name not in names:
            names.append(name)
        between = between.f_back
    return " ".join(names)


# ---------------------------------------------------------------- Python 3.12 and later


def watch_monitoring(recorder: Recorder) -> None:
    """Record by `sys.monitoring`: code outside is watched no more after its first call, so it costs nothing."""
    monitoring: Any = sys.monitoring  # type: ignore[attr-defined, unused-ignore]
    tool = next(each for each in FIRST_TOOLS if monitoring.get_tool(each) is None)
    monitoring.use_tool_id(tool, "flowmap record")
    events, disable, scope = monitoring.events, monitoring.DISABLE, recorder.scope
    watched: dict[int, CodeType] = {}

    def started(code: CodeType, _offset: int) -> object:
        frame = _frame(1)
        if scope.role(frame) != INSIDE:
            return None if made_on_behalf(recorder, frame) else disable
        number = id(code)
        if number not in watched:
            watched[number] = code
            monitoring.set_local_events(tool, code, events.CALL)
        if not is_function(code):
            return disable
        if not recorder.has_been_noted(code):
            recorder.called(frame)
        return None

    def calling(_code: CodeType, _offset: int, function: object, _first: object) -> None:
        """A generator or coroutine is called here, whoever resumes it."""
        kind = type(function)
        if kind is MethodType:
            function = function.__func__  # type: ignore[attr-defined]
            kind = type(function)
        if kind is FunctionType and function.__code__.co_flags & LATER:  # type: ignore[attr-defined]
            note_made(recorder, _frame(1), function)  # type: ignore[arg-type]

    monitoring.register_callback(tool, events.PY_START, started)
    monitoring.register_callback(tool, events.CALL, calling)
    monitoring.set_events(tool, events.PY_START)


def made_on_behalf(recorder: Recorder, frame: FrameType) -> bool:
    """Whether a frame is `contextmanager`'s, which makes a generator for its caller: there it counts, not where it is entered."""
    if frame.f_code.co_name != "helper" or frame.f_code.co_qualname not in ON_BEHALF:
        return False
    caller, function = frame.f_back, frame.f_locals.get("func")
    if caller is not None and recorder.scope.role(caller) == INSIDE and type(function) is FunctionType:
        note_made(recorder, caller, function)
    return True


def note_made(recorder: Recorder, caller: FrameType, function: FunctionType) -> None:
    """Note the call of a generator function or coroutine function."""
    callee = function.__code__
    role = recorder.scope.roles.get(callee.co_filename)
    if role is None:  # its file has run nothing yet that was seen: the start of its body will tell
        return
    if role == INSIDE and is_function(callee):
        key = (id(caller.f_code), caller.f_lasti, id(callee), "")
        recorder.pending[id(callee)] = recorder.pending.get(id(callee), 0) + 1
        if key in recorder.counts:
            recorder.counts[key] += 1
        else:
            recorder.first_call(key, caller, (caller, callee), "")


# ---------------------------------------------------------------- before 3.12


def watch_profile(recorder: Recorder) -> None:
    """Record by `sys.setprofile`. A generator or coroutine counts as called where it is first resumed, or a context made."""
    begun: dict[int, int] = {}  # the instruction that a generator's code stands at when it is first resumed

    def profile(frame: FrameType, event: str, _argument: object) -> None:
        if event != "call":
            return
        code = frame.f_code
        if recorder.scope.role(frame) != INSIDE:
            made_on_behalf(recorder, frame)
            return
        if not is_function(code):
            return
        if code.co_flags & LATER and frame.f_lasti > begun.setdefault(id(code), frame.f_lasti):
            return  # resumed again
        recorder.held[id(code)] = code
        if recorder.has_been_noted(code):
            return
        recorder.called(frame)

    threading.setprofile(profile)
    sys.setprofile(profile)


# ---------------------------------------------------------------- the life of the process


def start(folder: str) -> None:
    """Record this process from now on, and those that it forks."""
    with open(os.path.join(folder, SCOPE_FILE), encoding="utf-8") as file:
        only = tuple(file.read().split())
    recorder = Recorder(folder, only)
    for name in ("_exit", "execv", "execve"):
        if hasattr(os, name):
            setattr(os, name, ending(getattr(os, name), recorder))
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=recorder.begin)
    atexit.register(recorder.end)
    if hasattr(sys, "monitoring"):
        watch_monitoring(recorder)
    else:
        watch_profile(recorder)


def ending(function: Callable[..., Any], recorder: Recorder) -> Callable[..., Any]:
    """A function of `os` after which this program is no more, with the counts written before."""

    def last(*arguments: Any) -> Any:
        recorder.end()
        return function(*arguments)

    return last
