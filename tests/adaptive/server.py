"""A real scheduler of SGLang in this process, on a CPU, with the tiny models of `models`."""

from __future__ import annotations

import logging
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.sglang.stubs import install_stubs

STUBBED = ("sgl_kernel", "flashinfer", "torch_memory_saver", "torchvision")
DRAFT_STEPS = 3
ALGORITHMS = ("STANDALONE", "EAGLE")
OPTIONS = {
    "skip_tokenizer_init": True,
    "device": "cpu",
    "attention_backend": "triton",  # the only one that speculation takes on a CPU
    "sampling_backend": "pytorch",
    "disable_cuda_graph": True,
    "max_total_tokens": 2048,
    "max_running_requests": 8,
    "mem_fraction_static": 0.5,
    "dtype": "float32",
    "random_seed": 0,
    "grammar_backend": "none",
    "context_length": 256,
    "chunked_prefill_size": -1,
    "decode_log_interval": 3,  # the log divides by verify steps: it must not fail where there were none
}


@dataclass(frozen=True, slots=True)
class Rank:
    """One of several schedulers that hold a part of the model each and meet at a port of this machine."""

    number: int = 0
    n_ranks: int = 1
    port: int | None = None


ALONE = Rank()


def open_release(root: Path) -> None:
    """Make what a folder holds, an unpacked wheel's `sglang/`, the SGLang of this process; once."""
    if str(root) in sys.path:
        return
    warnings.filterwarnings("ignore")
    logging.basicConfig(level=logging.ERROR)
    sys.path.insert(0, str(root))
    install_stubs(STUBBED)


def made_scheduler(root: Path, models: Path, algorithm: str | None, rank: Rank = ALONE) -> Any:
    """A scheduler that has been set up and has served nothing; its output goes nowhere.

    `root` holds the unpacked wheel's `sglang/`. `algorithm` None: it does not speculate.
    """
    open_release(root)
    from sglang.srt.managers.scheduler import Scheduler
    from sglang.srt.server_args import PortArgs, ServerArgs

    stand_in()
    parallel = {"tp_size": rank.n_ranks, "nccl_port": rank.port}
    arguments = ServerArgs(model_path=str(models / "target"), **OPTIONS, **parallel, **drafting(models, algorithm))
    others = dict.fromkeys(("moe_ep_rank", "pp_rank", "attn_cp_rank", "moe_dp_rank"), 0)
    ports = PortArgs.init_new(arguments)
    scheduler = Scheduler(arguments, ports, gpu_id=0, dp_rank=None, tp_rank=rank.number, **others)
    scheduler.send_to_detokenizer = scheduler.send_to_tokenizer = _Sink()
    return scheduler


def stand_in() -> None:
    """Put plain torch where a graphics card is needed. The scheduler must have been imported before.

    EAGLE waits for a card once, when its draft model takes over the embedding (`set_embed_and_head`).
    """
    import torch

    from tests.adaptive.attention import install_attention
    from tests.adaptive.sampling import install_sampling
    from tests.sglang import shims

    install_attention()
    install_sampling()
    shims.allow_recording_streams()
    shims.install_shims()
    torch.cuda.synchronize = lambda *_device: None


def drafting(models: Path, algorithm: str | None) -> dict[str, Any]:
    """The arguments of a server that speculates with the models of a folder; none where it does not."""
    if algorithm is None:
        return {}
    return {
        "speculative_algorithm": algorithm,
        "speculative_draft_model_path": str(models / algorithm.lower()),
        "speculative_num_steps": DRAFT_STEPS,
        "speculative_eagle_topk": 1,
        "speculative_num_draft_tokens": DRAFT_STEPS + 1,
    }


class _Sink:
    """Takes the place of another process."""

    def send_output(self, *_output: Any) -> None:
        """Nobody reads it."""
