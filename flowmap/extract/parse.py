"""Bytes to a syntax tree, or the reason why not."""

from __future__ import annotations

import ast
import sys
import warnings

NEWER = "written for a newer Python than the one that runs flowmap ({running}), or not Python at all"


def parse(text: bytes, path: str) -> ast.Module | tuple[str, str]:
    """The tree of a file, or (what is wrong, what to do). Reads a byte order mark and a coding cookie as Python does."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # invalid escapes are the subject's business
            return ast.parse(text, path)
    except SyntaxError as error:
        return syntax_problem(error)
    except ValueError as error:  # NUL bytes
        return str(error), "mend the file, or leave it out with --exclude"
    except (RecursionError, MemoryError):
        return "nested too deeply to parse", "leave it out with --exclude"


def syntax_problem(error: SyntaxError) -> tuple[str, str]:
    """What and fix of a syntax error; says when a newer Python might read it."""
    running = ".".join(map(str, sys.version_info[:2]))
    what = f"line {error.lineno}: {error.msg}" if error.lineno else str(error.msg)
    if looks_newer(error):
        return f"{what}; {NEWER.format(running=running)}", "run flowmap under a newer Python, or leave the file out with --exclude"
    return what, "mend the file, or leave it out with --exclude"


NEWER_STARTS = ("type ", "match ", "except*", "try", "lazy ")


def looks_newer(error: SyntaxError) -> bool:
    """Whether the line is one that a newer Python reads: PEP 695 `type X = ...` and `def f[T]`, PEP 701 f-strings, PEP 750 t-strings."""
    line = (error.text or "").strip()
    generic = line.startswith(("def ", "class ", "async def ")) and "[" in line.split("(")[0]
    return generic or line.startswith("type ") or "f-string" in (error.msg or "") or line.startswith("except ")
