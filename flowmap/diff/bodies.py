"""What the bodies of two definitions say, however it is written: compared as trees, so that layout, redundant parentheses, the
kinds of quotes and raw strings are no difference, and under another name for what has another name by now.

Nothing here knows a kind of node: a tree is its nodes' names and fields.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import zip_longest

from flowmap.extract.parse import parse_quietly
from flowmap.extract.sketch import sketch_file
from flowmap.model.sketch import Sketch
from flowmap.model.source import SourceFile

_LAYOUT = ("ctx", "kind", "type_comment", "lineno", "end_lineno")  # fields that say nothing of their own
_DIGEST_BYTES = 12
_MASK = "\0"
_END = object()
_BODY, _VALUE = "body", "value"
Text = Sequence[str]  # the lines of a definition, from its `def` or `class` on


def same_body(one: Text, other: Text, renamed: Mapping[str, str]) -> bool:
    """Whether two definitions do the same. A name counts as the same under the name that `renamed` gives it, too."""
    try:
        first, second = _leaves(one), _leaves(other)
        return all(_same(mine, theirs, renamed) for mine, theirs in zip_longest(first, second, fillvalue=_END))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def shape_of(text: Text, masked: Collection[str]) -> str:
    """Names what a body does but for some names: bodies of one shape differ in these at most. "" where it cannot be read."""
    found = hashlib.blake2b(digest_size=_DIGEST_BYTES)
    try:
        for leaf in _leaves(text):
            found.update(f"{_MASK if leaf in masked else leaf!r}\n".encode("utf-8", "backslashreplace"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    return found.hexdigest()


def is_whole(sketch: Sketch, text: Text) -> bool:
    """Whether a sketch is of this text alone: those of several parts of one symbol are one."""
    file = SourceFile("", "m", is_package=False, is_stub=False, digest="", location="")
    (first, *_) = sketch_file(file, _parsable(text).encode("utf-8", "surrogatepass")).sketches or (None,)
    return first is not None and first.digest == sketch.digest


def _parsable(text: Text) -> str:
    """A text that stands as deep as it may, as a module: nothing in its strings is moved."""
    return "\n".join(("if 1:" if text[0][:1].isspace() else "", *text))


def _same(mine: object, theirs: object, renamed: Mapping[str, str]) -> bool:
    if mine == theirs and type(mine) is type(theirs):
        return True
    return isinstance(mine, str) and renamed.get(mine) == theirs


def _leaves(text: Text) -> Iterator[object]:
    """A definition's tree in one row: for each node its class and what is no node in it. Its own name, its decorators, what it
    takes and its docstring are left out; of what is defined in it the name is there."""
    module = parse_quietly(_parsable(text), "exec")
    definition = _block(module)[0]
    while not hasattr(definition, "name"):
        definition = _block(definition)[0]
    yield from _row(_without_doc(definition))


def _block(node: object) -> list[object]:
    found: list[object] = getattr(node, _BODY)
    return found


def _without_doc(node: object) -> list[object]:
    body = _block(node)
    text = getattr(getattr(body[0], _VALUE, None), _VALUE, None) if body else None
    return body[1:] if isinstance(text, str) and type(body[0]).__name__ == "Expr" else body


def _row(body: list[object]) -> Iterator[object]:
    waiting: list[object] = [body]
    while waiting:
        node = waiting.pop()
        if isinstance(node, list):
            yield len(node)
            waiting.extend(reversed(node))
        elif hasattr(node, "_fields"):
            yield type(node)
            names = ("name",) if hasattr(node, "decorator_list") else _names(node)  # what is defined inside speaks for itself
            waiting.extend(getattr(node, name, None) for name in reversed(names))
        else:
            yield node


def _names(node: object) -> tuple[str, ...]:
    names: tuple[str, ...] = getattr(node, "_fields", ())
    return tuple(name for name in names if name not in _LAYOUT)
