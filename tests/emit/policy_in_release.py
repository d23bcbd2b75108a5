"""The emitted policy in SGLang's own controller, put there by its own registry:

    python -m tests.emit.policy_in_release ROOT CONFIG

ROOT holds `sglang/` of a release, CONFIG is a file of `--speculative-adaptive-config`; the emitted package is on the path. Of the
release run, as they are: the registry of plugins, the controller and its rules, and the two methods by which a worker asks and
tells the controller. What those import is faked, and so is the rest of the worker. Prints, as JSON, who the policy is and what
each step was.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

WORKER = "sglang/srt/speculative/eagle_worker_v2.py"
GLUE = ("on_verify_complete_cpu", "activate_step_by_batch")
PACKAGES = ("sglang", "sglang.srt", "sglang.srt.speculative", "sglang.srt.distributed", "sglang.srt.arg_groups")
DRAFT_STEPS = 3
BATCHES = (1, 1, 8, 8, 4, 1, 0, 1)  # requests of each step; off at 8, on again at 4


class Worker:
    """A worker whose runtime states are names; its glue to the controller is the release's."""

    def __init__(self) -> None:
        self.speculative_num_steps = DRAFT_STEPS
        self.applied: list[int] = []
        self.adaptive_controller: Any = None

    def build_adaptive_runtime_state(self, speculative_num_steps: int, **_sizes: Any) -> Any:
        """What a number of steps needs."""
        return SimpleNamespace(speculative_num_steps=speculative_num_steps)

    def apply_runtime_state(self, state: Any) -> None:
        """Take it."""
        self.speculative_num_steps = state.speculative_num_steps
        self.applied.append(state.speculative_num_steps)


def main(root: Path, config: str) -> None:
    """Make the controller as the release does, and run a few steps with results that come one step late."""
    _fake(root)
    registry = importlib.import_module("sglang.srt.plugins.hook_registry").HookRegistry
    importlib.import_module("adaptive_disable.plugin").register()
    registry.apply_hooks()
    state = importlib.import_module("sglang.srt.speculative.adaptive_runtime_state")
    rules = importlib.import_module("sglang.srt.speculative.adaptive_spec_params")
    worker: Any = type("GluedWorker", (Worker,), _glue(root / WORKER))()
    worker.adaptive_controller = state.AdaptiveController(worker, rules.AdaptiveSpeculativeParams(DRAFT_STEPS, config))
    worker.adaptive_controller.init_states([1, 8])
    steps, waiting = [], None
    for size in BATCHES:
        worker.activate_step_by_batch(size)
        steps.append(worker.speculative_num_steps)
        if waiting:
            worker.on_verify_complete_cpu([worker.speculative_num_steps] * waiting, batch_size=waiting)
        waiting = size
    policy = worker.adaptive_controller.params
    print(json.dumps({"policy": type(policy).__module__, "steps": steps, "in_flight": len(getattr(policy, "_in_flight", ()))}))


def _fake(root: Path) -> None:
    """Let the modules of the release be found without what their packages import at once."""
    sys.path.insert(0, str(root))
    for name in PACKAGES:
        module: Any = ModuleType(name)
        module.__path__ = [str(root / name.replace(".", "/"))]
        module.__spec__ = importlib.util.spec_from_file_location(
            name, root / name.replace(".", "/") / "__init__.py", submodule_search_locations=module.__path__
        )
        sys.modules[name] = module
    group = SimpleNamespace(world_size=1, rank_in_group=0)
    fakes = {
        "sglang.srt.utils": ("log_info_on_rank0",),
        "sglang.srt.arg_groups.overrides": ("resolved_view", "resolving_view"),
        "sglang.srt.runtime_context": ("attn_dp_enabled_of",),
        "sglang.srt.speculative.spec_info": ("SpeculativeAlgorithm",),
        "sglang.srt.distributed.parallel_state": ("get_tp_group",),
    }
    for name, members in fakes.items():
        sys.modules[name] = fake = ModuleType(name)
        vars(fake).update({member: lambda *_given, **_named: group for member in members})


def _glue(file: Path) -> dict[str, Any]:
    """The release's own methods of the worker that ask and tell the controller."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    (worker,) = (one for one in tree.body if isinstance(one, ast.ClassDef) and one.name == "EAGLEWorkerV2")
    methods = [one for one in worker.body if isinstance(one, ast.FunctionDef) and one.name in GLUE]
    made: dict[str, Any] = {}
    exec(compile(ast.Module([*methods], []), str(file), "exec"), made)
    return {name: made[name] for name in GLUE}


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
