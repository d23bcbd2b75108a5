"""`flowmap export flow`: a path of a value a line of JSON, the best first."""

from __future__ import annotations

import json
from collections.abc import Iterator

from flowmap.follow.world import World
from flowmap.model.flow import FlowStep
from flowmap.reports.flow import FlowQuestion, answered, code_of
from flowmap.store.index import Index

FORM_VERSION = 1


def export_flow(index: Index, question: FlowQuestion) -> Iterator[str]:
    """One line a path, without its end.

    Errors: FlowmapError when a name is unknown or ambiguous, or no path is found.
    """
    world = World(index)
    _, found = answered(world, question)
    for path in found.paths:
        yield json.dumps({"steps": [_step(world, step) for step in path.steps]}, ensure_ascii=False)


def _step(world: World, step: FlowStep) -> dict[str, object]:
    return {
        "file": step.file,
        "line": step.line,
        "function": world.definition(step.function).symbol,
        "what": step.what.value,
        "expr": code_of(world, step),
    }
