"""What the definitions of one index are called in another, so that what only moved or was renamed is no difference."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from flowmap.diff.bodies import is_whole, same_body, shape_of
from flowmap.drift.fields import match_fields
from flowmap.drift.matching import How, Match, Matching, Sketches, match_definitions
from flowmap.extract.sketch import sketch_file
from flowmap.model.program import DefinitionKind
from flowmap.model.sketch import Field, Sketch
from flowmap.model.source import SourceFile
from flowmap.store.index import Index

_FEW_STATEMENTS = 2
_WORD = re.compile(r"[^\W\d]\w*")
_ATTRIBUTE = re.compile(r"(?<=\.)[^\W\d]\w*")


class Pair(NamedTuple):
    """A definition before and after. `is_sure`: nothing else explains how alike they are."""

    before: str
    after: str
    how: How
    is_sure: bool


@dataclass(slots=True)
class Naming:
    """The symbols of the first index in terms of the second. `edited`: those whose text says something else, by new symbol."""

    became: Mapping[str, str]
    modules: Mapping[str, str]  # those that moved
    pairs: tuple[Pair, ...]
    edited: frozenset[str]
    words: Mapping[str, str]  # last names that were renamed
    fields: Mapping[tuple[str, str], str]  # by the class, as it is called now, and the name that they had
    known: dict[str, str] = field(default_factory=dict)

    def of(self, symbol: str) -> str:
        """What a symbol of the first index is called in the second: it goes with what it stands in."""
        found = self.known.get(symbol)
        if found is None:
            found = self.known[symbol] = self._found(symbol)
        return found

    def text(self, text: str) -> str:
        """A text of the first index with the names that things have in the second."""
        if self.words:
            text = _WORD.sub(lambda match: self.words.get(match[0], match[0]), text)
        if self.fields:
            attributes = {old: new for (_, old), new in self.fields.items()}
            text = _ATTRIBUTE.sub(lambda match: attributes.get(match[0], match[0]), text)
        return text

    def _found(self, symbol: str) -> str:
        here = self.became.get(symbol)
        owner, dot, name = symbol.rpartition(".")
        if here is not None or not dot or symbol.startswith("ext:"):
            return here or symbol
        return f"{self.of(owner)}.{name}"


def naming_between(before: Index, after: Index) -> Naming:
    """How the definitions of one index are called in another: by symbol, then by body, signature and likeness."""
    mine, theirs = _digests(before), _digests(after)
    first, second = _side(before, mine, theirs), _side(after, theirs, mine)
    matching = _matched(first, second)
    pairs = [Pair(one.before, one.after, one.how, one.is_sure) for one in matching.matches]
    modules = _modules(first.sketches, second.sketches, pairs)
    became = {one.before: one.after for one in pairs} | modules
    moved = tuple(sorted(one for one in pairs if one.before != one.after))
    named = ((first.sketches[one.before].name, second.sketches[one.after].name) for one in moved)
    words = {old: new for old, new in named if old != new}
    fields = dict(_fields(first, second, matching))
    called = {old: new for (_, old), new in fields.items()} | words
    edited = frozenset(one.after for one in pairs if _says_else((first, one.before), (second, one.after), called))
    return Naming(became, modules, moved, edited, words, fields)


@dataclass(frozen=True, slots=True)
class _Side:
    """What the files of one index define that the other has not, or with another content."""

    index: Index
    sketches: dict[str, Sketch]
    fields: tuple[Field, ...]

    def text(self, symbol: str) -> Sequence[str]:
        """The lines of a definition, its decorators left out."""
        one = self.sketches[symbol]
        return self.index.text_lines(one.file)[one.line - 1 : one.end_line]


def _matched(first: _Side, second: _Side) -> Matching:
    """What became of the definitions: as releases are matched, and of what is left then what is alike."""
    matching = match_definitions(first.sketches, second.sketches)
    found = {one.before: one for one in _alike(first.sketches, second.sketches, matching)}
    found |= {one.before: one for one in _alike_in_shape(first, second, _without(matching, found))}
    more = (Match(one.before, one.after, one.how, 1.0 if one.is_sure else 0.0) for one in found.values())
    matches = tuple(sorted((*matching.matches, *more), key=lambda one: one.before))
    return replace(_without(matching, found), matches=matches)


def _without(matching: Matching, found: Mapping[str, Pair]) -> Matching:
    """The same, less what has been found now."""
    came = {one.after for one in found.values()}
    gone = tuple(symbol for symbol in matching.gone if symbol not in found)
    return replace(matching, gone=gone, new=tuple(symbol for symbol in matching.new if symbol not in came))


def _alike_in_shape(first: _Side, second: _Side, matching: Matching) -> Iterator[Pair]:
    """Of what is still left, what does the same but for names of definitions that came and went: what is renamed together with
    itself, or with what it runs."""
    names = tuple(
        frozenset(side.sketches[symbol].name for symbol in symbols)
        for side, symbols in ((first, _lost(first, matching)), (second, _came(second, matching)))
    )
    left = _by_shape(first, matching.gone, names[0]), _by_shape(second, matching.new, names[1])
    for shape, symbols in left[0].items():
        others = left[1].get(shape, [])
        if len(symbols) == len(others) == 1:
            one, other = first.sketches[symbols[0]], second.sketches[others[0]]
            if len(one.statements) >= _FEW_STATEMENTS or one.owner == other.owner:
                yield Pair(one.symbol, other.symbol, _how(one, other), is_sure=True)


def _lost(side: _Side, matching: Matching) -> Iterable[str]:
    moved = (one.before for one in matching.matches if one.before != one.after)
    return (symbol for symbol in (*matching.gone, *moved) if symbol in side.sketches)


def _came(side: _Side, matching: Matching) -> Iterable[str]:
    moved = (one.after for one in matching.matches if one.before != one.after)
    return (symbol for symbol in (*matching.new, *moved) if symbol in side.sketches)


def _by_shape(side: _Side, symbols: Iterable[str], names: frozenset[str]) -> dict[tuple[str, str, str], list[str]]:
    found: dict[tuple[str, str, str], list[str]] = {}
    for symbol in symbols:
        one = side.sketches[symbol]
        shape = shape_of(side.text(symbol), names) if one.statements and one.kind != DefinitionKind.CLASS else ""
        if shape:
            signature = _WORD.sub(lambda match: "" if match[0] in names else match[0], one.signature)
            found.setdefault((one.kind, shape, signature), []).append(symbol)
    return found


def _fields(first: _Side, second: _Side, matching: Matching) -> Iterator[tuple[tuple[str, str], str]]:
    """The fields that have another name now, by their class as it is called now."""
    became = {one.before: one.after for one in matching.matches}
    found = match_fields((first.sketches, second.sketches), (first.fields, second.fields), matching)
    for one in found.matches:
        owner, _, name = one.before.rpartition(".")
        if one.how is How.RENAMED and one.is_sure and owner in became:
            yield (became[owner], name), one.after.rpartition(".")[2]


def _says_else(before: tuple[_Side, str], after: tuple[_Side, str], renamed: Mapping[str, str]) -> bool:
    """Whether a body says something else, and not only in other words: under the new names of what was renamed, or with other
    parentheses or quotes."""
    one, other = before[0].sketches[before[1]], after[0].sketches[after[1]]
    if one.digest == other.digest:
        return False
    mine, theirs = before[0].text(one.symbol), after[0].text(other.symbol)
    return not (is_whole(one, mine) and is_whole(other, theirs) and same_body(mine, theirs, renamed))


def _digests(index: Index) -> dict[str, str]:
    return dict(index.rows("SELECT path, digest FROM file"))


def _side(index: Index, own: Mapping[str, str], other: Mapping[str, str]) -> _Side:
    """The definitions in the files that the other index has not, or with another content. Of a stub beside its text the text."""
    entries = [entry for entry in index.files.values() if not entry.problem and own[entry.path] != other.get(entry.path)]
    found: dict[str, Sketch] = {}
    fields: list[Field] = []
    for entry in sorted(entries, key=lambda entry: (not entry.path.endswith(".pyi"), entry.path)):
        file = SourceFile(entry.path, entry.module, entry.path.endswith("__init__.py"), entry.path.endswith(".pyi"), "", "")
        text = "\n".join(index.text_lines(entry.path)).encode("utf-8", "surrogatepass")
        drawn = sketch_file(file, text)
        found.update((one.symbol, one) for one in drawn.sketches)
        fields += drawn.fields
    return _Side(index, found, tuple(fields))


def _alike(first: Sketches, second: Sketches, matching: Matching) -> Iterable[Pair]:
    """Of what is left, what has the same body and signature as nothing else that is left. Bodies of one statement are too small
    to tell: of those the name or the place must be the same."""
    left = _by_body(first, matching.gone), _by_body(second, matching.new)
    for body, symbols in left[0].items():
        others = left[1].get(body, [])
        if len(symbols) == len(others) == 1:
            one, other = first[symbols[0]], second[others[0]]
            if len(one.statements) >= _FEW_STATEMENTS or one.name == other.name or one.owner == other.owner:
                yield Pair(one.symbol, other.symbol, _how(one, other), is_sure=True)


def _by_body(sketches: Sketches, symbols: Iterable[str]) -> dict[tuple[str, str, str], list[str]]:
    found: dict[tuple[str, str, str], list[str]] = {}
    for symbol in symbols:
        one = sketches[symbol]
        if one.statements:
            found.setdefault((one.kind, one.digest, one.signature), []).append(symbol)
    return found


def _how(one: Sketch, other: Sketch) -> How:
    if one.name == other.name:
        return How.MOVED
    return How.RENAMED if one.owner == other.owner else How.MOVED_AND_RENAMED


def _modules(first: Sketches, second: Sketches, pairs: Iterable[Pair]) -> dict[str, str]:
    """The modules that are gone, each with the new one that most of what stood in it is in now."""
    old, new = ({one.module for one in sketches.values()} for sketches in (first, second))
    held = Counter(one.module for one in first.values())
    went: dict[str, Counter[str]] = {}
    for pair in pairs:
        module, now = first[pair.before].module, second[pair.after].module
        if module not in new and now not in old:
            went.setdefault(module, Counter())[now] += 1
    most = {module: max(sorted(counted), key=lambda name: counted[name]) for module, counted in went.items()}
    return {module: now for module, now in most.items() if went[module][now] * 2 > held[module]}
