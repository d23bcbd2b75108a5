"""Files that are no Python, or nearly none: what is said of them, and what is read all the same."""

from __future__ import annotations

import sys

import pytest

from flowmap.extract.text import parsed_text
from flowmap.model.facts import FACTS_FORMAT, pack, unpack
from tests.reading import facts_of, scope_of, sites_of


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (b"def f(:\n", "line 1: invalid syntax"),
        (b"x = 1\n  y = 2\n", "line 2: unexpected indent"),
        (b"print 'hello'\n", "line 1: Missing parentheses in call to 'print'"),
        (b"x = 1\0\n", "null bytes"),
        ("x = 'é'\n".encode("latin-1"), "can't decode byte 0xe9"),
        ("x = 1\n".encode("utf-16"), ""),
        (b"# coding: nope\n", "unknown encoding"),
        (b"# coding: hex\n", "not a text encoding"),
        (b"x = " + b"-" * 100_000 + b"1\n", "nested too deeply"),
    ],
)
def test_a_file_that_does_not_parse_says_why(text: bytes, what: str) -> None:
    """One sentence and what to do about it; nothing else is known of the file."""
    facts = facts_of(text)
    assert facts.problem is not None
    assert what in facts.problem[0]
    assert "--exclude" in facts.problem[1]
    assert (facts.scopes, facts.sites, facts.packed_ops) == ((), (), ())


@pytest.mark.parametrize(
    ("text", "since"),
    [
        ("type Pair = tuple[int, int]\n", (3, 12)),
        ("def first[T](items: list[T]) -> T:\n    return items[0]\n", (3, 12)),
        ("class Box[T]:\n    pass\n", (3, 12)),
        ("x = f'{d['key']}'\n", (3, 12)),
        ("try:\n    f()\nexcept A, B:\n    pass\n", (3, 14)),
        ("x = t'{name}'\n", (3, 14)),
        ('f(1,\n  Rt"""{name}\n""")\n', (3, 14)),
        ("lazy import json\n", (3, 15)),
        ("lazy from json import loads\n", (3, 15)),
        ("x = [*row for row in rows]\n", (3, 15)),
        ("x = {**row for row in rows}\n", (3, 15)),
    ],
)
def test_syntax_of_a_newer_python_is_reported_as_that(text: str, since: tuple[int, int]) -> None:
    """It is read where it can be; else the way out is a newer Python."""
    facts = facts_of(text)
    if sys.version_info >= since:
        assert facts.problem is None
    else:
        assert facts.problem is not None
        assert "newer Python" in facts.problem[0]
        assert facts.problem[1].startswith("run flowmap under a newer Python")


@pytest.mark.parametrize("text", ["x = set'a'\n", "x = 'a' 't\n", "x = 'it' t\n", "lazily import json\n", "x = bt'a'\n"])
def test_what_no_python_reads_is_not_called_newer(text: str) -> None:
    """Though it looks a little like what a newer one reads."""
    facts = facts_of(text)
    assert facts.problem is not None
    assert "newer Python" not in facts.problem[0]


@pytest.mark.parametrize(
    ("text", "line", "col"),
    [
        (b"\xef\xbb\xbff(1)\n", 1, 0),
        ("# coding: latin-1\nx = 'é'; f(1)\n".encode("latin-1"), 2, 10),
        ("x = 'é'; f(1)\n".encode(), 1, 10),
        (b"x = 1\r\nf(1)\r\n", 2, 0),
        (b"x = 1\rf(1)\r", 2, 0),
        (b"\x0cf(1)\n", 1, 1),
        (b"x = 1\n\x0c\nf(1)", 3, 0),
    ],
)
def test_lines_and_columns_are_those_of_the_parser(text: bytes, line: int, col: int) -> None:
    """Byte order marks, coding cookies, line ends of three systems and form feeds shift nothing."""
    facts = facts_of(text)
    assert facts.problem is None
    (site,) = sites_of(facts)
    assert (site.line, site.col, site.expr) == (line, col, "f(1)")
    assert parsed_text(text).split(b"\n")[line - 1][col:].startswith(b"f(1)")


@pytest.mark.parametrize(("text", "n_lines"), [(b"", 0), (b"a", 1), (b"a\n", 1), (b"a\n\nb", 3), (b"a\rb\r", 2), (b"a\r\nb", 2)])
def test_lines_are_counted(text: bytes, n_lines: int) -> None:
    """A last line counts with and without its end."""
    assert facts_of(text).n_lines == n_lines


@pytest.mark.parametrize(
    "text",
    [
        "x = " + " + ".join(["f()"] * 800),
        "x = a" + ".b()" * 300,
        "if a:\n    pass\n" + "elif b:\n    f()\n" * 500,
    ],
)
def test_long_generated_code_is_read(text: str) -> None:
    """Hundreds of levels are usual in files that programs wrote."""
    facts = facts_of(text)
    assert facts.problem is None
    assert len(sites_of(facts)) >= 300


@pytest.mark.parametrize("text", ["f(0x" + "f" * 5000 + ")", "def f(x=0x" + "f" * 5000 + "): ..."])
def test_a_number_that_cannot_be_printed_is_left_out(text: str) -> None:
    """Python refuses to print numbers of thousands of digits."""
    assert facts_of(text).problem is None


def test_a_docstring_is_always_text() -> None:
    """Half a surrogate pair is a string to Python, and no text to anyone else."""
    assert scope_of(facts_of('"""a \\ud800 b"""'), "").doc == "a ? b"


def test_facts_of_another_format_are_not_read() -> None:
    """They are extracted anew."""
    packed = pack(facts_of("f(1)"))
    assert unpack(packed) is not None
    number = FACTS_FORMAT.to_bytes(4, "little")
    other = (FACTS_FORMAT + 1).to_bytes(4, "little")
    assert unpack(packed.replace(number, other, 1)) is None
