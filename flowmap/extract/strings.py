"""Strings that may name something: constants, and texts that are computed around a constant part."""

from __future__ import annotations

import ast
import re

from flowmap.extract.body import Body
from flowmap.model.facts import COMPUTED, Op

Part = str | int  # a constant piece of a text, or the node of a computed one
LONGEST_NAME = 80  # a string longer than this names nothing
NAMING = re.compile(
    r"\.*[^\W\d]\w*((\.|::)[^\W\d]\w*)*[.:]{0,2}"
)  # `name`, `pkg.module`, `.module`, `namespace::name`, `prefix.`
PERCENT = re.compile(r"%[sdir]")
BRACES = re.compile(r"\{[^{}]*\}")


def may_name(text: str) -> bool:
    """Whether a text, computed parts included, may name an attribute, a module or an operator."""
    if len(text) >= LONGEST_NAME or not NAMING.fullmatch(text.replace(COMPUTED, "a")):
        return False
    return COMPUTED not in text or text.startswith(".") or any(map(str.isalnum, text))


def joined(body: Body, parts: list[Part], line: int) -> int:
    """The node of a text of several parts."""
    pattern = "".join(part if isinstance(part, str) else COMPUTED for part in parts)
    continues = bool(parts) and isinstance(parts[0], int) and goes_on(pattern[1:])
    if not continues and not may_name(pattern):
        return body.file.literal("str")
    dst = body.node(line)
    emit_text(body, dst, parts)
    if continues:
        body.emit(Op.COPY, dst, body.file.literal("str"))
    return dst


def emit_text(body: Body, dst: int, parts: list[Part]) -> None:
    """Says what a text of several parts is: one that begins with a computed part may continue that part's own text."""
    pattern = "".join(part if isinstance(part, str) else COMPUTED for part in parts)
    if isinstance(parts[0], int) and goes_on(pattern[1:]):
        body.emit(Op.TEXT, dst, parts[0], pattern[1:])
    elif may_name(pattern):
        body.emit(Op.STRING, dst, pattern)


def goes_on(rest: str) -> bool:
    """Whether a text behind a computed part says too little by itself: `.name`, or nothing but a joint."""
    return rest.startswith(".") or (bool(rest.strip(COMPUTED)) and not any(map(str.isalnum, rest)))


def filled_in(node: ast.expr) -> str:
    """The text of `"…%s" % x` or of `"…{}".format(x)`, what is filled in being computed; "" for anything else."""
    match node:
        case ast.BinOp(left=ast.Constant(value=str(text)), op=ast.Mod()):
            return PERCENT.sub(COMPUTED, text)
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str(text)), attr="format")):
            return BRACES.sub(COMPUTED, text)
        case _:
            return ""


def emit_filled_in(body: Body, node: ast.expr, dst: int) -> None:
    """Says what a text is that is filled in, where it may name something."""
    text = filled_in(node)
    if text and may_name(text):
        body.emit(Op.STRING, dst, text)
