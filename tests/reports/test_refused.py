"""Classes that Python would refuse: said wherever their order is shown, with where and why."""

from __future__ import annotations

import pytest

from flowmap.model.problem import ExitCode, FlowmapError
from flowmap.model.view import Table, View
from flowmap.reports.class_orders import hosts_of, mro
from flowmap.reports.module import module
from flowmap.reports.phrases import Detail
from flowmap.reports.refused import refusal_texts
from flowmap.store.classes import orders
from flowmap.store.index import Index
from flowmap.store.names import named
from tests.programs import index_of
from tests.reports.test_answers import texts

TEXT = """\
class A: ...
class B(A): ...
class Crossed(A, B): ...
class Itself(Itself): ...
class One(Two): ...
class Two(One): ...
class Below(Crossed): ...
class list(list): ...
class Good(B, A): ...
class Outer:
    class A(A): ...
class Twice(A, A): ...
class Given(make()): ...
"""
CROSSED = "Python would refuse Crossed (app.py:3): its bases have no consistent method resolution order"
CIRCLE = "Python would refuse {} (app.py:{}): its bases lead back to itself"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """A file of classes that Python makes and refuses."""
    return index_of(tmp_path_factory.mktemp("refused"), {"app.py": TEXT})


def refusals(view: View) -> tuple[str, ...]:
    """What the record of a view says of the class that was asked for."""
    found = getattr(view.record, "refused", None)
    assert isinstance(found, tuple)
    return found


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Crossed", (CROSSED,)),
        ("Below", (CROSSED,)),
        ("Itself", (CIRCLE.format("Itself", 4),)),
        ("One", (CIRCLE.format("Two", 6),)),
        ("Good", ()),
        ("Twice", ("Python would refuse Twice (app.py:12): it names its base A twice",)),
        ("Given", ()),
        ("app.list", ()),
        ("Outer.A", ()),
    ],
)
def test_an_order_says_that_python_would_refuse_the_class(index: Index, name: str, expected: tuple[str, ...]) -> None:
    """Of the class itself, or of one that it inherits from; and nothing where Python makes the class."""
    assert refusals(mro(index, name, Detail.BRIEF)) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Itself", ["app.Itself"]),
        ("One", ["app.One", "app.Two"]),
        ("Two", ["app.Two", "app.One"]),
        ("app.list", ["app.list", "ext:builtins.list"]),
        ("Outer.A", ["app.Outer.A", "app.A"]),
    ],
)
def test_a_class_that_bears_the_name_of_its_base(index: Index, name: str, expected: list[str]) -> None:
    """The base is what the name meant before; no class stands twice in an order."""
    (one,) = named(index, name)
    assert [each.symbol for each in orders(index, [one])[one.id]] == [*expected, "ext:builtins.object"]


def test_a_base_that_is_computed_is_said_to_be(index: Index) -> None:
    """It has its place in the order, and is not taken for something outside."""
    (table,) = [block for block in mro(index, "Given", Detail.BRIEF).blocks if isinstance(block, Table)]
    assert ["".join(span.text for span in cells[2]) for cells in table.rows][1:] == [
        "a base that is computed when it runs: not followed",
        "outside the index",
    ]


def test_hosts_say_which_of_them_python_would_refuse(index: Index) -> None:
    """Below each; and of the class itself."""
    assert refusals(hosts_of(index, "Crossed", Detail.BRIEF)) == (CROSSED,)
    said = {line: refusal for line, refusal in _below(hosts_of(index, "B", Detail.BRIEF)).items() if refusal}
    assert said == {"Below": (CROSSED,), "Crossed": (CROSSED,)}


def test_a_dossier_says_it_at_the_class(index: Index) -> None:
    """Every class that Python would refuse, and no other."""
    view = module(index, "app.py", Detail.BRIEF)
    assert set(_below(view)) >= {"Good", "Crossed"}
    assert [name for name, said in _below(view).items() if said] == ["Crossed", "Itself", "One", "Two", "Below", "Twice"]


def _below(view: View) -> dict[str, tuple[str, ...]]:
    """For each line of the first tree its first word's name, with the refusals below it."""
    assert texts(view)
    (tree, *_) = [block for block in view.blocks if hasattr(block, "roots")]
    return {
        root.line[0].text: tuple(text for text in refusal_texts(root.below) if "refuse" in text)
        for root in getattr(tree, "roots", ())
    }


def test_a_class_outside_has_hosts_and_no_order(index: Index) -> None:
    """What inherits from it is known, its own bases are not."""
    assert list(_below(hosts_of(index, "builtins.list", Detail.BRIEF))) == ["list"]
    with pytest.raises(FlowmapError, match="stands outside the indexed code") as raised:
        mro(index, "builtins.list", Detail.BRIEF)
    assert raised.value.code is ExitCode.FINDING
    with pytest.raises(FlowmapError, match="no such name"):
        hosts_of(index, "builtins.dict", Detail.BRIEF)
