"""Code in little room: what is left out is seen to be left out, and what stays means what it meant."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flowmap.reports.abridged import LEFT_OUT, abridged, joined_by_and

HOLE = "HOLE"
LONG_GUARD = "not (is_health(request) and (len(self.a) > 0 or len(self.tags) > 0))"
UNFINISHED = ("value = call(first, [one for one in others if", "'''a text that goes on here", ") + more(", "# don't open (")


@pytest.mark.parametrize(
    ("code", "limit", "told"),
    [
        (LONG_GUARD, 50, "not (is_health(…) and (len(…) > 0 or len(…) > 0))"),
        (LONG_GUARD, 36, "not (is_health(…) and (… > 0 or …))"),
        ("if first_name == one and second_name == two or third", 20, "if … and … or third"),
        ("if first_name == one and second_name == two or third", 44, "if first_name == one and … == two or third"),
        ("self.worker.draft.runner.model.forward", 20, "self.….model.forward"),
        ("for a, b in zip(first_list, second_list, strict=True)", 30, "for a, b in zip(first_list, …)"),
        ("'a text that is too long' not in names", 24, "'a text t…' not in names"),
        ("f'a {value} that is too long'", 10, "f'a …'"),
        ("-first_name * second_name + third_name", 30, "-first_name * second_name + …"),
        ("lambda a, b: something_long(a), other_name", 32, "lambda a, b: …, other_name"),
        ("match request.kind case Kind.DECODE if request.ready", 32, "match request.kind case … if …"),
        ("(self, batch: ScheduleBatch, result: Optional[Result]) -> None", 40, "(self, batch: ScheduleBatch, …) -> None"),
        ("a_name_without_any_place_to_cut", 12, "a_name_with…"),
        ("short", 12, "short"),
        ("(self.chunked is not None or self.manager.any_staging() or other.thing)", 28, "(self.chunked is not … or …)"),
    ],
)  # fmt: skip
def test_what_is_left_out(code: str, limit: int, told: str) -> None:
    """Arguments first, then operands; operators and the end of a chain of names stay."""
    assert abridged(code, limit) == told


@pytest.mark.parametrize(
    "code", ["value = call(first, [one for one in others if", "'''a text that goes on here", ") + more(", "# don't"]
)
def test_a_line_of_a_longer_statement(code: str) -> None:
    """A line may lack the other half of its brackets and quotes; it is not given them, and room is kept to."""
    for limit in range(1, len(code)):
        told = abridged(code, limit)
        assert len(told) <= limit
        assert told.count(")") <= code.count(")")


def test_guards_that_hold_together() -> None:
    """Joined by `and`, what binds looser stands in brackets; what does not stands without, and so does one alone."""
    assert joined_by_and(["a or b", "c"]) == "(a or b) and c"
    assert joined_by_and(["x if y else z", "not (a or b)", "f(a or b)"]) == "(x if y else z) and not (a or b) and f(a or b)"
    assert joined_by_and(["a or b"]) == "a or b"
    assert joined_by_and(["a and b", "c == d"]) == "a and b and c == d"


NAMES = st.sampled_from(["a", "self", "batch", "forward_mode", "is_decode_or_idle", "match", "case", "in_", "not_ready"])


def expressions() -> st.SearchStrategy[str]:
    """Expressions as text, of operators of every level."""
    binary = st.sampled_from(["and", "or", "==", "not in", "in", "is not", "<", "+", "-", "*", "|", "**", "//", "<<", "@"])
    return st.recursive(
        NAMES | st.sampled_from(["1.5", "'x'", "'a (text, or'", '"don\'t"', "None", "f'{a} or'"]),
        lambda inner: st.one_of(
            st.tuples(inner, binary, inner).map(lambda parts: f"({parts[0]}) {parts[1]} ({parts[2]})"),
            inner.map(lambda one: f"not ({one})"),
            inner.map(lambda one: f"-({one})"),
            st.tuples(inner, NAMES).map(lambda parts: f"({parts[0]}).{parts[1]}"),
            st.tuples(NAMES, st.lists(inner, max_size=3)).map(lambda parts: f"{parts[0]}({', '.join(parts[1])})"),
            st.tuples(inner, inner, inner).map(lambda parts: f"({parts[0]}) if ({parts[1]}) else ({parts[2]})"),
            st.tuples(inner, inner).map(lambda parts: f"({parts[0]})[({parts[1]})]"),
            st.tuples(inner, inner).map(lambda parts: f"[({parts[0]}) for a, b in ({parts[1]}) if a]"),
            inner.map(lambda one: f"lambda a, b: ({one})"),
        ),
        max_leaves=12,
    ).map(lambda text: ast.unparse(ast.parse(text, mode="eval")))


@given(expressions(), st.integers(1, 60))
def test_what_stays_means_what_it_meant(code: str, limit: int) -> None:
    """Whatever is cut short is an expression in which operands of the whole are left out, and keeps to its room."""
    told = abridged(code, limit)
    assert len(told) <= max(limit, 1)
    assert told == code if len(code) <= limit else LEFT_OUT in told
    short, whole = (ast.parse(text, mode="eval").body for text in (told.replace(LEFT_OUT, HOLE), code))
    assert is_part(short, whole), told


def is_part(short: object, whole: object) -> bool:
    """Whether a tree is another one in which operands, arguments or names of a chain are left out."""
    if is_hole(short):
        return True
    if isinstance(short, list) and isinstance(whole, list):
        same = len(short) == len(whole) or (len(short) <= len(whole) and bool(short) and is_hole(short[-1]))
        return same and all(map(is_part, short, whole))
    if isinstance(short, ast.BinOp | ast.BoolOp | ast.Compare) and ends_early(short, whole):
        return True
    if not isinstance(short, ast.AST):
        return short == whole or (isinstance(short, str) and HOLE in short)
    return type(short) is type(whole) and all(is_part(getattr(short, name), getattr(whole, name)) for name in short._fields)


def ends_early(short: ast.BinOp | ast.BoolOp | ast.Compare, whole: object) -> bool:
    """Whether the last operand that is told stands for the rest of a chain of operators that bind alike."""
    match short, whole:
        case ast.BinOp(right=last), ast.BinOp(left=ast.BinOp() as left) if is_hole(last):
            return is_part(short, left)
        case ast.Compare(ops=told, comparators=[*_, last]), ast.Compare(ops=ops, comparators=others) if is_hole(last):
            same = all(type(one) is type(other) for one, other in zip(told, ops, strict=False))
            return same and is_part(short.left, whole.left) and is_part(short.comparators, others)
        case _:
            return False


def is_hole(tree: object) -> bool:
    """Whether this stands for what is left out."""
    match tree:
        case ast.Name(id=name) | ast.arg(arg=name):
            return HOLE in name
        case ast.JoinedStr():
            return HOLE in ast.dump(tree)
        case ast.Attribute(attr=name, value=value):
            return HOLE in name or is_hole(value)
        case ast.List(elts=[one]):  # of a comprehension, too
            return is_hole(one)
        case _:
            return False
