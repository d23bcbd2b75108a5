"""CUDA graphs of a decode step of one token a request, beside those of D tokens that the server has.

The target of a speculating server holds graphs of D tokens a request alone, and `CudaGraphRunner.can_run` asks neither
for the mode of a batch nor for its tokens: a plain step must not meet them. The graphs in which the draft takes in what
was accepted are of D tokens, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sglang.srt.layers.attention.triton_backend import TritonAttnBackend
from sglang.srt.model_executor.cuda_graph_runner import CudaGraphRunner
from sglang.srt.speculative.eagle_draft_extend_cuda_graph_runner import EAGLEDraftExtendCudaGraphRunner
from sglang.srt.speculative.spec_info import SpeculativeAlgorithm

if TYPE_CHECKING:
    from sglang.srt.speculative.eagle_worker_v2 import EagleDraftWorker, EAGLEWorkerV2


# Captured once: the hook is put on twice where step times are measured first.
_CAPTURED: dict[Any, Any] = {}


def capture_one_token(worker: EAGLEWorkerV2) -> CudaGraphRunner | None:
    """Graphs of one token a request, which give all hidden states; None where the server captures none. About a second.

    Raises what the capture raises (out of memory, above all); the worker is as it was then.
    """
    runner = worker.target_worker.model_runner
    if runner.graph_runner is None:
        return None
    if runner not in _CAPTURED:
        with _as_without_speculation(runner), _buffers_kept(runner.attn_backend):
            _CAPTURED[runner] = CudaGraphRunner(runner)
    graphs: CudaGraphRunner = _CAPTURED[runner]
    return graphs


def takes_one_token(drafts: EagleDraftWorker) -> bool:
    """Whether the draft can take in one token a request: where its attention backend knows no width of its own.

    Triton's reads the number of draft steps while graphs are captured, and never again. Of others it is not known here:
    the draft takes in D, as after a verify step.
    """
    return isinstance(drafts.draft_extend_attn_backend, TritonAttnBackend)


def capture_one_token_of(drafts: EagleDraftWorker) -> EAGLEDraftExtendCudaGraphRunner | None:
    """Graphs in which the draft takes in one token a request; None where the server captures none for it.

    Raises what the capture raises; the worker is as it was then.
    """
    if drafts.cuda_graph_runner_for_draft_extend is None:
        return None
    if drafts not in _CAPTURED:
        backend = drafts.draft_extend_attn_backend
        with _without_steps(drafts.draft_runner.server_args), _without_steps(backend), _buffers_kept(backend):
            _CAPTURED[drafts] = EAGLEDraftExtendCudaGraphRunner(drafts)
    graphs: EAGLEDraftExtendCudaGraphRunner = _CAPTURED[drafts]
    return graphs


@contextmanager
def _as_without_speculation(runner: Any) -> Iterator[None]:
    """Let a model runner look like one that returns hidden states and does not speculate, while graphs are captured."""
    arguments = runner.server_args
    kept = runner.spec_algorithm, arguments.enable_return_hidden_states
    runner.spec_algorithm, arguments.enable_return_hidden_states = SpeculativeAlgorithm.NONE, True
    try:
        yield
    finally:
        runner.spec_algorithm, arguments.enable_return_hidden_states = kept


@contextmanager
def _without_steps(owner: Any) -> Iterator[None]:
    """Let it look as if nothing were drafted: the width of a graph is one more than the draft steps."""
    kept = owner.speculative_num_steps
    owner.speculative_num_steps = 0
    try:
        yield
    finally:
        owner.speculative_num_steps = kept


@contextmanager
def _buffers_kept(backend: Any) -> Iterator[None]:
    """Let an attention backend keep its buffers while graphs are added.

    Graphs that are captured already point at them, and they are large enough: those graphs hold as many requests and
    more tokens.
    """
    backend.init_cuda_graph_state = _keep_buffers
    try:
        yield
    finally:
        del backend.init_cuda_graph_state


def _keep_buffers(*_sizes: Any, **_named: Any) -> None:
    """Stands for `init_cuda_graph_state` while graphs are added."""
