"""Class orders are those that Python itself gives."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from flowmap.link.classes import c3_merge, linearize
from tests.reading import number_of, order_of, program_of

Bases = list[list[int]]


@st.composite
def hierarchies(draw: st.DrawFn) -> Bases:
    """For each of some classes the earlier classes that it inherits from, in any order, some of them twice."""
    n_classes = draw(st.integers(1, 10))
    return [
        draw(st.lists(st.integers(0, number - 1), unique=draw(st.booleans()), max_size=4)) if number else []
        for number in range(n_classes)
    ]


def orders_of_python(hierarchy: Bases) -> list[list[str] | None]:
    """`__mro__` of each class by name; None for those that Python refuses, and what inherits from them."""
    made: list[type | None] = []
    for number, bases in enumerate(hierarchy):
        parents = [made[base] for base in bases]
        found = [parent for parent in parents if parent is not None]
        try:
            made.append(type(f"C{number}", tuple(found), {}) if len(found) == len(parents) else None)
        except TypeError:
            made.append(None)
    return [None if cls is None else [one.__name__ for one in cls.__mro__] for cls in made]


def text_of(hierarchy: Bases) -> str:
    """The program that defines these classes."""
    return "".join(f"class C{n}({', '.join(f'C{base}' for base in bases)}): ...\n" for n, bases in enumerate(hierarchy))


@settings(max_examples=300, deadline=None)
@given(hierarchies())
def test_orders_are_those_of_python(hierarchy: Bases) -> None:
    """For every class that Python accepts; one that it refuses has a problem, and all the same an order."""
    program = program_of({"app.py": text_of(hierarchy)})
    problems = {number for number, _ in program.classes.problems}
    for number, expected in enumerate(orders_of_python(hierarchy)):
        found = [symbol.rpartition(".")[2] for symbol in order_of(program, f"app.C{number}")]
        if expected is not None:
            assert found == expected
            assert number_of(program.layout, f"app.C{number}") not in problems
        assert found[0] == f"C{number}"
        assert found[-1] == "object"
        assert len(found) == len(set(found))


@settings(max_examples=100, deadline=None)
@given(hierarchies())
def test_a_refused_class_is_said(hierarchy: Bases) -> None:
    """The first class that Python refuses is the first problem."""
    program = program_of({"app.py": text_of(hierarchy)})
    refused = [number for number, order in enumerate(orders_of_python(hierarchy)) if order is None]
    found = [program.layout.symbol(number) for number, _ in program.classes.problems]
    assert found[:1] == [f"app.C{number}" for number in refused[:1]]


def test_a_merge_without_answer_is_none() -> None:
    """`class C(A, B)` where B inherits from A."""
    assert c3_merge([[1], [2, 1], [1, 2]]) is None
    assert c3_merge([[2, 1], [1], [2, 1]]) == [2, 1]
    assert c3_merge([]) == []


def test_a_circle_of_bases_ends() -> None:
    """No program that runs has one; two files that import each other may look like it."""
    order, _ = linearize([1, 2], {1: (2,), 2: (1,)})
    assert order[1][0] == 1
    assert order[2][0] == 2


def test_bases_outside_the_index_keep_their_place() -> None:
    """They are named by their dotted names."""
    program = program_of(
        {"app.py": "import abc\nfrom lib import Base as B\nclass A(B, abc.ABC): ...\nclass C(A, unknown()): ...\n"}
    )
    assert order_of(program, "app.A") == ["app.A", "lib.Base", "abc.ABC", "builtins.object"]
    assert order_of(program, "app.C") == ["app.C", "app.A", "lib.Base", "abc.ABC", "?", "builtins.object"]


def test_bases_that_calls_give() -> None:
    """The class that a function gives by its text; nothing where it may give several, or something that text does not tell."""
    functions = {
        "one": "    return A\n",
        "inner": "    class Inner(A): ...\n    return Inner\n",
        "declared": "    found = A\n    return A\n",
        "several": "    if x: return A\n    return B\n",
        "computed": "    if x: return A\n    return x.A\n",
        "lazy": "    yield A\n    return A\n",
        "function": "    return one\n",
    }
    text = "class A: ...\nclass B: ...\n" + "".join(f"def {name}(x=0) -> type:\n{body}" for name, body in functions.items())
    text += "".join(f"class Of_{name}({name}()): ...\n" for name in (*functions, "unknown"))
    program = program_of({"app.py": text})
    found = {name: order_of(program, f"app.Of_{name}")[1:-1] for name in (*functions, "unknown")}
    assert found == {
        "one": ["app.A"],
        "inner": ["app.inner.<locals>.Inner", "app.A"],
        "declared": ["app.A"],
        **{name: ["?"] for name in ("several", "computed", "lazy", "function", "unknown")},
    }


def test_what_python_refuses_of_bases_alone() -> None:
    """A base that is named twice, and `object` before others; not bases that only may be the same, nor computed ones."""
    text = "import abc\nfrom abc import ABC\nclass A: ...\nclass Twice(A, A): ...\nclass Outside(ABC, abc.ABC): ...\n"
    text += "class First(object, A): ...\nclass Last(A, object): ...\nclass Computed(f(), f()): ...\n"
    text += "try: from fast import Base\nexcept ImportError: from abc import ABC as Base\nclass Either(Base, ABC): ...\n"
    program = program_of({"app.py": text})
    said = {program.layout.symbol(number): what for number, what in program.classes.problems}
    assert said == {
        "app.Twice": "it names its base A twice",
        "app.Outside": "it names its base ABC twice",
        "app.First": "its bases have no consistent method resolution order",
    }


def test_a_subscripted_base_is_its_class() -> None:
    """`Generic[T]` is Generic, and so is `Base[int]` the class Base."""
    program = program_of({"app.py": "class Base: ...\nclass A(Base[int]): ...\n"})
    assert order_of(program, "app.A") == ["app.A", "app.Base", "builtins.object"]


def test_subclasses_and_what_they_provide() -> None:
    """Below a class stand itself and all that have it in their order; a name belongs to the first that binds it."""
    text = "class A:\n    def f(self): ...\nclass B(A): ...\nclass C(B):\n    def f(self): ...\n"
    program = program_of({"app.py": text})
    a, b, c = (number_of(program.layout, f"app.{name}") for name in "ABC")
    assert program.classes.below[a] == (a, b, c)
    assert [program.classes.provides[cls]["f"] for cls in (a, b, c)] == [a, a, c]
    assert program.self_classes(number_of(program.layout, "app.A.f")) == (a, b)


def test_fields_belong_to_the_nearest_class_that_assigns_them() -> None:
    """By declaration, by binding, or through `self`."""
    text = "class A:\n    x: int\n    def f(self):\n        self.y = self.z = 1\n"
    text += "class B(A):\n    def g(me):\n        me.z = 2\n        self.x = 3\n"
    program = program_of({"app.py": text})
    a, b = (number_of(program.layout, f"app.{name}") for name in "AB")
    owners = {name: program.classes.field_owner(b, name) for name in ("x", "y", "z", "w")}
    assert owners == {"x": a, "y": a, "z": b, "w": b}
