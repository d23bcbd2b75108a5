"""What is read of a stub."""

from __future__ import annotations

from flowmap.extract.stubs import extract_stub
from flowmap.model.stubs import Entry, Said, StubEntry

INT = (Said.NAME, "builtins.int")
TEXT = (Said.NAME, "builtins.str")


def read(text: str, module: str = "m", parent: str = "") -> dict[str, StubEntry]:
    """The entries of a stub's text."""
    return extract_stub(module, text.encode(), parent)


def test_the_newest_python_on_linux_counts() -> None:
    """Conditions on version and platform are decided, in every form that stubs write."""
    found = read(
        "import sys\n"
        "if sys.version_info >= (3, 14): new: int\n"
        "else: old: int\n"
        "if sys.version_info < (3, 12): older: int\n"
        'if sys.platform == "win32": windows: int\n'
        'elif sys.platform != "darwin": linux: int\n'
        'if not (sys.version_info >= (3, 9)) or sys.platform == "linux": either: int\n'
    )
    assert {name for name, entry in found.items() if entry[0] == Entry.VARIABLE} == {"new", "linux", "either"}


def test_overloads_stay_together() -> None:
    """Each overload is a signature of its own; a plain definition replaces what came before."""
    found = read(
        "from typing import overload\n"
        "@overload\ndef f(x: int) -> int: ...\n@overload\ndef f(x: str, *, y: int = 0) -> str: ...\n"
        "def g() -> int: ...\ndef g() -> str: ...\n"
    )
    assert [result for _, result in found["f"][2]] == [INT, TEXT]
    assert [result for _, result in found["g"][2]] == [TEXT]


def test_a_property_is_what_it_gives() -> None:
    """A property is an attribute; its setter is none."""
    cls = read("class C:\n @property\n def x(self) -> int: ...\n @x.setter\n def x(self, to: str) -> None: ...\n")["C"]
    assert cls[2] == {"x": (Entry.VARIABLE, INT)}


def test_what_a_coroutine_function_gives_is_awaited() -> None:
    """`async def` wraps the result."""
    assert read("async def f() -> int: ...")["f"][2][0][1] == (Said.ITEM, "typing.Coroutine", ((Said.ANY,), (Said.ANY,), INT))


def test_names_are_those_of_their_modules() -> None:
    """Imports, relative ones too, say where a name comes from; builtins are known, all else is the module's."""
    found = read("from .base import Base as Base\nfrom x import *\nclass C(Base): ...\na: C\nb: str\n", "pkg.mod", "pkg")
    assert found["Base"] == (Entry.ALIAS, "pkg.base.Base", 1)
    assert found["C"][1] == ((Said.NAME, "pkg.base.Base"),)
    assert (found["a"][1], found["b"][1]) == ((Said.NAME, "pkg.mod.C"), TEXT)
    assert found["*"] == (Entry.STARS, ("x",))


def test_what_a_star_does_not_take_over_is_marked() -> None:
    """`import x` in a stub is for the stub alone."""
    assert read("import subprocess\n")["subprocess"] == (Entry.ALIAS, "subprocess", 0)


def test_callables_say_what_they_are_given() -> None:
    """Parameters that are said, further ones that follow the call's own, and `...`, which says nothing."""
    found = read(
        "from typing import Callable, Concatenate, ParamSpec\nP = ParamSpec('P')\n"
        "a: Callable[[int], str]\nb: Callable[P, str]\nc: Callable[Concatenate[int, P], str]\nd: Callable[..., str]\n"
    )
    assert [found[name][1] for name in "abcd"] == [
        (Said.CALLABLE, (INT,), 0, TEXT),
        (Said.CALLABLE, (), 1, TEXT),
        (Said.CALLABLE, (INT,), 1, TEXT),
        (Said.CALLABLE, (), 0, TEXT),
    ]


def test_a_text_that_is_no_python_says_nothing() -> None:
    """A stub for a newer grammar is silent."""
    assert read("def (:") == {}
