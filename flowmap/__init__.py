"""flowmap: what really runs in a large Python code base, with evidence, from its source alone.

The few names here are public; nothing else is. They are imported when first used, so that the command starts quickly.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flowmap.api import CodeBase, open_index
    from flowmap.model.problem import FlowmapError, Problem
    from flowmap.model.program import Confidence, Definition

__all__ = ["CodeBase", "Confidence", "Definition", "FlowmapError", "Problem", "open_index"]

_HOMES = {
    "CodeBase": "flowmap.api",
    "Confidence": "flowmap.model.program",
    "Definition": "flowmap.model.program",
    "FlowmapError": "flowmap.model.problem",
    "Problem": "flowmap.model.problem",
    "open_index": "flowmap.api",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
