"""`flowmap trace -`: the frames of a Python traceback on the graph, with the guards that had to hold for each call."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from flowmap.model.place import Place
from flowmap.model.problem import ExitCode, FlowmapError, Problem
from flowmap.model.program import Confidence, Definition, Site
from flowmap.model.typed import line_number
from flowmap.model.view import Line, Role, Span, Tree, TreeNode, View
from flowmap.reports.phrases import GAP, Detail, count, note, place_span, short_name, symbol_span, way_guards
from flowmap.reports.records import SiteRecord, site_record
from flowmap.store.index import Index
from flowmap.store.modules import definition_at
from flowmap.store.sites import sites_covering

_FRAME = re.compile(
    r"""^(?P<before>(?:[^"'\n]*[^\w"'\n])?)File "(?P<file>[^"]+)", line (?P<line>\d+)(?:, in (?P<name>.+?))?\s*$""", re.MULTILINE
)
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_MODULE = "<module>"


@dataclass(frozen=True, slots=True)
class Frame:
    """A frame as the traceback prints it: the path on the machine where it ran, the line, the function's name."""

    path: str
    line: int
    name: str


@dataclass(frozen=True, slots=True)
class FrameRecord:
    """A frame and what the index knows of it. `symbol` is "" outside the index; `sites`: the calls that led to the next frame."""

    path: str
    line: int
    name: str
    symbol: str
    known: bool  # whether the index has the function at that line; false where the release that ran was another one
    sites: tuple[SiteRecord, ...]


@dataclass(frozen=True, slots=True)
class _Located:
    """A frame in the index. `doubt`: why the line there is not the one that ran, "" where it may be."""

    frame: Frame
    file: str
    definition: Definition | None
    sites: tuple[Site, ...]
    doubt: str


def traceback(index: Index, text: str, confidence: Confidence, detail: Detail) -> View:
    """The frames of the tracebacks in a text, outermost first, as they stand there; of processes whose lines are told apart by
    what stands before them (`[rank0]: `), one after the other.

    Errors: FlowmapError when the text holds no frame.
    """
    frames = _frames(text)
    if not frames:
        raise FlowmapError(
            Problem("standard input", "holds no traceback", "Paste one: flowmap trace - < crash.log"), code=ExitCode.FINDING
        )
    located = [_locate(index, frame, confidence) for frame in frames]
    chosen = tuple(_calling(here, following) for here, following in zip(located, [*located[1:], None], strict=True))
    nodes = tuple(_node(index, each, detail) for each in chosen)
    n_known = sum(each.definition is not None for each in chosen)
    title = (Span("Traceback", Role.HEADING), GAP, note(f"{n_known} of {count(len(frames), 'frame')} in the index"))
    return View(title, (Tree(nodes),), tuple(map(_record, chosen)), index.source, tuple(_doubts(chosen)))


def _frames(text: str) -> list[Frame]:
    by_process: dict[str, list[Frame]] = {}
    for found in _FRAME.finditer(_COLOUR.sub("", text)):
        frame = Frame(found["file"], line_number(found["line"]), found["name"] or "")
        by_process.setdefault(found["before"].strip(" \t|+"), []).append(frame)
    return [frame for frames in by_process.values() for frame in frames]


def _locate(index: Index, frame: Frame, confidence: Confidence) -> _Located:
    file = _file(index, frame.path)
    if not file:
        return _Located(frame, "", None, (), "")
    place = Place(file, frame.line)
    definition = definition_at(index, place)
    return _Located(frame, file, definition, sites_covering(index, place, confidence), _doubt(index, place, frame, definition))


def _doubt(index: Index, place: Place, frame: Frame, definition: Definition | None) -> str:
    n_lines = index.files[index.file_ids[place.file]].n_lines
    if definition is None:
        return "the file did not parse"
    if place.line > n_lines:
        return f"the file has {count(n_lines, 'line')}: another version ran"
    return "" if _is(frame, definition) else f"not {frame.name}: another version ran"


def _file(index: Index, path: str) -> str:
    """The file of the index that a path on another machine means: the longest end of it that is one."""
    parts = path.replace("\\", "/").split("/")
    ends = ("/".join(parts[start:]) for start in range(len(parts)))
    return next((end for end in ends if end in index.file_ids), "")


def _calling(here: _Located, following: _Located | None) -> _Located:
    """Of the sites on a frame's line those that lead to the next frame; all of them where none is known to."""
    if following is None:
        return here
    name = following.frame.name.rsplit(".", 1)[-1]
    leading = tuple(site for site in here.sites if any(target.definition.name == name for target in site.targets))
    return replace(here, sites=leading or here.sites)


def _node(index: Index, each: _Located, detail: Detail) -> TreeNode:
    frame = each.frame
    if not each.file:
        return TreeNode((Span(frame.name or _MODULE, Role.SYMBOL), GAP, note(f"{frame.path}:{frame.line}  outside the index")))
    what = symbol_span(each.definition) if each.definition else Span(frame.name or _MODULE, Role.SYMBOL)
    line: Line = (what, GAP, place_span(index, Place(each.file, frame.line)))
    if each.doubt:
        return TreeNode((*line, GAP, Span(each.doubt, Role.WARNING)))
    return TreeNode(line, (), tuple(dict.fromkeys(line for site in each.sites for line in _had_to_hold(site, detail))))


def _had_to_hold(site: Site, detail: Detail) -> tuple[Line, ...]:
    return tuple((note("had to hold: "), *line) for line in way_guards(site, detail))


def _is(frame: Frame, definition: Definition) -> bool:
    """Whether a frame's name, bare or qualified, may be this definition's. A lambda belongs to what is around it."""
    name = frame.name.rsplit(".", 1)[-1]
    return name.startswith("<") or not name or name == definition.name or short_name(definition) == name


def _doubts(located: Sequence[_Located]) -> Iterator[str]:
    if any(each.definition and each.doubt for each in located):
        yield "some lines are not where the traceback has them: name the version that ran with --source"


def _record(each: _Located) -> FrameRecord:
    frame, definition = each.frame, each.definition
    symbol = definition.symbol if definition else ""
    known = definition is not None and not each.doubt
    return FrameRecord(frame.path, frame.line, frame.name, symbol, known, tuple(map(site_record, each.sites)) if known else ())
