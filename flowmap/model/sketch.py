"""What the files of one release define, in short: enough to find it again in another release, where nothing is solved.

Rows are tuples, as those of `facts`: they cross process borders by `marshal` and lie on disk.
"""

from __future__ import annotations

import marshal
from typing import Any, NamedTuple

SKETCH_FORMAT = 1  # raised whenever a row or its meaning changes; what is kept of another format is made anew


class Sketch(NamedTuple):
    """A class or function. Several of one symbol (a property's parts, overloads) are one: the first one's place, all words."""

    symbol: str
    name: str
    kind: str  # a DefinitionKind
    owner: str  # symbol of the enclosing class or function, or the module
    module: str
    file: str
    line: int
    end_line: int
    signature: str  # "(self, batch: ScheduleBatch) -> None"; bases of a class: "(Base, Mixin)"
    decorators: tuple[str, ...]
    digest: str  # of what its body says; comments, docstring, layout and the definition's own name do not count
    statements: tuple[int, ...]  # a checksum of each, sorted
    words: tuple[str, ...]  # what it speaks of, each once, sorted; what stands before a word tells its part: see Word


class Word:
    """What stands before a word of a Sketch."""

    NAME = ""
    READ = "."  # an attribute
    STORED = "="  # an attribute, assigned or deleted
    KEYWORD = ":"  # a keyword of a call
    TEXT = "'"  # a short string


class Field(NamedTuple):
    """A name that a class or module assigns or declares, in its own body or through the first parameter of its methods."""

    owner: str  # symbol of the class or module
    name: str
    module: str
    file: str
    line: int
    declared: str  # its annotation, "" where there is none
    made: str  # what is called to make its value, as a dotted text; "" where it is made otherwise


class FileSketch(NamedTuple):
    """All that one file defines. Both are empty where it did not parse."""

    path: str
    sketches: tuple[Sketch, ...]
    fields: tuple[Field, ...]


def pack_sketch(sketch: FileSketch) -> bytes:
    """A file's sketch as bytes for another process or the disk."""
    return marshal.dumps((SKETCH_FORMAT, sketch.path, tuple(map(tuple, sketch.sketches)), tuple(map(tuple, sketch.fields))))


def unpack_sketch(packed: bytes) -> FileSketch:
    """The sketch from bytes. What is kept is kept apart by its format."""
    row: tuple[int, str, tuple[tuple[Any, ...], ...], tuple[tuple[Any, ...], ...]] = marshal.loads(packed)
    _, path, sketches, fields = row
    return FileSketch(path, tuple(Sketch(*one) for one in sketches), tuple(Field(*one) for one in fields))
