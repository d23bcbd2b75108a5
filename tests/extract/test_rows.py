"""Rows that were once wrong, or that nothing but the order of a set decided."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from flowmap.model.facts import SLICE, Op
from tests.reading import facts_of, scope_of

ROOT = Path(__file__).parents[2]
DIGEST = """
import hashlib
from flowmap.model.facts import pack
from tests.reading import facts_of, library_texts
digest = hashlib.sha256()
for path, text in library_texts(every=60):
    digest.update(pack(facts_of(text, path)))
print(digest.hexdigest())
"""


def test_facts_are_the_same_under_every_hash_seed() -> None:
    """To the byte: neither the evidence nor a cache may depend on the run."""
    digests = {
        subprocess.run(
            [sys.executable, "-c", DIGEST],
            env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONWARNINGS": "ignore"},
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(digests) == 1


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("a, b = x", [0, 1]),
        ("a, *b, c = x", [0, (SLICE, 1, 0), -1]),
        ("match x:\n    case [a, b]: pass", [0, 1]),
        ("match x:\n    case [a, *b, c]: pass", [0, None, None]),
        ("match x:\n    case [*_, c]: pass", [None, None]),
    ],
)
def test_behind_a_star_positions_count_from_the_end_or_are_not_known(text: str, keys: list[object]) -> None:
    """The last of many is not the third."""
    facts = facts_of(text)
    assert [row[3] for row in next(facts.ops) if row[0] == Op.GETITEM] == keys


def test_a_parameter_stays_one() -> None:
    """Python refuses a `global` of a parameter only when it compiles; the parser takes it."""
    facts = facts_of("def f(x):\n    global x\n    x = 1\n")
    assert facts.problem is None
    assert set(scope_of(facts, "f").names) == {"x"}


@pytest.mark.parametrize(
    ("pattern", "n_classes"),
    [("A()", 1), ("A() | B()", 2), ("A(x=1) as y", 1), ("A() | None", 1), ("y", 0), ("_", 0), ("[A()]", 0)],
)
def test_a_class_pattern_narrows_what_is_matched(pattern: str, n_classes: int) -> None:
    """Only where every value that matches is of these classes; None is no value that is followed."""
    facts = facts_of(f"match x:\n    case {pattern}:\n        here(x)\n")
    (given,) = [row[3] for row in next(facts.ops) if row[0] == Op.CALL]
    operands = [row[4] for row in next(facts.ops) if row[0] == Op.FILTER and row[1] in given]
    assert [len(classes) for classes in operands] == ([n_classes] if n_classes else [])
