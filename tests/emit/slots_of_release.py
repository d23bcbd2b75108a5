"""The rules of SGLang's own controller, from the sources of a release: that module alone runs, and what it imports is faked."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

MODULE = "sglang.srt.speculative.adaptive_spec_params"
IMPORTED = {
    "sglang.srt.utils": ("log_info_on_rank0",),
    "sglang.srt.arg_groups.overrides": ("resolved_view", "resolving_view"),
    "sglang.srt.runtime_context": ("attn_dp_enabled_of",),
    "sglang.srt.speculative.spec_info": ("SpeculativeAlgorithm",),
}


def rules_of(source: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The module of that name, run from its file."""
    for name, members in IMPORTED.items():
        module: Any = ModuleType(name)
        for member in members:
            setattr(module, member, lambda *_: None)
        monkeypatch.setitem(sys.modules, name, module)
        for end in range(1, name.count(".") + 1):
            package = ".".join(name.split(".")[:end])
            monkeypatch.setitem(sys.modules, package, ModuleType(package))
    rules: Any = ModuleType(MODULE)
    monkeypatch.setitem(sys.modules, MODULE, rules)
    exec(compile(source.read_text(encoding="utf-8"), str(source), "exec"), vars(rules))
    return rules
