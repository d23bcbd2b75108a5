"""A class provides what its body assigns last, whether that is a `def` or not."""

from __future__ import annotations

import json

import pytest

from flowmap.model.program import Attribute, DefinitionKind
from flowmap.model.view import Tree, View
from flowmap.reports.class_orders import HostsRecord, OrderRecord, hosts_of, mro
from flowmap.reports.export_mro import export_mro
from flowmap.reports.phrases import Detail
from flowmap.reports.where import WhereRecord, where
from flowmap.store.index import Index
from flowmap.store.names import named
from tests.programs import index_of

PROGRAM = """\
def a(self): ...

class A:
    def w(self): ...
    def v(self): ...
    def __hash__(self): return 1
    @property
    def q(self): ...
    def later(self): ...
    later = len(later.__name__)
    def again(self): ...
    again = again

class B(A):
    w = a
    v = 3
    p = property(a, doc="what it is")
    __hash__ = None
    q: int
    other = 4

class C(B):
    v = 5
    def v(self): ...

class Base:
    def b(self): ...
    def c(self): ...
    s = staticmethod(a)
    def b_of(self): return self.b()

class Kid(Base):
    b = Base.c
    s = classmethod(a)
    class c: ...

Kid().b_of()
"""


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """The index of the program."""
    return index_of(tmp_path_factory.mktemp("assigned"), {"app.py": PROGRAM})


def told(view: View) -> dict[str, str]:
    """What each line of the view's trees says, with what stands under it, by its first word."""
    nodes = [root for block in view.blocks if isinstance(block, Tree) for root in block.roots]
    texts = [" ".join("".join(span.text for span in line) for line in (node.line, *node.below)) for node in nodes]
    return {text.split()[0]: text for text in texts}


def provided(index: Index, name: str) -> dict[str, tuple[str, DefinitionKind, tuple[str, ...]]]:
    """What a class provides under each name, of which kind, and what that shadows."""
    record = mro(index, name, Detail.BRIEF).record
    assert isinstance(record, OrderRecord)
    return {one.name: (one.symbol, one.kind, one.shadows) for one in record.provides}


def test_what_is_assigned_is_told_as_what_it_is(index: Index) -> None:
    """A function, a property and a value hide what the order has under their names, and are told with their text."""
    lines = told(mro(index, "B", Detail.BRIEF))
    assert lines["w"] == "w  from B  app.py:15  assigned, a function: w = a shadows A.w"
    assert lines["v"] == "v  from B  app.py:16  assigned, a value: v = 3 shadows A.v"
    assert lines["p"] == 'p  from B  app.py:17  assigned, a property: p = property(a, doc="what it is")'
    assert lines["__hash__"] == "__hash__  from B  app.py:18  assigned, a value: __hash__ = None shadows A.__hash__"
    assert provided(index, "Kid") == {
        "b": ("app.Kid.b", DefinitionKind.ATTRIBUTE, ("app.Base.b",)),
        "b_of": ("app.Base.b_of", DefinitionKind.METHOD, ()),
        "c": ("app.Kid.c", DefinitionKind.ATTRIBUTE, ("app.Base.c",)),
        "s": ("app.Kid.s", DefinitionKind.ATTRIBUTE, ("app.Base.s",)),
    }


def test_what_is_not_hidden(index: Index) -> None:
    """A bare annotation hides nothing, an attribute that hides nothing and holds no function is not listed, a later `def` wins,
    and a method that is assigned to its own name is still that method."""
    found = provided(index, "B")
    assert found["q"] == ("app.A.q", DefinitionKind.PROPERTY, ())
    assert "other" not in found
    assert found["again"] == ("app.A.again", DefinitionKind.METHOD, ())
    assert found["later"][1] is DefinitionKind.ATTRIBUTE
    assert provided(index, "C")["v"] == ("app.C.v", DefinitionKind.METHOD, ("app.B.v", "app.A.v"))


def found(index: Index, name: str) -> tuple[WhereRecord, ...]:
    """What `where` finds."""
    record = where(index, name).record
    assert isinstance(record, tuple)
    return record


def test_where_names_what_shadows(index: Index) -> None:
    """Both ways: what a method is shadowed by, and the attribute with what it shadows."""
    (record,) = found(index, "A.w")
    assert [(one.host, one.winner) for one in record.shadows] == [("app.B", "app.B.w"), ("app.C", "app.B.w")]
    (record,) = found(index, "B.w")
    assert record.definition.kind is DefinitionKind.ATTRIBUTE
    assert [(one.host, one.shadowed) for one in record.shadows] == [("app.B", ("app.A.w",)), ("app.C", ("app.A.w",))]
    assert len(found(index, "Base.b")) == 1
    assert found(index, "B.v")[0].definition.symbol == "app.B.v"


def test_a_name_means_what_the_class_holds(index: Index) -> None:
    """`Kid.b` is what it holds; of what is no function nothing is taken from further down the order."""
    assert [one.symbol for one in named(index, "Kid.b")] == ["app.Base.c"]
    assert [one.symbol for one in named(index, "B.w")] == ["app.a"]
    assert named(index, "B.v") == ()
    assert not any(isinstance(one, Attribute) for one in named(index, "w"))


def test_the_export_gives_definitions_that_win(index: Index) -> None:
    """What an attribute holds is the definition; a name under which no function is left is absent."""
    provides = json.loads("".join(export_mro(index, ["B"])))["app.B"]["provides"]
    assert provides == {"again": "app.A.again", "p": "app.a", "q": "app.A.q", "w": "app.a"}


def test_hosts_take_attributes_from_elsewhere(index: Index) -> None:
    """A host that assigns a name does not take it from the mixin."""
    record = hosts_of(index, "A", Detail.BRIEF).record
    assert isinstance(record, HostsRecord)
    assert [one.name for one in record.hosts[0].overridden] == ["__hash__", "v", "w"]
