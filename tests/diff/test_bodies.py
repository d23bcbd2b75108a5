"""Whether two bodies do the same is told from their trees: however they are written, and under other names."""

from __future__ import annotations

import pytest

from flowmap.diff.bodies import same_body, shape_of

SAME = {
    "layout": ("def f(x):\n    return g(x, 1)", "def f(x):\n    return g(\n        x,\n        1,\n    )"),
    "parentheses": ("def f(x):\n    return not x and (y)", "def f(x):\n    return (not (x)) and y"),
    "raw strings": ('def f():\n    return "\\\\d"', 'def f():\n    return r"\\d"'),
    "quotes, and pieces side by side": ("def f():\n    return 'ab'", 'def f():\n    return "a" "b"'),
    "comments and docstrings": ('def f():\n    """One."""\n    return 1', "def f():\n    # one\n    return 1"),
    "where it stands": ("    def f(self):\n        return 1", "def f(self):\n    return 1"),
    "what is defined in it": ("def f():\n    def g(): return 1\n    return g", "def f():\n    def g(): return 2\n    return g"),
    "its own name": ("def f():\n    return 1", "def h():\n    return 1"),
}
OTHER = {
    "another number": ("def f():\n    return 1", "def f():\n    return 2"),
    "a number as a truth value": ("def f():\n    return 1", "def f():\n    return True"),
    "another order": ("def f():\n    a()\n    b()", "def f():\n    b()\n    a()"),
    "other bounds": ("def f(x):\n    return (x + 1) * 2", "def f(x):\n    return x + 1 * 2"),
    "a string": ('def f():\n    return "a"', 'def f():\n    return "b"'),
    "a statement more": ("def f():\n    return 1", "def f():\n    pass\n    return 1"),
    "what cannot be read": ("def f(:", "def f(:"),
}


@pytest.mark.parametrize("name", SAME)
def test_what_is_only_written_otherwise_is_the_same(name: str) -> None:
    """In whichever direction it is asked."""
    one, other = (text.split("\n") for text in SAME[name])
    assert same_body(one, other, {})
    assert same_body(other, one, {})
    assert shape_of(one, ()) == shape_of(other, ())


@pytest.mark.parametrize("name", OTHER)
def test_what_does_something_else_is_not(name: str) -> None:
    """However little it is."""
    one, other = (text.split("\n") for text in OTHER[name])
    assert not same_body(one, other, {})
    assert shape_of(one, ()) != shape_of(other, ()) or not shape_of(one, ())


def test_a_new_name_is_the_same_where_it_is_the_new_name() -> None:
    """Of what is told as renamed alone, in names, attributes and keywords."""
    one, other = ("def f(x):\n    return x.old(old=old)", "def f(x):\n    return x.new(new=new)")
    assert same_body(one.split("\n"), other.split("\n"), {"old": "new"})
    assert not same_body(one.split("\n"), other.split("\n"), {"old": "other"})
    assert not same_body(one.split("\n"), other.split("\n"), {})


def test_bodies_of_one_shape_differ_in_masked_names_alone() -> None:
    """In which ones does not count."""
    one, other, third = ("def f(x): return a(x)", "def f(x): return b(x)", "def f(x): return c(x)")
    assert shape_of([one], {"a", "b"}) == shape_of([other], {"a", "b"})
    assert shape_of([one], {"a", "b"}) != shape_of([third], {"a", "b"})
