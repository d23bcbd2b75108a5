"""`flowmap trace -`: the frames of a Python traceback on the graph, with the guards that had to hold for each call."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

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

_FRAME = re.compile(r'^\s*(?:[|+ ]\s*)*File "(?P<file>[^"]+)", line (?P<line>\d+)(?:, in (?P<name>.+?))?\s*$', re.MULTILINE)
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
    frame: Frame
    file: str
    definition: Definition | None
    sites: tuple[Site, ...]


def traceback(index: Index, text: str, confidence: Confidence, detail: Detail) -> View:
    """The frames of the tracebacks in a text, outermost first, as they stand there.

    Errors: FlowmapError when the text holds no frame.
    """
    frames = [Frame(found["file"], line_number(found["line"]), found["name"] or "") for found in _FRAME.finditer(text)]
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


def _locate(index: Index, frame: Frame, confidence: Confidence) -> _Located:
    file = _file(index, frame.path)
    if not file:
        return _Located(frame, "", None, ())
    place = Place(file, frame.line)
    return _Located(frame, file, definition_at(index, place), sites_covering(index, place, confidence))


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
    return _Located(here.frame, here.file, here.definition, leading or here.sites)


def _node(index: Index, each: _Located, detail: Detail) -> TreeNode:
    frame = each.frame
    if each.definition is None:
        return TreeNode((Span(frame.name or _MODULE, Role.SYMBOL), GAP, note(f"{frame.path}:{frame.line}  outside the index")))
    line: Line = (symbol_span(each.definition), GAP, place_span(index, Place(each.file, frame.line)))
    if not _is(frame, each.definition):
        line = (*line, GAP, Span(f"not {frame.name}: another version ran", Role.WARNING))
        return TreeNode(line)
    return TreeNode(line, (), tuple(dict.fromkeys(line for site in each.sites for line in _had_to_hold(site, detail))))


def _had_to_hold(site: Site, detail: Detail) -> tuple[Line, ...]:
    return tuple((note("had to hold: "), *line) for line in way_guards(site, detail))


def _is(frame: Frame, definition: Definition) -> bool:
    """Whether a frame's name, bare or qualified, may be this definition's. A lambda belongs to what is around it."""
    name = frame.name.rsplit(".", 1)[-1]
    return name.startswith("<") or not name or name == definition.name or short_name(definition) == name


def _doubts(located: Sequence[_Located]) -> Iterator[str]:
    if any(each.definition and not _is(each.frame, each.definition) for each in located):
        yield "some lines are not where the traceback has them: name the version that ran with --source"


def _record(each: _Located) -> FrameRecord:
    frame, definition = each.frame, each.definition
    symbol = definition.symbol if definition else ""
    known = definition is not None and _is(frame, definition)
    return FrameRecord(frame.path, frame.line, frame.name, symbol, known, tuple(map(site_record, each.sites)) if known else ())
