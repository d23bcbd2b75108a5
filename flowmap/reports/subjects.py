"""Finds what a command is asked about: `NAME` or `FILE:LINE`. One clear message when it is not there or not one thing."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from flowmap.model.place import Place
from flowmap.model.problem import ExitCode, FlowmapError, Problem
from flowmap.model.program import Definition, DefinitionKind, FileEntry
from flowmap.model.typed import line_number
from flowmap.reports.phrases import a_kind, count
from flowmap.store.accesses import field_names
from flowmap.store.classes import held_by, hosts, members, orders, part_of, providers
from flowmap.store.index import Index
from flowmap.store.modules import definition_at, files_ending
from flowmap.store.names import named, nearest

_PLACE = re.compile(r"^(?P<file>.+\.pyi?):(?P<line>\d+)(?::\d+)?$")
_MEANT_AS_PLACE = re.compile(r"^(?P<file>.+\.pyi?):")
_N_CANDIDATES = 12
_N_UNREAD = 3
_CONSTRUCTORS = ("__init__", "__new__", "__post_init__")


def find(index: Index, text: str) -> tuple[Definition, ...]:
    """The definitions of the one symbol that `text` names, or the innermost one at a place; the module of a whole file.

    Errors: FlowmapError when nothing bears the name (with the nearest names) or several symbols do (with all of them).
    """
    place = place_in(text)
    if text.endswith((".py", ".pyi")):
        text = parsed(find_file(index, text)).module
    found = _found_at(index, *place) if place else every(index, text)
    symbols = list(dict.fromkeys(each.symbol for each in found))
    if len(symbols) > 1:
        raise ambiguous(index, text, found)
    return tuple(found)


def every(index: Index, text: str) -> tuple[Definition, ...]:
    """Every definition that `text` may name.

    Errors: FlowmapError when nothing bears the name.
    """
    if not text.strip():
        raise FlowmapError(Problem("the name", "is empty", "Give a name, or FILE:LINE; see --help."))
    found = named(index, text)
    if not found:
        raise unknown(index, text)
    return found


def find_class(index: Index, text: str) -> Definition:
    """The one class that `text` names.

    Errors: FlowmapError when there is none or more than one, or the name belongs to something else.
    """
    found = _found_at(index, *place) if (place := place_in(text)) else every(index, text)
    classes = [each for each in found if each.kind is DefinitionKind.CLASS]
    if not classes:
        kinds = ", ".join(sorted(set(map(a_kind, found))))
        raise FlowmapError(Problem(text, f"names {kinds}, not a class", f"flowmap where {text}"), code=ExitCode.USAGE)
    if len({each.symbol for each in classes}) > 1:
        raise ambiguous(index, text, classes)
    return classes[0]


def find_class_or_base(index: Index, text: str) -> Definition:
    """As `find_class`; or a class outside the indexed code from which one inside inherits."""
    outside = () if place_in(text) else named(index, text)
    bases = [each for each in outside if each.kind is DefinitionKind.EXTERNAL and hosts(index, each)]
    return bases[0] if len(bases) == 1 == len(outside) else find_class(index, text)


def find_file(index: Index, text: str, line: int = 0) -> FileEntry:
    """The one file that `text` names, by the end of its path or by its module's name. Of several that have the name the
    one counts that alone is long enough to have a `line`.

    Errors: FlowmapError when there is none or more than one.
    """
    if not text.strip():
        raise FlowmapError(Problem("the name", "is empty", "Give a file or a module; see --help."))
    entries = files_ending(index, text) or tuple(
        entry for entry in index.files.values() if entry.module == text or entry.module.endswith(f".{text}")
    )
    if not entries:
        names = [entry.path for entry in index.files.values()] + [entry.module for entry in index.files.values()]
        raise _not_found(text, "no file or module of the index has this name", _like(text, names))
    if len(entries) > 1:
        entries = tuple(entry for entry in entries if 0 < line <= entry.n_lines) or entries
    if len(entries) > 1:
        raise _several(text, [f"{entry.path}  {count(entry.n_lines, 'line')}" for entry in entries])
    return entries[0]


def with_line(entry: FileEntry, line: int) -> FileEntry:
    """The file. Errors: FlowmapError when it has no such line."""
    if not 1 <= line <= max(entry.n_lines, 1):
        raise _not_found(f"{entry.path}:{line}", f"the file has {count(entry.n_lines, 'line')}", ())
    return entry


def parsed(entry: FileEntry) -> FileEntry:
    """The file. Errors: FlowmapError with the reason when it was not read as Python, so that nothing is known of it."""
    if entry.problem:
        what = f"did not parse, so nothing in it is known: {entry.problem}"
        raise FlowmapError(
            Problem(entry.path, what, f"Mend it; flowmap show {entry.path} shows its text."), code=ExitCode.FINDING
        )
    return entry


def place_in(text: str) -> tuple[str, int] | None:
    """The parts of `FILE:LINE`; None when the text is a name.

    Errors: FlowmapError when a file is named, and what follows its colon is no line.
    """
    match = _PLACE.match(text)
    if match:
        return match["file"], line_number(match["line"])
    file = _MEANT_AS_PLACE.match(text)
    if file:
        raise FlowmapError(
            Problem(text, "is not FILE:LINE", f"Write {file['file']}:LINE with one number, or {file['file']} alone.")
        )
    return None


def with_own_constructors(index: Index, definitions: Sequence[Definition]) -> tuple[Definition, ...]:
    """The definitions, and for a class the methods of its own body that run when it is called: what leads to them leads to it."""
    own = members(index, definitions)
    constructors = [each for one in definitions for name in _CONSTRUCTORS for each in own.get(one.id, {}).get(name, ())]
    found = [held for each in constructors for held in held_by(each)]
    return tuple({each.id: each for each in (*definitions, *found)}.values())


def with_constructors(index: Index, definitions: Sequence[Definition]) -> tuple[Definition, ...]:
    """The definitions, and for a class the methods that run when it is called, the inherited ones too."""
    along = orders(index, definitions).values()
    winners = [each for order in along for name in _CONSTRUCTORS for each in providers(index, order, name)[:1]]
    found = [held for each in winners for held in held_by(each)]
    return tuple({each.id: each for each in (*definitions, *found)}.values())


def unknown(index: Index, text: str) -> FlowmapError:
    """Says that nothing bears this name, with the nearest names that exist."""
    error = _not_found(text, f"no such name in {index.source}", nearest(index, text))
    owner, _, name = text.strip().rpartition(".")
    is_field = name in field_names(index) and (not owner or named(index, owner))
    field = f"It is a field: flowmap state {text.strip()}" if is_field else ""
    unread = _unread(index, text)
    return FlowmapError(
        *(replace(each, fix="\n    ".join(filter(None, (field or each.fix, unread)))) for each in error.problems), code=error.code
    )


def _unread(index: Index, text: str) -> str:
    """What may have the name, though nobody knows: the files that did not parse, those first that hold the word."""
    files = [entry for entry in index.files.values() if entry.problem]
    word = re.compile(rf"\b{re.escape(re.split(r'[.:]', text.strip())[-1].removesuffix('()'))}\b")
    holding = [entry.path for entry in files if word.search("\n".join(index.text_lines(entry.path)))]
    if holding:
        more = f" and {len(holding) - _N_UNREAD} more" if len(holding) > _N_UNREAD else ""
        return f"It stands in what did not parse: {', '.join(holding[:_N_UNREAD])}{more}"
    return f"{count(len(files), 'file')} did not parse, and may have it: flowmap index -v" if files else ""


def ambiguous(index: Index, text: str, found: Iterable[Definition]) -> FlowmapError:
    """Says that several symbols bear this name, with each and where it stands."""
    parts = [f"  {part_of(each)}" if part_of(each) else "" for each in found]
    return _several(text, [f"{each.symbol}  {_short_place(index, each)}{part}" for each, part in zip(found, parts, strict=True)])


def _found_at(index: Index, file: str, line: int) -> tuple[Definition, ...]:
    entry = parsed(with_line(find_file(index, file, line), line))
    found = definition_at(index, Place(entry.path, line))
    if found is None:
        raise _not_found(entry.path, "the file gave no facts", ())
    return (found,)


def _short_place(index: Index, definition: Definition) -> str:
    place = definition.place
    return f"{index.short_paths[place.file]}:{place.line}" if place else "outside the index"


def _not_found(where: str, what: str, suggestions: Sequence[str]) -> FlowmapError:
    fix = f"Did you mean {', '.join(suggestions)}?" if suggestions else ""
    return FlowmapError(Problem(where, what, fix), code=ExitCode.FINDING)


def _several(text: str, candidates: Sequence[str]) -> FlowmapError:
    shown = [
        *candidates[:_N_CANDIDATES],
        *([f"… and {len(candidates) - _N_CANDIDATES} more"] * (len(candidates) > _N_CANDIDATES)),
    ]
    fix = "\n    ".join(("Say which, with more of the name or as FILE:LINE:", *shown))
    return FlowmapError(Problem(text, f"{len(candidates)} things bear this name", fix), code=ExitCode.USAGE)


def _like(text: str, names: Iterable[str]) -> tuple[str, ...]:
    return tuple(difflib.get_close_matches(text, list(names), n=3))
