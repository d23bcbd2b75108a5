"""Bytes to a syntax tree, or the reason why not."""

from __future__ import annotations

import ast
import re
import sys
import warnings

NEWER = "written for a newer Python than the one that runs flowmap ({running}), or not Python at all"
LEAVE_OUT = "leave it out with --exclude"
UNPACKED = "unpacking cannot be used in"
QUOTES = ("'", '"')
TEMPLATE = re.compile(r"""(?:^|[^\w"'])(?:t|rt|tr)$""", re.IGNORECASE)  # what stands before the quote


def parse(text: bytes, path: str) -> ast.Module | tuple[str, str]:
    """The tree of a file, or (what is wrong, what to do). Reads a byte order mark and a coding cookie as Python does."""
    try:
        tree = parse_quietly(text, "exec", path)
        assert isinstance(tree, ast.Module), "`exec` gives modules"
        return tree
    except SyntaxError as error:
        return syntax_problem(error)
    except ValueError as error:  # NUL bytes
        return str(error), f"mend the file, or {LEAVE_OUT}"
    except (RecursionError, MemoryError):
        return "nested too deeply to parse", LEAVE_OUT


def parse_quietly(text: bytes | str, mode: str, path: str = "<text>") -> ast.AST:
    """The tree of a text, without Python's warnings on it: invalid escapes are the subject's business.

    Errors: SyntaxError, ValueError (NUL bytes), RecursionError and MemoryError (nested too deeply).
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text, path, mode)


def syntax_problem(error: SyntaxError) -> tuple[str, str]:
    """What and fix of a syntax error; says when a newer Python might read it."""
    running = ".".join(map(str, sys.version_info[:2]))
    what = f"line {error.lineno}: {error.msg}" if error.lineno else str(error.msg)
    if looks_newer(error):
        return f"{what}; {NEWER.format(running=running)}", f"run flowmap under a newer Python, or {LEAVE_OUT}"
    return what, f"mend the file, or {LEAVE_OUT}"


def looks_newer(error: SyntaxError) -> bool:
    """Whether a newer Python may read the line: `type X = ...`, `def f[T]` and quotes in f-strings (3.12), `except A, B:` and
    t-strings (3.14), `lazy import` and unpacking in comprehensions (3.15)."""
    line, said = (error.text or "").strip(), error.msg or ""
    generic = line.startswith(("def ", "class ", "async def ")) and "[" in line.split("(")[0]
    begins = line.startswith(("type ", "except ", "lazy import ", "lazy from "))
    return generic or begins or is_template(error) or "f-string" in said or UNPACKED in said


def is_template(error: SyntaxError) -> bool:
    """Whether the error stands at the quote of a t-string."""
    text, at = error.text or "", (error.offset or 1) - 1
    return text[at : at + 1] in QUOTES and TEMPLATE.search(text[:at]) is not None
