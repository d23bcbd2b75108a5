"""Under which conditions a call stands: the table in `docs/reference/formats.md`, row by row."""

from __future__ import annotations

from textwrap import dedent

import pytest

from tests.reading import facts_of, sites_of


def guards(text: str) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """The three lists of guards at the one call of `here` in a text: around it, inside the expression, early exits."""
    facts = facts_of(dedent(text))
    (site,) = [site for site in sites_of(facts) if site.name == "here"]
    return facts.guards[site.guards], facts.guards[site.expr_guards], facts.guards[site.early_exit_guards]


AROUND = [
    ("here()", []),
    ("if c: here()", ["if c"]),
    ("if c: pass\nelse: here()", ["not (c)"]),
    ("if here(): pass", []),
    ("if a: pass\nelif here(): pass", ["not (a)"]),
    ("if a: pass\nelif b: here()", ["not (a)", "if b"]),
    ("if a: pass\nelif b: pass\nelif c: here()", ["not (a)", "not (b)", "if c"]),
    ("if a: pass\nelif b: pass\nelse: here()", ["not (a)", "not (b)"]),
    ("if not a: here()", ["if not a"]),
    ("if not a: pass\nelse: here()", ["not (not a)"]),
    ("while c: here()", ["while c"]),
    ("while here(): pass", []),
    ("while c: pass\nelse: here()", ["loop else"]),
    ("for t in it: here()", ["for t in it"]),
    ("for i, x in pairs: here()", ["for (i, x) in pairs"]),
    ("for t in here(): pass", []),
    ("for t in it: pass\nelse: here()", ["loop else"]),
    ("async def f():\n    async for t in it: here()", ["async for t in it"]),
    ("with a, b as c: here()", ["with a, b as c"]),
    ("with a, here() as c: pass", []),
    ("async def f():\n    async with a as b: here()", ["async with a as b"]),
    ("try: here()\nexcept E: pass", ["try"]),
    ("try: pass\nexcept E: here()", ["except E"]),
    ("try: pass\nexcept (A, B) as e: here()", ["except (A, B)"]),
    ("try: pass\nexcept: here()", ["except"]),
    ("try: pass\nexcept* E: here()", ["except E"]),
    ("try: pass\nexcept E: pass\nelse: here()", ["try else"]),
    ("try: pass\nfinally: here()", ["finally"]),
    ("match s:\n    case [1, x] if g: here()", ["match s case [1, x] if g"]),
    ("match s:\n    case C(a=1): pass\n    case _: here()", ["match s case _"]),
    ("match here():\n    case _: pass", []),
    ("match s:\n    case x if here(): pass", []),
    ("if a:\n    for x in y:\n        with z: here()", ["if a", "for x in y", "with z"]),
    ("if a:\n    def f(): here()", []),
    ("if a:\n    f = lambda: here()", []),
    ("if a:\n    class C: here()", []),
    ("if a:\n    x = [here() for y in z]", ["if a"]),
    ("if   a  ==  'b' : here()", ["if a == 'b'"]),
]


@pytest.mark.parametrize(("text", "expected"), AROUND, ids=[text for text, _ in AROUND])
def test_statements_around(text: str, expected: list[str]) -> None:
    """Outermost first. What a statement evaluates itself is not inside it; a function body begins anew."""
    assert guards(text) == (tuple(expected), (), ())


INSIDE = [
    ("a and b and here()", ["a", "b"]),
    ("a or here()", ["not (a)"]),
    ("a or b or here()", ["not (a)", "not (b)"]),
    ("here() and a", []),
    ("a and (b or here())", ["a", "not (b)"]),
    ("here() if c else x()", ["c"]),
    ("y() if c else here()", ["not (c)"]),
    ("y() if here() else z", []),
    ("[here() for x in y if c]", ["c"]),
    ("[x for x in y if a if here()]", ["a"]),
    ("[x for x in y if here()]", []),
    ("[x for x in here() if a]", []),
    ("{k: here() for k in y if a for z in k if b}", ["a", "b"]),
    ("(here() for x in y)", []),
    ("f(a and here())", ["a"]),
    ("f(a and b, here())", []),
    ("a and (lambda: here())", []),
    ("x = a and b\nhere()", []),
]


@pytest.mark.parametrize(("text", "expected"), INSIDE, ids=[text for text, _ in INSIDE])
def test_conditions_inside_the_expression(text: str, expected: list[str]) -> None:
    """Short-circuits, ternaries, and the `if` of a comprehension but not its `for`."""
    assert guards(text) == ((), tuple(expected), ())


EARLY = [
    ("if a: return\nhere()", ["not (a)"]),
    ("if a: raise E\nhere()", ["not (a)"]),
    ("if a: f()\nhere()", []),
    ("here()\nif a: return", []),
    ("if a: return\nif b: raise E\nhere()", ["not (a)", "not (b)"]),
    ("if a: return\nelif b: return\nhere()", ["not (a)", "not (b)"]),
    ("if a: return\nelif b: f()\nhere()", ["not (a)"]),
    ("if a: f()\nelif b: return\nhere()", []),
    ("if a: return\nelse: f()\nhere()", ["not (a)"]),
    ("if a:\n    if b: return\n    else: raise E\nhere()", ["not (a)"]),
    ("if a:\n    if b: return\nhere()", []),
    ("if a:\n    with b: return\nhere()", ["not (a)"]),
    ("if a:\n    try: return\n    except E: raise\nhere()", ["not (a)"]),
    ("if a:\n    try: return\n    except E: f()\nhere()", []),
    ("if a:\n    try: f()\n    finally: return\nhere()", ["not (a)"]),
    ("if a:\n    while True: return\nhere()", []),
    ("assert a\nhere()", []),
    ("if not a: return\nhere()", ["not (not a)"]),
    ("if a: return\ndef g(): here()", []),
]


@pytest.mark.parametrize(("text", "expected"), EARLY, ids=[text for text, _ in EARLY])
def test_early_exits(text: str, expected: list[str]) -> None:
    """Tests of earlier statements whose blocks always leave. An assertion is none; the function is the limit."""
    around, inside, early = guards("def f():\n" + "\n".join(f"    {line}" for line in text.splitlines()))
    assert (around, inside, early) == ((), (), tuple(expected))


@pytest.mark.parametrize(
    ("text", "around", "early"),
    [
        ("if a: return\nfor x in y:\n    if b: continue\n    if c: here()", ["for x in y", "if c"], ["not (a)", "not (b)"]),
        ("for x in y:\n    if b: break\nhere()", [], []),
        ("if a:\n    if b: return\nelse:\n    here()", ["not (a)"], []),
        ("with z:\n    if a: return\n    while b:\n        here()", ["with z", "while b"], ["not (a)"]),
        ("try:\n    if a: return\n    f()\nexcept E:\n    here()", ["except E"], []),
    ],
)
def test_early_exits_of_blocks_around(text: str, around: list[str], early: list[str]) -> None:
    """A block's early exits hold in all blocks inside it, and not behind it."""
    found = guards("def f():\n" + "\n".join(f"    {line}" for line in text.splitlines()))
    assert found == (tuple(around), (), tuple(early))


def test_all_three_at_once() -> None:
    """Each list says another thing."""
    text = """
        def step(self):
            if self.closed:
                return None
            for message in self.queue:
                return message.ready and here(message)
    """
    assert guards(text) == (("for message in self.queue",), ("message.ready",), ("not (self.closed)",))
