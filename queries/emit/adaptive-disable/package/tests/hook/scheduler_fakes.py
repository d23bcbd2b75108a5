"""A scheduler and its worker as far as the hook looks at them, without SGLang."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from adaptive_disable.of_release import COUNTS_TOKENS, LOGS_STEPS, PENALTIES, RESOLVES

WIDTH = 4  # draft tokens a request, the root among them


class Tokens(list[int]):
    """A tensor of one dimension, as far as it is read."""

    def tolist(self) -> list[int]:
        return list(self)


class Worker:
    """Verifies: its results are marked `verified`."""

    speculative_num_draft_tokens = WIDTH

    def __init__(self) -> None:
        self.plan_stream = None

    def forward_batch_generation(self, batch: Any) -> Any:
        return result([2] * len(batch.seq_lens), verified=True)


class Scheduler:
    """Counts verify steps as SGLang does."""

    def __init__(self, **of_server: Any) -> None:
        settings = {
            "speculative_eagle_topk": 1,
            "enable_multi_layer_eagle": False,
            "enable_dp_attention": False,
            "speculative_adaptive": False,
            "pp_size": 1,
            "enable_two_batch_overlap": False,
            "disaggregation_mode": "null",
            "enable_lora": False,
            "enable_return_hidden_states": False,
        }
        self.server_args = SimpleNamespace(**{**settings, **of_server})
        self.model_config = SimpleNamespace(is_encoder_decoder=False, is_multimodal=False)
        self.spec_algorithm = SimpleNamespace(is_none=lambda: False)
        self.enable_overlap, self.is_hybrid_ssm = True, False
        self.model_worker = self.draft_worker = Worker()
        self.waiting_queue: list[Any] = [object()] * 3
        self.spec_num_forward_ct = self.spec_total_num_forward_ct = 0
        vars(self).update(dict.fromkeys(COUNTS_TOKENS, 0))
        self.logged: list[float] = []
        setattr(self, LOGS_STEPS, self._log_steps)
        setattr(self, RESOLVES, self._resolve)

    def _resolve(self, result: Any, batch: Any) -> list[list[int]]:
        for request in batch.reqs:
            request.spec_verify_ct += 1
        return [[0] * length for length in result.accept_lens]

    def update_spec_metrics(self, bs: int, n_drafts: int) -> None:  # noqa: ARG002
        self.spec_num_forward_ct += bs

    def _log_steps(self, can_run_cuda_graph: bool, running_batch: Any = None) -> None:  # noqa: ARG002
        self.logged.append(1 / self.spec_num_forward_ct)
        self.spec_total_num_forward_ct += self.spec_num_forward_ct
        self.spec_num_forward_ct = 0


@dataclass
class Controller:
    """Decides as it is told, and takes down what it is asked and told."""

    speculate: bool
    asked: list[tuple[int, int, int]] = field(default_factory=list)
    told: list[Any] = field(default_factory=list)

    def decide(self, batch_size: int, queue_length: int, context: int) -> Controller:
        self.asked.append((batch_size, queue_length, context))
        return self

    def observe_speculated(self, accepted: Sequence[int]) -> None:
        self.told.append(list(accepted))

    def observe_plain(self, n_requests: int, foreseen: int | None = None) -> None:
        self.told.append((n_requests, foreseen))


class OffSteps:
    """A variant: tokens 10, 20, … of which one was foreseen."""

    def step(self, batch: Any) -> tuple[Any, Any]:
        n_requests = len(batch.seq_lens)
        tokens = [token for number in range(n_requests) for token in ((number + 1) * 10, 0, 0, 0)]
        return result([1] * n_requests, tokens), 1


def result(lengths: Sequence[int], tokens: Sequence[int] = (), *, verified: bool = False) -> Any:
    """A result of a decode step."""
    return SimpleNamespace(accept_lens=Tokens(lengths), next_token_ids=Tokens(tokens), verified=verified)


def worker_batch(n_requests: int = 2, mode: str = "decode", **of_batch: Any) -> Any:
    """What the worker gets. `of_batch`: fields of the sampling, or of the batch."""
    sampling = {
        **dict.fromkeys(PENALTIES),
        "logit_bias": None,
        "need_min_p_sampling": False,
        "has_custom_logit_processor": False,
    }
    fields = {"return_logprob": False, "is_extend_in_batch": False, "spec_info": object()}
    return SimpleNamespace(
        seq_lens=[7] * n_requests,
        seq_lens_sum=7 * n_requests,
        forward_mode=SimpleNamespace(is_decode=lambda: mode == "decode"),
        sampling_info=SimpleNamespace(**{name: of_batch.get(name, value) for name, value in sampling.items()}),
        **{name: of_batch.get(name, value) for name, value in fields.items()},
    )


def request(*, finished: bool = False, retracted: bool = False) -> Any:
    """A request of a batch."""
    return SimpleNamespace(kv_committed_len=7, spec_verify_ct=0, is_retracted=retracted, finished=lambda: finished)
