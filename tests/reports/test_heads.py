"""What a class takes when it is called, beside its bases: by its own, an inherited, a generated or an unknown constructor."""

from __future__ import annotations

import pytest

from flowmap.model.program import DefinitionKind
from flowmap.model.view import Line
from flowmap.reports.heads import head_lines, inherited_call, signature_span
from flowmap.store.index import Index
from flowmap.store.names import named
from tests.programs import index_of

PROGRAM = """\
from dataclasses import KW_ONLY, InitVar, dataclass, field
from typing import ClassVar, NamedTuple
import abc, enum

class Base:
    def __init__(self, a: int, b: str=")", *rest): ...
class Job(Base): ...
class Mixed(abc.ABC, Base): ...
class Failed(ValueError, Base): ...
class After(Base, ValueError): ...
class Computed(make()): ...
class Plain: ...
class Made:
    def __new__(cls, n): ...
class Below(Made): ...
class Kind(enum.Enum):
    ONE = 1
class Star(Base):
    def __init__(*given, **named): ...
class Of_star(Star): ...
class Alias(Base):
    def open(self, path: str="a,(", /, mode=1) -> None: ...
    __init__ = open
class Of_alias(Alias): ...

@dataclass
class Settings:
    x: int
    needed: int = field(repr=False)
    y: str = ""
    z: list = field(default_factory=list)
    left_out: int = field(init=False)
    shared: ClassVar[int] = 3
    passed: InitVar[int] = 0
class Not_a_field:
    other: int
@dataclass
class More(Settings, Not_a_field):
    _: KW_ONLY
    last: int
class Inherits(Settings):
    no_field: int
@dataclass
class Written:
    x: int
    def __init__(self): ...
class Pair(NamedTuple):
    left: int
    right: int = 0
"""
CALLS = {
    "Base": "called as Base(a: int, b: str=')', *rest)",
    "Job": "called as Job(a: int, b: str=')', *rest)  constructor of Base",
    "Mixed": "called as Mixed(a: int, b: str=')', *rest)  constructor of Base",
    "Failed": "called as Failed(…)  by builtins.ValueError, outside the index",
    "After": "called as After(a: int, b: str=')', *rest)  constructor of Base",
    "Computed": "called as Computed(…)  by a base that is computed",
    "Plain": "called as Plain()",
    "Below": "called as Below(n)  constructor of Made",
    "Kind": "called as Kind(…)  by enum.Enum, outside the index",
    "Of_star": "called as Of_star(*given, **named)  constructor of Star",
    "Of_alias": "called as Of_alias(path: str='a,(', /, mode=1)  constructor of Alias",
    "Settings": "called as Settings(x, needed, y=…, z=…, passed=…)  generated from its fields",
    "More": "called as More(x, needed, y=…, z=…, passed=…, *, last)  generated from its fields",
    "Inherits": "called as Inherits(x, needed, y=…, z=…, passed=…)  generated from the fields of Settings",
    "Written": "called as Written()",
    "Pair": "called as Pair(left, right=…)  generated from its fields",
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """The index of the program."""
    return index_of(tmp_path_factory.mktemp("heads"), {"app.py": PROGRAM})


def texts(lines: tuple[Line, ...]) -> list[str]:
    """Lines as text."""
    return ["".join(span.text for span in line) for line in lines]


@pytest.mark.parametrize(("name", "called"), CALLS.items(), ids=CALLS)
def test_a_class_is_told_with_what_it_takes(index: Index, name: str, called: str) -> None:
    """By the constructor that runs: the first of the order, generated ones among them; `(…)` where that is not known."""
    (one,) = named(index, f"app.{name}")
    assert texts(head_lines(index, one))[1] == called


def test_in_a_list_of_definitions_only_what_is_not_there_is_added(index: Index) -> None:
    """A constructor of its own body stands below a class anyway, and what takes nothing needs no word."""
    added = {name: texts(inherited_call(index, one)) for name in CALLS for one in named(index, f"app.{name}")}
    assert [name for name, lines in added.items() if not lines] == ["Base", "Plain", "Written"]
    assert added["Job"] == [CALLS["Job"]]


def test_brackets_without_bases_are_not_written(index: Index) -> None:
    """They would look like a call without arguments; those of functions and of bases stay."""
    spans = {one.symbol: signature_span(one).text for name in ("Plain", "Job", "Written.__init__") for one in named(index, name)}
    assert spans == {"app.Plain": "", "app.Job": "(Base)", "app.Written.__init__": "(self)"}
    (module,) = named(index, "app")
    assert module.kind is DefinitionKind.MODULE
    assert head_lines(index, module) == ()
