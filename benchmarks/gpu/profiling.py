"""Profiles some decode steps of a stage: ranges are put on the parts of a step, and taken off again."""

from __future__ import annotations

import json
import tempfile
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

from sglang.srt.managers.schedule_batch import ScheduleBatch
from sglang.srt.managers.utils import GenerationBatchResult
from sglang.srt.model_executor.cuda_graph_runner import CudaGraphRunner
from sglang.srt.model_executor.model_runner import ModelRunner
from torch.profiler import ProfilerActivity, profile, record_function

from benchmarks.gpu.asked import Stage
from benchmarks.gpu.breakdown import busy_ms, causes, largest_kernels

N_BEFORE, N_PROFILED = 24, 16  # rounds of the loop in which all requests of the stage run
N_KERNELS = 8  # of each part


class Profiler:
    """Profiles the stages that want it."""

    def __init__(self, scheduler: Any) -> None:
        self.scheduler = scheduler
        self.profiles: list[dict[str, Any]] = []
        self._stage: Stage | None = None
        self._n_full = 0
        self._running = ExitStack()
        self._profile: Any = None

    def begin(self, stage: Stage) -> None:
        """A stage begins."""
        self._stage, self._n_full = (stage if stage.profiled else None), 0

    def round(self, n_running: int) -> None:
        """A round of the loop begins."""
        if self._stage is None or n_running != len(self._stage.prompts):
            return
        self._n_full += 1
        if self._n_full == N_BEFORE:
            self._start()
        elif self._n_full == N_BEFORE + N_PROFILED:
            self._stop(self._stage)

    def _start(self) -> None:
        for owner, name, label in _parts(self.scheduler):
            _mark(self._running, owner, name, label)
        self._profile = self._running.enter_context(profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]))

    def _stop(self, stage: Stage) -> None:
        self._running.close()
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "trace.json")
            self._profile.export_chrome_trace(str(file))
            events = json.loads(file.read_text(encoding="utf-8"))["traceEvents"]
        found = [asdict(cause) for cause in causes(events, N_PROFILED)]
        kernels = [asdict(kernel) for kernel in largest_kernels(events, N_PROFILED, N_KERNELS)]
        busy = busy_ms(events, N_PROFILED)
        self.profiles.append({"stage": stage.name, "busy_ms": busy, "causes": found, "kernels": kernels})
        self._stage = None


def _parts(scheduler: Any) -> list[tuple[Any, str, str]]:
    """(owner, method, what it is called) of each part of a step."""
    parts = [
        (scheduler, "recv_requests", "receive requests"),
        (scheduler, "get_next_batch_to_run", "choose the batch"),
        (scheduler, "run_batch", "launch the step"),
        (scheduler, "process_batch_result", "process the result of the step before"),
        (ScheduleBatch, "maybe_wait_verify_done", "wait for the verification"),
        (ScheduleBatch, "prepare_for_decode", "reserve slots"),
        (ScheduleBatch, "get_model_worker_batch", "make the worker's batch"),
        (ScheduleBatch, "copy", "copy the batch for its result"),
        (scheduler.future_map, "resolve_future", "read what the step before left"),
        (scheduler.future_map, "store_to_map", "leave what the next step reads"),
        (GenerationBatchResult, "copy_to_cpu", "copy the result to the host"),
        (scheduler.model_worker, "forward_batch_generation", "the step"),
        (ModelRunner, "forward", "target: eager or graph"),
        (ModelRunner, "sample", "sample"),
        (CudaGraphRunner, "replay_prepare", "target: prepare the graph"),
    ]
    drafts = getattr(scheduler.draft_worker, "draft_worker", None)
    if drafts is None:
        return parts
    return [
        *parts,
        (drafts, "draft", "draft"),
        (scheduler.model_worker, "verify", "verify"),
        (drafts, "_draft_extend_for_decode", "keep the draft in step"),
    ]


def _mark(undo: ExitStack, owner: Any, name: str, label: str) -> None:
    method = getattr(owner, name)

    def marked(*arguments: Any, **named: Any) -> Any:
        with record_function(label):
            return method(*arguments, **named)

    if name in vars(owner):
        undo.callback(setattr, owner, name, vars(owner)[name])
    else:
        undo.callback(delattr, owner, name)
    setattr(owner, name, marked)
