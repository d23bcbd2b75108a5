"""Code told in little room: parts of it are left out whole, a `…` in their place, and what stays means what it meant.

Brackets stay closed, and of operators those that bind loosest are the last to go: `a and b or c` may become `a and … or c` or
`a and b or …`, never `a and …`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

LEFT_OUT = "…"
_OPENING, _CLOSING = "([{", ")]}"
_TOKENS = re.compile(
    r"(?P<prefix>\b[A-Za-z]{1,2})?(?P<quote>'''|\"\"\"|'|\")(?P<body>(?:\\.|(?!(?P=quote)).)*)(?P<end>(?P=quote)|$)"
    r"|\#.*|\s+|\bnot in\b|\bis not\b|\d[\w.]*|\w+|[()\[\]{}]|\*\*=?|//=?|<<=?|>>=?|->|[-+*/%@&|^<>=!:]=|.",
    re.DOTALL,
)
# How tightly operators bind: the loosest first. Words that begin a statement or a clause bind loosest of all.
_LEVELS = (
    ("for", "match", "case", "while", "with", "async", "except", "return", "->"),
    (",",),
    ("if", "else", "lambda", ":", ":=", "=", "as"),
    ("or",),
    ("and",),
    ("not",),
    ("in", "not in", "is", "is not", "<", ">", "==", "!=", "<=", ">="),
    ("|",),
    ("^",),
    ("&",),
    ("<<", ">>"),
    ("+", "-"),
    ("*", "/", "//", "%", "@"),
    ("**", "await"),
)
_LEVEL = {word: level for level, words in enumerate(_LEVELS) for word in words}
_CLAUSE = 0
_PAIRED = frozenset(word for level in (_CLAUSE, 2) for word in _LEVELS[level])  # say nothing without all that they stand between
_TIGHTEST = len(_LEVELS)
_UNARY = frozenset("+-*@") | {"**"}
_FEW = 3  # pieces: two operands and what stands between them
_SHORTEST_NAME = 8  # what must stay of a name for it to be told at all


@dataclass(frozen=True, slots=True)
class _Text:
    """A part without parts: `before` and `after` stay where what stands between them is cut short."""

    before: str
    inside: str = ""
    after: str = ""

    def __str__(self) -> str:
        return f"{self.before}{self.inside}{self.after}"


@dataclass(frozen=True, slots=True)
class _Group:
    """What stands in brackets; `closing` is "" where the text ends before them."""

    opening: str
    parts: _Parts
    closing: str

    def __str__(self) -> str:
        return f"{self.opening}{_joined(self.parts)}{self.closing}"


_Part = _Text | _Group
_Parts = tuple[_Part, ...]


def abridged(code: str, limit: int) -> str:
    """Code in at most `limit` characters: first what stands in brackets and quotes is left out, then operands, those at the end
    first. Of a chain of names the beginning and the end stay."""
    return code if len(code) <= limit else _fitted(_parsed(code), limit)


def joined_by_and(codes: Sequence[str]) -> str:
    """All of these hold, as one expression: what binds looser than `and` is put in brackets where it is not alone."""
    return codes[0] if len(codes) == 1 else " and ".join(f"({code})" if _is_loose(code) else code for code in codes)


def _is_loose(code: str) -> bool:
    return any(level is not None and level < _LEVEL["and"] for level in _levels(_parsed(code)))


def _parsed(code: str) -> _Parts:
    """The parts of a text that need not be whole: brackets may lack their other half."""
    unclosed: list[tuple[str, list[_Part]]] = [("", [])]
    for token in _TOKENS.finditer(code):
        text = token.group()
        if text in _OPENING:
            unclosed.append((text, []))
        elif text in _CLOSING and len(unclosed) > 1:
            opening, parts = unclosed.pop()
            unclosed[-1][1].append(_Group(opening, tuple(parts), text))
        elif token["quote"]:
            before = f"{token['prefix'] or ''}{token['quote']}"
            unclosed[-1][1].append(_Text(before, token["body"], token["end"]))
        else:
            unclosed[-1][1].append(_Text(text))
    while len(unclosed) > 1:
        opening, parts = unclosed.pop()
        unclosed[-1][1].append(_Group(opening, tuple(parts), ""))
    return tuple(unclosed[0][1])


def _joined(parts: Iterable[_Part]) -> str:
    return "".join(map(str, parts))


def _fitted(parts: _Parts, room: int) -> str:
    """Parts in at most `room` characters, 1 or more."""
    folded = _folded(parts, room)
    text = _joined(folded)
    if len(text) <= room:
        return text
    pieces = _split(parts)
    return _chain(folded, room) if len(pieces) == 1 else _operands(pieces, room)


def _folded(parts: _Parts, room: int) -> _Parts:
    """The parts with as much left out of brackets and quotes as it takes."""
    folded = list(parts)
    excess = len(_joined(parts)) - room
    for at in _foldable(parts) if excess > 0 else ():
        folded[at] = _cut_short(parts[at], excess)
        excess -= len(str(parts[at])) - len(str(folded[at]))
        if excess <= 0:
            break
    return tuple(folded)


def _foldable(parts: _Parts) -> Iterator[int]:
    """Where something may be cut short: arguments, then what else stands in brackets, then texts; the longest first."""
    texts = list(map(str, parts))
    longest = sorted(range(len(parts)), key=lambda at: -len(texts[at]))
    groups = [at for at in longest if isinstance(parts[at], _Group)]
    given = [at for at in groups if at and not texts[at - 1].isspace() and texts[at - 1] not in _LEVEL]
    yield from given
    yield from (at for at in groups if at not in given)
    yield from (at for at in longest if isinstance(parts[at], _Text))


def _cut_short(part: _Part, excess: int) -> _Part:
    match part:
        case _Group(opening, inner, closing) if inner:
            room = max(1, len(_joined(inner)) - excess)
            return _Group(opening, (_Text(_fitted(inner, room)),), closing)
        case _Text(before, inside, after) if len(inside) > 1:
            kept = inside[: max(0, len(inside) - excess - 1)].rstrip("\\")
            whole = kept if kept.count("{") == kept.count("}") else kept[: kept.rfind("{")]
            return _Text(before, whole + LEFT_OUT, after)
        case _:
            return part


def _operands(pieces: Sequence[_Parts], room: int) -> str:
    """Operands and the operators between them: as many whole operands as there is room for, then the rest of one, or of all.
    Where not one fits whole, the first is told in part; so are both where there are two."""
    is_paired = any(str(part) in _PAIRED for part in pieces[1])
    for end in () if is_paired else range(len(pieces) - 1, 0, -2):
        head = tuple(part for piece in pieces[:end] for part in piece)
        if any(pieces[:end:2]) and len(_joined(_folded(head, 0))) < room:
            text = _fitted(head, room - 1)
            return text + (_fitted(pieces[end], room - len(text)) if end == len(pieces) - 1 else LEFT_OUT)
    if len(pieces) > _FEW and pieces[0] and not is_paired:
        operator = _joined(pieces[1])
        first = _fitted(pieces[0], max(1, room - len(operator) - 1))
        if first != LEFT_OUT and len(first) + len(operator) < room:
            return f"{first}{operator}{LEFT_OUT}"
    texts = list(map(_joined, pieces))
    for at in sorted(range(0, len(pieces), 2), key=lambda at: -len(texts[at])):
        excess = sum(map(len, texts)) - room
        if excess > 0 and texts[at]:
            texts[at] = _fitted(pieces[at], max(1, len(texts[at]) - excess))
    return "".join(texts) if sum(map(len, texts)) <= room else LEFT_OUT


def _split(parts: _Parts) -> list[_Parts]:
    """Operands and, at odd positions, the operators of the loosest level between them; the parts alone where there is none."""
    levels = list(_levels(parts))
    loosest = min((level for level in levels if level is not None), default=None)
    pieces: list[list[_Part]] = [[]]
    for part, level in zip(parts, levels, strict=True):
        if level == loosest is not None:
            _operator(pieces, part)
        elif str(part).isspace() and len(pieces) > 1 and not pieces[-1]:
            pieces[-2].append(part)
        else:
            pieces[-1].append(part)
    return list(map(tuple, pieces))


def _operator(pieces: list[list[_Part]], part: _Part) -> None:
    """Ends an operand by an operator, with the blanks before it; one that follows another joins it."""
    if len(pieces) > 1 and not pieces[-1]:
        pieces[-2].append(part)
        return
    blanks: list[_Part] = []
    while pieces[-1] and str(pieces[-1][-1]).isspace():
        blanks.insert(0, pieces[-1].pop())
    pieces += [[*blanks, part], []]


def _levels(parts: _Parts) -> Iterator[int | None]:
    """How tightly each part binds what stands around it; None for operands and blanks."""
    words = [str(part) for part in parts]
    waiting = ""  # for the `in` of a `for`, for the `:` of a `lambda`: commas before it part nothing else
    before: int | None = _CLAUSE
    for at, word in enumerate(words):
        level = _LEVEL.get(word)
        if word in ("match", "case") and not _begins_clause(words, at):
            level = None
        elif word in ("for", "lambda"):
            waiting = "in" if word == "for" else ":"
        elif word == waiting:
            level, waiting = (_CLAUSE if word == "in" else level), ""
        elif word == "if" and "for" in words[:at]:
            level = _CLAUSE
        elif word == "," and waiting:
            level = None
        elif word in _UNARY and before is not None:
            level = _TIGHTEST
        yield level
        before = before if word.isspace() else level


def _begins_clause(words: Sequence[str], at: int) -> bool:
    """Whether `match` or `case` is no name: something else than an operator follows."""
    return words[at + 1 : at + 2] == [" "] and at + 2 < len(words) and words[at + 2] not in _LEVEL


def _chain(parts: _Parts, room: int) -> str:
    """What has no operators: of `a.b(c).d[e]` the first name and as many of the last as there is room for; of words the first."""
    words = [str(part) for part in parts]
    blank = next((at for at, word in enumerate(words) if word.isspace()), 0)
    if blank:
        text = "".join(words[: blank + 1])
        return f"{text}{LEFT_OUT}" if len(text) < room else LEFT_OUT
    dots = [at for at, word in enumerate(words) if word == "." and at]
    first = "".join(words[: dots[0]]) if dots else ""
    for at in dots:
        for beginning in (f"{first}.{LEFT_OUT}", LEFT_OUT):
            if len(beginning) + len("".join(words[at:])) <= room:
                return beginning + "".join(words[at:])
    return (
        f"{words[0][: room - 1]}{LEFT_OUT}" if len(words) == 1 and room > _SHORTEST_NAME and words[0].isidentifier() else LEFT_OUT
    )
