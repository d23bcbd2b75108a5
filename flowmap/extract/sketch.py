"""A file's classes, functions and fields in short, straight from its tree: for finding them again in another release."""

from __future__ import annotations

import ast
import hashlib
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from flowmap.extract.deep import room_for_deep_trees
from flowmap.extract.functions import decorator_flags
from flowmap.extract.parse import parse
from flowmap.extract.text import dotted, parsed_text, unparse
from flowmap.model.facts import ScopeFlag
from flowmap.model.program import DefinitionKind
from flowmap.model.sketch import Field, FileSketch, Sketch, Word
from flowmap.model.source import SourceFile

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
DefinitionNode = FunctionNode | ast.ClassDef
Lines = list[bytes]
LONGEST_TEXT = 48  # characters of a string that counts as a word


def sketch_file(file: SourceFile, text: bytes) -> FileSketch:
    """The sketch of one file. Never raises for any text: of what cannot be read nothing is known."""
    tree = parse(text, file.path)
    if not isinstance(tree, ast.Module):
        return FileSketch(file.path, (), ())
    drawing = Drawing(file, parsed_text(text).split(b"\n"))
    try:
        with room_for_deep_trees():
            drawing.module(tree)
    except RecursionError:
        return FileSketch(file.path, (), ())
    return FileSketch(file.path, tuple(drawing.sketches.values()), tuple(drawing.fields.values()))


@dataclass(frozen=True, slots=True)
class Assigned:
    """A name or attribute that is assigned or declared: its annotation, and what is called for its value."""

    target: ast.expr
    declared: str = ""
    made: str = ""


@dataclass(frozen=True, slots=True)
class Around:
    """What a definition stands in: its symbol, what stands before the names in it, and whether it is a class."""

    symbol: str
    prefix: str
    kind: DefinitionKind


@dataclass(slots=True)
class Drawing:
    """What has been found in a file so far."""

    file: SourceFile
    lines: Lines
    sketches: dict[str, Sketch] = field(default_factory=dict)
    fields: dict[tuple[str, str], Field] = field(default_factory=dict)

    def module(self, tree: ast.Module) -> None:
        """All definitions of the file, and the names that it assigns itself."""
        around = Around(self.file.module, f"{self.file.module}.", DefinitionKind.MODULE)
        self.inside(tree.body, around)
        for one in assigned_in(tree.body):
            self.keep_field(around.symbol, one)

    def inside(self, body: Iterable[ast.stmt], around: Around) -> None:
        """The definitions in a body, wherever they stand in it."""
        for node in definitions_in(body):
            self.definition(node, around)

    def definition(self, node: DefinitionNode, around: Around) -> None:
        """A class or function, and what is defined in it."""
        symbol = around.prefix + node.name
        kind = kind_of(node, around)
        self.keep(drawn(node, (symbol, kind, around.symbol), self))
        if isinstance(node, ast.ClassDef):
            self.inside(node.body, Around(symbol, f"{symbol}.", kind))
            for one in (*assigned_in(node.body), *assigned_to_self(node.body)):
                self.keep_field(symbol, one)
        else:
            self.inside(node.body, Around(symbol, f"{symbol}.<locals>.", kind))

    def keep(self, sketch: Sketch) -> None:
        """Notes a definition; a further one of the same symbol joins the first."""
        first = self.sketches.get(sketch.symbol)
        self.sketches[sketch.symbol] = sketch if first is None else joined(first, sketch)

    def keep_field(self, owner: str, one: Assigned) -> None:
        """Notes a field where it is met first; what is told of it later counts, too."""
        target = one.target
        name = target.id if isinstance(target, ast.Name) else target.attr if isinstance(target, ast.Attribute) else ""
        known = self.fields.get((owner, name))
        if known is None:
            known = Field(owner, name, self.file.module, self.file.path, target.lineno, "", "")
        self.fields[owner, name] = known._replace(declared=known.declared or one.declared, made=known.made or one.made)


def drawn(node: DefinitionNode, named: tuple[str, DefinitionKind, str], drawing: Drawing) -> Sketch:
    """The sketch of one definition; `named`: its symbol, kind and owner."""
    symbol, kind, owner = named
    texts = (
        class_texts(node, drawing.lines)
        if isinstance(node, ast.ClassDef)
        else statement_texts(without_doc(node.body), drawing.lines)
    )
    return Sketch(
        symbol=symbol,
        name=node.name,
        kind=kind.value,
        owner=owner,
        module=drawing.file.module,
        file=drawing.file.path,
        line=node.lineno,
        end_line=node.end_lineno or node.lineno,
        signature=signature_of(node),
        decorators=tuple(unparse(part) for part in node.decorator_list),
        digest=digest_of(texts),
        statements=tuple(sorted(map(zlib.crc32, texts))),
        words=tuple(sorted(set(words_in(spoken(node))))),
    )


def spoken(node: DefinitionNode) -> list[ast.AST]:
    """The trees whose words are those of a definition. A class does not speak of what its methods do: they have sketches."""
    if isinstance(node, ast.ClassDef):
        return [*node.decorator_list, *(part for part in node.body if not isinstance(part, DefinitionNode))]
    return [*node.decorator_list, node.args, *without_doc(node.body)]


def joined(first: Sketch, more: Sketch) -> Sketch:
    """Two definitions of one symbol as one."""
    return first._replace(
        digest=digest_of([first.digest.encode(), more.digest.encode()]),
        statements=tuple(sorted((*first.statements, *more.statements))),
        words=tuple(sorted({*first.words, *more.words})),
    )


def digest_of(texts: Sequence[bytes]) -> str:
    """Names what a body says."""
    return hashlib.blake2b(b"\n".join(texts), digest_size=10).hexdigest()


def signature_of(node: DefinitionNode) -> str:
    """What stands between a definition's name and its body, as the index has it."""
    if isinstance(node, ast.ClassDef):
        return f"({', '.join(unparse(part) for part in [*node.bases, *node.keywords])})"
    result = f" -> {unparse(node.returns)}" if node.returns is not None else ""
    return f"({unparse(node.args)}){result}"


def kind_of(node: DefinitionNode, around: Around) -> DefinitionKind:
    """What a definition defines."""
    if isinstance(node, ast.ClassDef):
        return DefinitionKind.CLASS
    if around.kind is not DefinitionKind.CLASS:
        return DefinitionKind.FUNCTION
    flags = decorator_flags(node.decorator_list)
    parts = ScopeFlag.PROPERTY | ScopeFlag.SETTER | ScopeFlag.DELETER
    return DefinitionKind.PROPERTY if flags & parts else DefinitionKind.METHOD


def definitions_in(body: Iterable[ast.stmt]) -> Iterator[DefinitionNode]:
    """The definitions of a scope, those under its `if`, `try` and loops too, in the order of the text."""
    for statement in body:
        if isinstance(statement, DefinitionNode):
            yield statement
        else:
            for part in parts_of(statement):
                yield from definitions_in(part)


def parts_of(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    """The blocks of a compound statement; of a simple one none."""
    for name in BLOCKS:
        yield from filter(None, (getattr(statement, name, None),))
    for name in CLAUSES:
        yield from (clause.body for clause in getattr(statement, name, ()))


BLOCKS = ("body", "orelse", "finalbody")
CLAUSES = ("handlers", "cases")  # of `try` and `match`: each has a block


def assigned_in(body: Iterable[ast.stmt]) -> Iterator[Assigned]:
    """The names that a class body or module assigns or declares."""
    return (one for one in targets_in(body) if isinstance(one.target, ast.Name))


def assigned_to_self(body: Iterable[ast.stmt]) -> Iterator[Assigned]:
    """What the methods of a class body assign through their first parameter."""
    for method in (node for node in definitions_in(body) if isinstance(node, FunctionNode)):
        first = next((one.arg for one in (*method.args.posonlyargs, *method.args.args)), None)
        if first is not None and not decorator_flags(method.decorator_list) & ScopeFlag.STATIC:
            yield from (one for one in targets_in(method.body) if is_field_of(one.target, first))


def targets_in(body: Iterable[ast.stmt]) -> Iterator[Assigned]:
    """What statements assign; what nested definitions assign is their own."""
    for statement in body:
        if isinstance(statement, ast.Assign):
            made = called(statement.value)
            yield from (Assigned(target, "", made if target in statement.targets else "") for target in flat(statement.targets))
        elif isinstance(statement, ast.AnnAssign):
            yield Assigned(statement.target, unparse(statement.annotation), called(statement.value))
        elif not isinstance(statement, DefinitionNode):
            for part in parts_of(statement):
                yield from targets_in(part)


def called(value: ast.expr | None) -> str:
    """What a value is made by, where it is a call of a name."""
    return dotted(value.func) if isinstance(value, ast.Call) else ""


def is_field_of(target: ast.expr, first: str) -> bool:
    """Whether `self.x` is assigned."""
    return isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == first


def flat(targets: Iterable[ast.expr]) -> Iterator[ast.expr]:
    """Targets, those in tuples and lists one by one."""
    for target in targets:
        if isinstance(target, ast.Tuple | ast.List):
            yield from flat(target.elts)
        else:
            yield target.value if isinstance(target, ast.Starred) else target


def without_doc(body: Sequence[ast.stmt]) -> Sequence[ast.stmt]:
    """A body without its docstring."""
    match body:
        case [ast.Expr(value=ast.Constant(value=str())), *rest]:
            return rest
        case _:
            return body


def statement_texts(body: Iterable[ast.stmt], lines: Lines) -> list[bytes]:
    """The text of each statement in a body, of a compound one that of its head, without spaces: the layout does not count."""
    found: list[bytes] = []
    for statement in body:
        parts = list(parts_of(statement))
        if isinstance(statement, DefinitionNode):
            found.append(b"def " + statement.name.encode())
        elif not parts:
            found.append(simple_text(lines, statement))
        else:
            found += [statement.__class__.__name__.encode() + squeezed(lines, node) for node in heads_of(statement)]
        for part in parts:
            found += [b"{", *statement_texts(without_doc(part), lines), b"}"]
    return found


def class_texts(node: ast.ClassDef, lines: Lines) -> list[bytes]:
    """As `statement_texts` of a class's body; of a method its name alone."""
    own = [part for part in without_doc(node.body) if not isinstance(part, DefinitionNode)]
    return [*statement_texts(own, lines), *sorted(b"def " + one.name.encode() for one in definitions_in(node.body))]


def heads_of(statement: ast.stmt) -> Iterator[ast.expr]:
    """The expressions in the head of a compound statement."""
    for name, value in ast.iter_fields(statement):
        if isinstance(value, ast.expr):
            yield value
        elif name == "items":
            yield from (item.context_expr for item in value)
        elif name == "handlers":
            yield from (clause.type for clause in value if clause.type is not None)


def simple_text(lines: Lines, statement: ast.stmt) -> bytes:
    """The text of a simple statement; parentheses around a whole value do not count."""
    match statement:
        case ast.Return(value=ast.expr() as value):
            return b"return" + squeezed(lines, value)
        case ast.Assign(targets=[target], value=value):
            return squeezed(lines, target) + b"=" + squeezed(lines, value)
        case ast.Expr(value=value):
            return squeezed(lines, value)
        case _:
            return squeezed(lines, statement)


def squeezed(lines: Lines, node: ast.stmt | ast.expr) -> bytes:
    """The text of a node, without spaces, comments and trailing commas, whichever quotes its strings have."""
    rows = lines[node.lineno - 1 : node.end_lineno]
    rows[-1] = rows[-1][: node.end_col_offset]
    rows[0] = rows[0][node.col_offset :]
    text = b"\n".join(rows)
    if any(mark in text for mark in MARKS):
        text = WRITTEN.sub(plain, text)
    text = b"".join(text.split()).replace(CLOSED + OPENED, b"")
    if isinstance(node, ast.Tuple) and node.elts and text.startswith(b"(") and node.elts[0].col_offset > node.col_offset:
        text = text[1:-1]
    return text.replace(b",)", b")").replace(b",]", b"]").replace(b",}", b"}")


def plain(written: re.Match[bytes]) -> bytes:
    """A string as it may be written, too: pieces that stand side by side are one. A comment, or the end of a line that goes on:
    nothing."""
    prefix, quote, inside = written["prefix"], written["quote"], written["inside"]
    if quote is None:
        return b""
    return prefix.lower() + OPENED + inside.replace(b"\\'", b"'").replace(b'\\"', b'"') + CLOSED


MARKS = (b"'", b"#", b"\\", b'"')
OPENED, CLOSED = b"\x01", b"\x02"
WRITTEN = re.compile(
    rb"""(?P<prefix>[bfrtuBFRTU]{0,2})(?P<quote>\"{3}|'{3}|"|')(?P<inside>(?:[^\\]|\\.)*?)(?P=quote)|\#[^\n]*|\\\n""",
    re.DOTALL,
)


def words_in(trees: list[ast.AST]) -> Iterator[str]:
    """What trees speak of: names, attributes, keywords, short strings."""
    waiting = list(trees)
    while waiting:
        node = waiting.pop()
        word = WORDS.get(node.__class__)
        if word is not None:
            yield word(node)
        if node.__class__ not in ENDS:
            waiting += ast.iter_child_nodes(node)


def attribute_word(node: ast.Attribute) -> str:
    """An attribute, read or stored."""
    return (Word.READ if node.ctx.__class__ is ast.Load else Word.STORED) + node.attr


def text_word(node: ast.Constant) -> str:
    """A short string; of other constants that there is one."""
    text = node.value
    return Word.TEXT + text if isinstance(text, str) and len(text) <= LONGEST_TEXT and text.isprintable() else Word.TEXT


WORDS: dict[type, Callable[[Any], str]] = {
    ast.Name: lambda node: node.id,
    ast.Attribute: attribute_word,
    ast.keyword: lambda node: Word.KEYWORD + (node.arg or ""),
    ast.Constant: text_word,
    ast.arg: lambda node: node.arg,
    ast.FunctionDef: lambda node: node.name,
    ast.AsyncFunctionDef: lambda node: node.name,
    ast.ClassDef: lambda node: node.name,
}
ENDS = frozenset({ast.Name, ast.Constant, ast.Load, ast.Store, ast.Del})
