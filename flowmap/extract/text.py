"""The text of an expression as `ast.unparse` prints it, from the source where that is already the same."""

from __future__ import annotations

import ast
import io
import re
import tokenize

from flowmap.extract.parse import parse_quietly

# Canonical already: names, dots, calls, subscripts, plain decimal numbers and simple strings, `, ` and `=` between arguments.
# No operators with words, no parentheses but those of calls, no escapes: where in doubt, `ast.unparse` speaks.
CANONICAL = re.compile(
    r"(?:not (?=[A-Za-z_]))?"  # `not` binds last where no other word stands beside it
    r"(?:[A-Za-z_][A-Za-z_0-9]*+"  # a name
    r"|(?:0|[1-9][0-9]{0,15}+)(?![\w.])"  # a plain number
    r"|'[^'\"\\{}\x00-\x1f\x7f]*+'(?!')"  # a string without escapes
    r"|(?<=[\w)\]])\.(?=[A-Za-z_])|(?<=[\w)\]])[(\[]|(?<=[(\[ ])\[(?=[\w'])|[)\]](?!['\w])"
    r"|(?<=[\w)\]']), (?![)\]])|(?<=[A-Za-z_0-9])=(?=[\w'\[])|(?<=[( ])\*{1,2}(?=[A-Za-z_])"
    r"|(?<=[\w)\]']) (?:==|!=|<=|>=|<|>|is not|is|not in|in|and|or|\+|-) (?=[\w'\[]))++",
    re.ASCII,
)
KEYWORD = re.compile(r"\b(?:not|lambda|await|yield|if|else|for|async)\b")
NEGATED = re.compile(r"^not (?!.* (?:and|or) )| is not (?!not )| not in ")
STRING_PREFIX = re.compile(r"(?<![\w'])[A-Za-z]{1,2}'")
MOVED = re.compile(r"=.*[( ]\*(?!\*)|\b(?:True|False)\.")  # a starred argument behind a keyword; `True .real`


class SourceText:
    """A file's lines, to cut expressions from. Offsets of `ast` count bytes, so lines stay bytes until cut."""

    __slots__ = ("lines",)

    def __init__(self, text: bytes) -> None:
        self.lines = parsed_text(text).split(b"\n")

    def has(self, node: ast.stmt | ast.expr, word: bytes) -> bool:
        """Whether a word stands on the lines of a node: where it does not, nothing has to be looked for in the tree."""
        return any(word in line for line in self.lines[node.lineno - 1 : node.end_lineno])

    def of(self, node: ast.expr) -> str:
        """What `ast.unparse(node)` prints."""
        if node.lineno == node.end_lineno and not isinstance(node, ast.Tuple):  # unparsing puts a tuple in parentheses
            cut = self.lines[node.lineno - 1][node.col_offset : node.end_col_offset]
            if len(cut) < LONGEST_CUT and cut.isascii():
                text = cut.decode("ascii")
                if '"' in text:
                    text = single_quoted(text)
                if is_canonical(text):
                    return text
        return unparse(node)


LONGEST_CUT = 200  # bytes; a longer text is seldom canonical, and matching it costs more than unparsing


def single_quoted(text: str) -> str:
    """Double quotes made single, where no single quote stands in the way; otherwise the text as it is (and not canonical)."""
    return text if "'" in text or '""' in text else text.replace('"', "'")


def is_canonical(text: str) -> bool:
    """Whether unparsing would give the very same text."""
    return (
        CANONICAL.fullmatch(text) is not None
        and text[-1] != " "
        and ",)" not in text
        and text.count(" and ") + text.count(" or ") <= 1  # from the third operand on, unparsing adds parentheses
        and not KEYWORD.search(NEGATED.sub(" ", text))
        and not STRING_PREFIX.search(text)
        and not MOVED.search(text)
    )


def parsed_text(text: bytes) -> bytes:
    """A file's text as Python's parser counts its lines and columns: UTF-8, no byte order mark, every line ended by `\\n`.

    What cannot be decoded stays as it is.
    """
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(text).readline)
        if encoding not in ("utf-8", "utf-8-sig"):
            text = text.decode(encoding).encode()
    except (SyntaxError, UnicodeError, LookupError):
        pass
    text = text.removeprefix(b"\xef\xbb\xbf")
    return text.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in text else text


def unparse(node: ast.AST) -> str:
    """What `ast.unparse` prints; `...` for the few trees that it refuses: endless numbers, quotes nested in f-strings."""
    try:
        return ast.unparse(node)
    except ValueError:
        return "..."


def dotted(node: ast.expr) -> str:
    """The text of a chain of names (`self.worker.model`), "" for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    parts.append(node.id)
    return ".".join(reversed(parts))


def expression_at(lines: list[bytes], start: tuple[int, int], end: tuple[int, int]) -> str:
    """The unparsed text of the expression between two positions (line from 1, byte column from 0)."""
    (first, col), (last, end_col) = start, end
    rows = lines[first - 1 : last]
    rows[-1] = rows[-1][:end_col]
    rows[0] = rows[0][col:]
    text = b"\n".join(rows).decode("utf-8", "replace")
    try:
        return ast.unparse(parse_quietly(f"({text})", "eval"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return " ".join(text.split())


def cut_at(lines: list[bytes], start: tuple[int, int], end: tuple[int, int]) -> str:
    """The text between two positions, on one line."""
    (first, col), (last, end_col) = start, end
    if first == last:
        return lines[first - 1][col:end_col].decode("utf-8", "replace")
    rows = [lines[first - 1][col:], *lines[first : last - 1], lines[last - 1][:end_col]]
    return " ".join(b" ".join(rows).decode("utf-8", "replace").split())
