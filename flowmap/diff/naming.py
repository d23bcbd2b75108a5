"""What the definitions of one index are called in another, so that what only moved or was renamed is no difference."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from flowmap.drift.matching import How, Matching, Sketches, match_definitions
from flowmap.extract.sketch import sketch_file
from flowmap.model.sketch import Sketch, Word
from flowmap.model.source import SourceFile
from flowmap.store.index import Index

_FEW_STATEMENTS = 2
_MARKS = (Word.READ, Word.STORED, Word.KEYWORD)
_WORD = re.compile(r"[^\W\d]\w*")


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
    known: dict[str, str] = field(default_factory=dict)

    def of(self, symbol: str) -> str:
        """What a symbol of the first index is called in the second: it goes with what it stands in."""
        found = self.known.get(symbol)
        if found is None:
            found = self.known[symbol] = self._found(symbol)
        return found

    def text(self, text: str) -> str:
        """A text of the first index with the names that things have in the second."""
        return _WORD.sub(lambda match: self.words.get(match[0], match[0]), text) if self.words else text

    def _found(self, symbol: str) -> str:
        here = self.became.get(symbol)
        owner, dot, name = symbol.rpartition(".")
        if here is not None or not dot or symbol.startswith("ext:"):
            return here or symbol
        return f"{self.of(owner)}.{name}"


def naming_between(before: Index, after: Index) -> Naming:
    """How the definitions of one index are called in another: by symbol, then by body, signature and likeness."""
    mine, theirs = _digests(before), _digests(after)
    first, second = _sketches(before, mine, theirs), _sketches(after, theirs, mine)
    matching = match_definitions(first, second)
    pairs = [Pair(one.before, one.after, one.how, one.is_sure) for one in matching.matches]
    pairs += _alike(first, second, matching)
    modules = _modules(first, second, pairs)
    became = {one.before: one.after for one in pairs} | modules
    moved = tuple(sorted(one for one in pairs if one.before != one.after))
    words = {old: new for one in moved if (old := first[one.before].name) != (new := second[one.after].name)}
    edited = frozenset(one.after for one in pairs if _says_else(first[one.before], second[one.after], words))
    return Naming(became, modules, moved, edited, words)


def _says_else(one: Sketch, other: Sketch, renamed: Mapping[str, str]) -> bool:
    """Whether a body says something else. One that speaks of what was renamed says the same if it speaks of the same things."""
    if one.digest == other.digest:
        return False
    spoken = {_renamed_word(word, renamed) for word in one.words}
    return not (spoken - set(one.words)) or spoken != set(other.words)


def _renamed_word(word: str, renamed: Mapping[str, str]) -> str:
    """A word of a sketch with what stands in front of it, under the new name."""
    mark = word[:1] if word[:1] in _MARKS else ""
    return mark + renamed.get(word.removeprefix(mark), word.removeprefix(mark))


def _digests(index: Index) -> dict[str, str]:
    return dict(index.rows("SELECT path, digest FROM file"))


def _sketches(index: Index, own: Mapping[str, str], other: Mapping[str, str]) -> dict[str, Sketch]:
    """The definitions in the files that the other index has not, or with another content. Of a stub beside its text the text."""
    entries = [entry for entry in index.files.values() if not entry.problem and own[entry.path] != other.get(entry.path)]
    found: dict[str, Sketch] = {}
    for entry in sorted(entries, key=lambda entry: (not entry.path.endswith(".pyi"), entry.path)):
        file = SourceFile(entry.path, entry.module, entry.path.endswith("__init__.py"), entry.path.endswith(".pyi"), "", "")
        text = "\n".join(index.text_lines(entry.path)).encode("utf-8", "surrogatepass")
        found.update((one.symbol, one) for one in sketch_file(file, text).sketches)
    return found


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
