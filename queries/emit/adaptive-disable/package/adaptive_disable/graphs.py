"""CUDA graphs of a decode step of one token a request, beside those that verify.

The target of a speculating server holds graphs of D tokens a request alone, and `CudaGraphRunner.can_run` asks neither
for the mode of a batch nor for its tokens: a plain step must not meet them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sglang.srt.model_executor.cuda_graph_runner import CudaGraphRunner
from sglang.srt.speculative.spec_info import SpeculativeAlgorithm

if TYPE_CHECKING:
    from sglang.srt.speculative.eagle_worker_v2 import EAGLEWorkerV2


# Captured once: the hook is put on twice where step times are measured first.
_CAPTURED: dict[Any, CudaGraphRunner] = {}


def capture_one_token(worker: EAGLEWorkerV2) -> CudaGraphRunner | None:
    """Graphs of one token a request, which give all hidden states; None where the server captures none. About a second.

    Raises what the capture raises (out of memory, above all); the worker is as it was then.
    """
    runner = worker.target_worker.model_runner
    if runner.graph_runner is None:
        return None
    if runner not in _CAPTURED:
        with _as_without_speculation(runner):
            _CAPTURED[runner] = CudaGraphRunner(runner)
    return _CAPTURED[runner]


@contextmanager
def _as_without_speculation(runner: Any) -> Iterator[None]:
    """Let a model runner look like one that returns hidden states and does not speculate, while graphs are captured.

    The attention backend keeps its buffers: graphs that are captured already point at them, and they are large enough,
    for those graphs hold as many requests and more tokens.
    """
    arguments, backend = runner.server_args, runner.attn_backend
    kept = runner.spec_algorithm, arguments.enable_return_hidden_states
    runner.spec_algorithm, arguments.enable_return_hidden_states = SpeculativeAlgorithm.NONE, True
    backend.init_cuda_graph_state = _keep_buffers
    try:
        yield
    finally:
        runner.spec_algorithm, arguments.enable_return_hidden_states = kept
        del backend.init_cuda_graph_state


def _keep_buffers(*_sizes: Any, **_named: Any) -> None:
    """Stands for `init_cuda_graph_state` while graphs are added."""
