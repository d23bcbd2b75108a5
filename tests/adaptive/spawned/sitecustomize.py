"""Makes a CPU do in every process of a server of SGLang 0.5.9: Python runs this when it starts, where this folder is on its path.

Packages for graphics cards are stubbed at once; what the scheduler calls of them is replaced right after its module has run.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
from collections.abc import Sequence
from types import ModuleType

from tests.adaptive.server import STUBBED, stand_in
from tests.sglang.stubs import install_stubs

SCHEDULER = "sglang.srt.managers.scheduler"


class _AfterScheduler(importlib.abc.MetaPathFinder):
    """Finds the module of the scheduler as ever, and has something done once it has run."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The module's own, with a loader that does more; None for every other module."""
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target) if fullname == SCHEDULER else None
        if spec is None or spec.loader is None:
            return None
        run = spec.loader.exec_module

        def run_and_stand_in(module: ModuleType) -> None:
            run(module)
            stand_in()

        spec.loader.exec_module = run_and_stand_in  # type: ignore[method-assign]
        return spec


install_stubs(STUBBED)
sys.meta_path.insert(0, _AfterScheduler())
