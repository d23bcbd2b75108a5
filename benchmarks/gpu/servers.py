"""The servers that the scenarios run on: SGLang's own arguments, for a machine without a network and without FlashAttention 3."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

V2 = {"SGLANG_ENABLE_SPEC_V2": "1"}
COMMON = {
    "skip_tokenizer_init": True,
    "attention_backend": "triton",
    "sampling_backend": "pytorch",
    "grammar_backend": "none",
    "disable_custom_all_reduce": True,
    "context_length": 4096,
    "random_seed": 1,
    "watchdog_timeout": 3000,
}


class Algorithm(Enum):
    """What drafts. The values are SGLang's."""

    NONE = ""
    STANDALONE = "STANDALONE"
    EAGLE = "EAGLE"
    EAGLE3 = "EAGLE3"


@dataclass(frozen=True, slots=True)
class Server:
    """One server. `pool` counts the slots of its KV cache, `n_running` the requests at once, `graphs` the sizes captured.

    The less `caution`, the fewer slots are kept back for what running requests will write: more is taken out again.
    """

    target: str
    algorithm: Algorithm
    draft: str = ""
    n_steps: int = 2
    pool: int = 20000
    n_running: int = 16
    graphs: tuple[int, ...] = (1, 2, 4, 8, 16)
    chunk: int = 256
    memory: float = 0.1
    filled_in: bool = False
    caution: float = 1.0

    def options(self, models: Path) -> dict[str, Any]:
        """The arguments of SGLang's `ServerArgs`."""
        sizes = {
            "model_path": str(models / self.target),
            "max_total_tokens": self.pool,
            "max_running_requests": self.n_running,
            "cuda_graph_bs": list(self.graphs),
            "chunked_prefill_size": self.chunk,
            "mem_fraction_static": self.memory,
            "load_format": "dummy" if self.filled_in else "auto",
            "schedule_conservativeness": self.caution,
            "disable_radix_cache": self.filled_in,  # its requests share no words
        }
        return COMMON | sizes | (self._drafting(models) if self.algorithm is not Algorithm.NONE else {})

    def _drafting(self, models: Path) -> dict[str, Any]:
        return {
            "speculative_algorithm": self.algorithm.value,
            "speculative_draft_model_path": str(models / self.draft),
            "speculative_num_steps": self.n_steps,
            "speculative_eagle_topk": 1,
            "speculative_num_draft_tokens": self.n_steps + 1,
        }
