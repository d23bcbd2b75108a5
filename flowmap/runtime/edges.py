"""The form in which a record is kept: JSON Lines, a row an edge (see `docs/reference/formats.md`)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from flowmap.model.observed import ObservedEdge
from flowmap.model.problem import FlowmapError, Problem

FORM_VERSION = 1


def edge_lines(edges: Iterable[ObservedEdge]) -> Iterator[str]:
    """The rows of a record, in the order given."""
    for edge in edges:
        row = {
            "caller": edge.caller,
            "file": edge.file,
            "line": edge.line,
            "callee": edge.callee,
            "callee_file": edge.callee_file,
            "callee_line": edge.callee_line,
            "through": list(edge.through),
            "count": edge.n_calls,
        }
        yield json.dumps(row, ensure_ascii=False)


def read_edges(path: Path) -> tuple[ObservedEdge, ...]:
    """The edges of a record.

    Errors: FlowmapError when the file cannot be read or a line is no row of this form.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        fix = "Make one with: flowmap record -o FILE -- COMMAND"
        raise FlowmapError(Problem(str(path), f"cannot be read: {reason}", fix)) from error
    return tuple(_edge(path, number, line) for number, line in enumerate(lines, 1) if line)


def counted(edges: Iterable[ObservedEdge], uncounted: Sequence[str]) -> tuple[ObservedEdge, ...]:
    """The edges that neither begin nor end in a file that one of the globs `uncounted` matches."""
    return tuple(
        edge for edge in edges if not any(fnmatchcase(file, glob) for glob in uncounted for file in (edge.file, edge.callee_file))
    )


def _edge(path: Path, number: int, line: str) -> ObservedEdge:
    try:
        row = json.loads(line)
        return ObservedEdge(
            file=str(row["file"]),
            line=int(row["line"]),
            caller=str(row["caller"]),
            callee=str(row["callee"]),
            callee_file=str(row["callee_file"]),
            callee_line=int(row["callee_line"]),
            through=tuple(map(str, row["through"])),
            n_calls=int(row["count"]),
        )
    except (ValueError, KeyError, TypeError) as error:
        what = "is no row of a record of calls"
        raise FlowmapError(Problem(f"{path} line {number}", what, "Make one with: flowmap record -o FILE -- COMMAND")) from error
