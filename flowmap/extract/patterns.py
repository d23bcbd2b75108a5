"""Patterns of `match`: what their names take of the subject."""

from __future__ import annotations

import ast

from flowmap.extract.body import NOTHING, Body
from flowmap.extract.bound import names_in_pattern
from flowmap.extract.keys import constant_key
from flowmap.extract.lower import lower
from flowmap.extract.narrow import class_nodes, narrow_subject
from flowmap.model.facts import CASE, MATCH, Op, SiteShape, Test


def pattern(body: Body, node: ast.pattern, subject: int) -> None:
    """Binds the names of a pattern to what they take of the subject."""
    match node:
        case ast.MatchAs():
            as_pattern(body, node, subject)
        case ast.MatchClass():
            class_pattern(body, node, subject)
        case ast.MatchSequence():
            sequence_pattern(body, node, subject)
        case ast.MatchOr(patterns=parts):
            for part in parts:
                pattern(body, part, subject)
        case ast.MatchMapping():
            mapping_pattern(body, node, subject)
        case ast.MatchValue(value=value):
            lower(body, value)
        case _:
            for name in names_in_pattern(node):
                bind_name(body, name, subject, node.lineno)


def narrow_by_pattern(body: Body, subject: ast.expr, node: ast.pattern) -> None:
    """Lets the name or chain that is matched stand for what a class pattern takes, inside its case."""
    classes = [found for part in pattern_classes(node) for found in class_nodes(body, part)]
    if classes:
        narrow_subject(body, subject, Test.INSTANCE, tuple(classes))


def pattern_classes(node: ast.pattern) -> list[ast.expr]:
    """The classes that a value must be of to match, one of them; none when other values match, too."""
    match node:
        case ast.MatchClass():
            return [node.cls]
        case ast.MatchAs(pattern=ast.pattern() as inner):
            return pattern_classes(inner)
        case ast.MatchOr():
            parts = [part for part in node.patterns if not is_none(part)]
            found = [pattern_classes(part) for part in parts]
            return [one for part in found for one in part] if all(found) else []
        case _:
            return []


def is_none(node: ast.pattern) -> bool:
    """`case None`: nothing that is followed."""
    return isinstance(node, ast.MatchSingleton) and node.value is None


def takes_all_of(node: ast.pattern) -> bool:
    """Whether a pattern takes every instance of its classes: it asks for nothing else."""
    match node:
        case ast.MatchClass():
            return not node.patterns and not node.kwd_patterns
        case ast.MatchAs(pattern=ast.pattern() as inner):
            return takes_all_of(inner)
        case ast.MatchOr():
            return all(takes_all_of(part) or is_none(part) for part in node.patterns)
        case _:
            return False


def narrow_by_failure(body: Body, subject: ast.expr, node: ast.pattern) -> None:
    """Lets the name or chain that is matched stand for what a pattern left, in the cases behind it."""
    classes = [found for part in pattern_classes(node) for found in class_nodes(body, part)]
    if classes and takes_all_of(node):
        narrow_subject(body, subject, Test.NOT_INSTANCE, tuple(classes))


def mapping_pattern(body: Body, node: ast.MatchMapping, subject: int) -> None:
    """`case {"key": value, **rest}`"""
    for key, part in zip(node.keys, node.patterns, strict=True):
        item = body.node(node.lineno)
        body.emit(Op.GETITEM, item, subject, constant_key(key), lower(body, key), -1)
        pattern(body, part, item)
    if node.rest is not None:
        bind_name(body, node.rest, subject, node.lineno)


def bind_name(body: Body, name: str, value: int, line: int) -> None:
    """Binds a name of a pattern."""
    body.bind(name, value, line)
    body.note_value(name)


def as_pattern(body: Body, node: ast.MatchAs, subject: int) -> None:
    """`case name`, `case inner as name`, `case _`."""
    if node.pattern is not None:
        subject = pattern_class(body, node.pattern, subject)
        pattern(body, node.pattern, subject)
    if node.name is not None:
        bind_name(body, node.name, subject, node.lineno)


def sequence_pattern(body: Body, node: ast.MatchSequence, subject: int) -> None:
    """`case [a, *rest, b]`, element by element; behind the star positions are not known."""
    before_star = True
    for index, part in enumerate(node.patterns):
        before_star = before_star and not isinstance(part, ast.MatchStar)
        element = body.node(node.lineno)
        body.emit(Op.GETITEM, element, subject, index if before_star else None, NOTHING, -1)
        if isinstance(part, ast.MatchStar):
            rest = body.node(node.lineno)
            body.emit(Op.DISPLAY, rest, "list", ((None, element),))
            element = rest
        pattern(body, part, element)


def pattern_class(body: Body, node: ast.pattern, subject: int) -> int:
    """The subject narrowed by a class pattern, the subject itself by any other."""
    if not isinstance(node, ast.MatchClass):
        return subject
    classes = lower(body, node.cls)
    dst = body.node(node.lineno)
    body.emit(Op.FILTER, dst, subject, Test.INSTANCE, (classes,))
    return dst


def class_pattern(body: Body, node: ast.MatchClass, subject: int) -> None:
    """`case C(a, field=b)`."""
    narrowed = pattern_class(body, node, subject)
    text = f"{CASE}{body.file.text.of(node.cls)}"
    for name, part in zip(node.kwd_attrs, node.kwd_patterns, strict=True):
        field = body.node(part.lineno)
        site = body.site_at(part, SiteShape.READ, (name, part.lineno), text)
        body.emit(Op.ATTR, field, narrowed, name, site)
        pattern(body, part, field)
    for index, part in enumerate(node.patterns):
        taken = body.node(part.lineno)
        site = body.site_at(part, SiteShape.READ, ("", part.lineno), text)
        body.emit(Op.GETITEM, taken, narrowed, (MATCH, index), NOTHING, site)
        pattern(body, part, taken)
