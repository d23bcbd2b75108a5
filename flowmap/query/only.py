"""The filters of a query: which of what is found counts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from fnmatch import fnmatchcase

from flowmap.follow.given import calls_given
from flowmap.model.access import Access
from flowmap.model.program import Site
from flowmap.model.query import Only
from flowmap.query.anchors import Subject, definitions_meant, fields_meant
from flowmap.query.hits import Hit
from flowmap.store.reach import reached_from

Counts = Callable[[Hit], bool]


def filters(subject: Subject, only: Only) -> list[Counts]:
    """What must be so of an answer that counts."""
    return [*_by_kind(only), *_by_module(only), *_by_guards(only), *_by_function(subject, only), *_by_value(subject, only)]


def _by_kind(only: Only) -> Iterator[Counts]:
    if only.access:
        yield lambda hit: not isinstance(hit.found, Access) or hit.found.kind in only.access
    if only.kind:
        yield lambda hit: not isinstance(hit.found, Site) or hit.found.kind in only.kind
    if only.says:
        said = saying(only.says)
        yield lambda hit: said.search(hit.code) is not None


def _by_module(only: Only) -> Iterator[Counts]:
    if only.in_module:
        yield lambda hit: is_in(hit.function.module, only.in_module)
    if only.not_in_module:
        yield lambda hit: not is_in(hit.function.module, only.not_in_module)


def is_in(module: str, patterns: Iterable[str]) -> bool:
    """Whether a module, or a package around it, bears one of the names, or ends in one at a dot."""
    return any(fnmatchcase(f".{module}.", f"*.{pattern}.*") for pattern in patterns)


def _by_guards(only: Only) -> Iterator[Counts]:
    if only.guarded_by:
        wanted = saying(only.guarded_by)
        yield lambda hit: any(wanted.search(guard) for guard in hit.guards)
    if only.not_guarded_by:
        unwanted = saying(only.not_guarded_by)
        yield lambda hit: not any(unwanted.search(guard) for guard in hit.guards)


def saying(texts: Iterable[str]) -> re.Pattern[str]:
    """A pattern for what contains one of some texts, in which `*` stands for any text."""
    return re.compile("|".join(".*".join(map(re.escape, text.split("*"))) for text in texts))


def _by_function(subject: Subject, only: Only) -> Iterator[Counts]:
    if only.in_function:
        inside = {one.id for _, found in definitions_meant(subject, only.in_function) for one in found}
        yield lambda hit: hit.function.id in inside
    if only.reached_from:
        roots = [one for _, found in definitions_meant(subject, only.reached_from) for one in found]
        reached = reached_from(subject.index, roots)
        yield lambda hit: hit.function.id in reached


def _by_value(subject: Subject, only: Only) -> Iterator[Counts]:
    if only.with_value_of:
        fields = [
            (owner, access.field) for _, found in fields_meant(subject, only.with_value_of) for access, owner in _owned(found)
        ]
        given = calls_given(subject.index, tuple(dict.fromkeys(fields)))
        subject.notes.extend(given.notes)
        yield lambda hit: not isinstance(hit.found, Site) or given.holds(hit.found)


def _owned(found: Sequence[Access]) -> Iterator[tuple[Access, int]]:
    for access in found:
        yield from ((access, owner.id) for owner in access.owners)
