"""Which field of one release is which of the next: told by who reads and stores it."""

from __future__ import annotations

from flowmap.drift.changed import by_symbol
from flowmap.drift.fields import FieldMatching, match_fields
from flowmap.drift.matching import Doubt, How, match_definitions
from flowmap.extract.sketch import sketch_file
from tests.reading import source_file

USERS = """
def make(n):
    return Result(FIELD=n)
def report(result):
    log(result.FIELD)
def store(result):
    result.FIELD = 3
"""


def result(*fields: str) -> str:
    """A class with fields."""
    return "class Result:\n" + "".join(f"    {name}: int = 0\n" for name in fields)


def users(name: str) -> str:
    """Functions that use a field."""
    return USERS.replace("FIELD", name)


def matched(before: str, after: str) -> FieldMatching:
    """What became of the fields of a module."""
    files = [sketch_file(source_file("p/a.py"), text.encode()) for text in (before, after)]
    sides = by_symbol(files[:1]), by_symbol(files[1:])
    return match_fields(sides, (files[0].fields, files[1].fields), match_definitions(*sides))


def changes(matching: FieldMatching) -> list[tuple[str, How, str]]:
    """The matches, in short."""
    return [(one.before, one.how, one.after) for one in matching.matches]


def test_a_renamed_field_goes_from_its_users_and_the_new_name_comes_to_them() -> None:
    """All three of them."""
    matching = matched(result("n_tokens") + users("n_tokens"), result("n_drafts") + users("n_drafts"))
    assert changes(matching) == [("p.a.Result.n_tokens", How.RENAMED, "p.a.Result.n_drafts")]


def test_a_field_whose_users_are_gone_is_gone() -> None:
    """Nobody says the new name in place of the old one."""
    assert matched(result("n_tokens") + users("n_tokens"), result("n_drafts")) == FieldMatching((), ())


def test_a_new_field_of_other_users_is_another_one() -> None:
    """The old one left its users, and the new one came elsewhere."""
    before = result("n_tokens") + users("n_tokens") + "def other(result):\n    return 1\n"
    after = result("copied") + users("x").replace("result.x", "done") + "def other(result):\n    return result.copied\n"
    assert not changes(matched(before, after))


def test_one_user_is_not_enough_for_names_that_are_not_alike() -> None:
    """It may as well have stopped using the one and begun to use the other."""
    before = result("closed") + "def f(result):\n    return result.closed\n"
    after = result("weights") + "def f(result):\n    return result.weights\n"
    assert matched(before, after) == FieldMatching((), ())


def test_two_new_fields_that_came_to_the_same_users_are_in_doubt() -> None:
    """None is taken."""
    both = users("left") + "def more(result):\n    log(result.left)\n"
    after = both.replace("left", "one").replace("log(result.one)", "log(result.one, result.two)")
    after = after.replace("result.one = 3", "result.one = result.two = 3").replace("Result(one=n)", "Result(one=n, two=n)")
    matching = matched(result("left") + both, result("one", "two") + after)
    assert matching.doubts == (Doubt("p.a.Result.left", ("p.a.Result.one", "p.a.Result.two")),)
    assert matching.matches == ()


def test_a_field_that_moved_into_an_object_of_its_own() -> None:
    """The class makes that object, and its class has the field now."""
    before = "class Req:\n    def __init__(self):\n        self.length = 0\n        self.kv = None\n"
    after = "class Kv:\n    length: int = 0\nclass Req:\n    def __init__(self):\n        self.kv = Kv()\n"
    assert changes(matched(before, after)) == [("p.a.Req.length", How.MOVED, "p.a.Kv.length")]


def test_a_field_of_the_same_name_elsewhere_is_another_one() -> None:
    """Nothing leads from the class to it."""
    before = "class Req:\n    def __init__(self):\n        self.length = 0\n"
    after = "class Pool:\n    length: int = 0\nclass Req:\n    def __init__(self):\n        self.kv = None\n"
    assert matched(before, after) == FieldMatching((), ())


def test_what_stays_is_not_told() -> None:
    """Nor is what comes."""
    assert matched(result("n"), result("n", "m")) == FieldMatching((), ())
