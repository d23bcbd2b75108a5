"""Sites for which nothing is given: counted by reason, and told from those whose name the indexed code does not have."""

from __future__ import annotations

from pathlib import Path

from flowmap.store.untargeted import Shape, untargeted
from tests.programs import index_of

TEXT = """\
import json


class Door:
    def open(self): ...


def use(door, text):
    door.open()
    door.paint()
    door()
    Door().shut()
    Door().open()
    json.dumps(text)
    len(text)
"""


def shapes(tmp_path: Path) -> dict[str, Shape]:
    """The shapes of the program, by reason."""
    return {shape.reason: shape for shape in untargeted(index_of(tmp_path, {"app.py": TEXT}))}


def test_sites_are_counted_by_what_stopped_the_engine(tmp_path: Path) -> None:
    """Each reason stands once, with its first site; a site with a target, inside or outside, is none of them."""
    found = shapes(tmp_path)
    assert {reason: shape.n_sites for reason, shape in found.items()} == {
        "the receiver is unknown": 2,
        "what is called is unknown": 1,
        "the receiver has no such name that is known": 1,
    }
    assert found["the receiver is unknown"].example.line == TEXT.splitlines().index("    door.open()") + 1


def test_a_name_that_the_indexed_code_does_not_define_is_told_apart(tmp_path: Path) -> None:
    """Only `open` could be answered by what is indexed."""
    named = {reason: shape.n_named for reason, shape in shapes(tmp_path).items() if shape.n_named}
    assert named == {"the receiver is unknown": 1}
