"""Where the called name ends: the last character, in characters, on its own line."""

from __future__ import annotations

import pytest

from flowmap.extract.name_end import name_end


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("f(x)", (1, 0)),
        ("self.worker.run(a.b)", (1, 14)),
        ("é.run()", (1, 4)),
        ("a\n  .run(\n1)", (2, 5)),
        ("x.prop", (1, 5)),
        ("make()(1).go()", (1, 11)),
        ("table[key]()", None),
        ("f()()", None),
        ("def", None),
    ],
)
def test_the_last_character_of_the_name(text: str, expected: tuple[int, int] | None) -> None:
    """None where what is called has no name."""
    lines = text.split("\n")
    assert name_end(lines, (1, 0), (len(lines), len(lines[-1].encode()))) == expected


def test_an_expression_inside_a_line() -> None:
    """Columns are those of the file; bytes before the expression are counted as characters in the answer."""
    assert name_end(["é = f.g()"], (1, 5), (1, 10)) == (1, 6)
    assert name_end([], (1, 0), (1, 3)) is None
