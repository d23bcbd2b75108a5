"""Where the called name of an expression ends."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from flowmap.extract.parse import parse_quietly


def name_end(lines: Sequence[str], start: tuple[int, int], end: tuple[int, int]) -> tuple[int, int] | None:
    """The last character of the name that is called (read, applied) by the expression between two positions.

    Units: positions are (line from 1, column in bytes from 0); the result's column counts characters, as editors do.
    None where what is called has no name, as in `table[key]()`.
    """
    (first, col), (last, end_col) = start, end
    rows = [line.encode() for line in lines[first - 1 : last]]
    if not rows:
        return None
    rows[-1] = rows[-1][:end_col]
    rows[0] = rows[0][col:]
    try:
        tree = parse_quietly(_enclosed(rows), "eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    assert isinstance(tree, ast.Expression), "parsed as an expression"
    name = tree.body.func if isinstance(tree.body, ast.Call) else tree.body
    if not isinstance(name, (ast.Name, ast.Attribute)) or name.end_lineno is None or name.end_col_offset is None:
        return None
    line = first + name.end_lineno - 1
    shift = col - len(OPENING) if name.end_lineno == 1 else 0
    last_byte = name.end_col_offset - 1 + shift
    return line, len(lines[line - 1].encode()[:last_byte].decode("utf-8", "replace"))


OPENING = "("  # an expression in parentheses may go on over several lines


def _enclosed(rows: Sequence[bytes]) -> str:
    text = b"\n".join(rows).decode("utf-8", "replace")
    return f"{OPENING}{text})"
