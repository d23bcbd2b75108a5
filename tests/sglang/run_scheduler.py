"""Runs the real scheduler of SGLang 0.5.9 in this process, on a CPU, and prints one JSON line.

    SGLANG_USE_CPU_ENGINE=1 TRITON_INTERPRET=1 SGLANG_ENABLE_SPEC_V2=1 python -m tests.sglang.run_scheduler ROOT MODE [FLIPS]

ROOT is the folder that holds the unpacked wheel's `sglang/`; MODE is `baseline` (no speculation) or `standalone` (the second
standalone worker in the overlapped loop); FLIPS are draft steps of the decode steps, such as 3,3,0,0,3: 3 once they run out.
`out` is the same whatever the mode and the flips, and `leak` is 0.
"""

from __future__ import annotations

import json
import logging
import sys
import tempfile
import warnings
from collections import deque
from pathlib import Path
from typing import Any

from tests.sglang.stubs import install_stubs

STUBBED = ("sgl_kernel", "flashinfer", "torch_memory_saver", "torchvision")
N_REQUESTS, N_TOKENS, MAX_STEPS = 3, 24, 400
DRAFT_STEPS = 3
WIDTH = 0.3  # of the random weights: narrow ones repeat two tokens
MODEL = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 16,
    "vocab_size": 512,
    "max_position_embeddings": 2048,
    "rms_norm_eps": 1e-5,
    "rope_theta": 10000.0,
    "hidden_act": "silu",
    "tie_word_embeddings": False,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "torch_dtype": "bfloat16",
    "attention_bias": False,
    "mlp_bias": False,
}
OPTIONS = {
    "load_format": "dummy",
    "skip_tokenizer_init": True,
    "device": "cpu",
    "attention_backend": "triton",  # the only one that speculation takes on a CPU: interpreted, hence the tiny model
    "sampling_backend": "pytorch",
    "disable_cuda_graph": True,
    "max_total_tokens": 4096,
    "max_running_requests": 8,
    "mem_fraction_static": 0.5,
    "dtype": "float32",
    "random_seed": 0,
    "grammar_backend": "none",
    "context_length": 256,
    "chunked_prefill_size": -1,
}


def main(root: str, mode: str, flips: str = "") -> None:
    """Run all requests to their end."""
    warnings.filterwarnings("ignore")
    logging.basicConfig(level=logging.ERROR)
    sys.path.insert(0, root)
    install_stubs(STUBBED)
    decisions: list[int] = []
    scheduler = _scheduler(mode, [int(each) for each in flips.split(",") if each], decisions)
    requests = _submitted(scheduler)
    free = scheduler.token_to_kv_pool_allocator.available_size()
    accepted = _run(scheduler)
    leak = free - scheduler.token_to_kv_pool_allocator.available_size() - scheduler.tree_cache.total_size()
    answer = {
        "mode": mode,
        "worker": type(scheduler.model_worker).__name__,
        "decisions": decisions,
        "accepted": accepted,
        "leak": leak,
        "out": [list(request.output_ids)[:N_TOKENS] for request in requests],  # the last draft may go beyond
    }
    print(json.dumps(answer), flush=True)


def _scheduler(mode: str, flips: list[int], decisions: list[int]) -> Any:
    """A scheduler whose output goes nowhere. What the policy decides is added to `decisions`."""
    from sglang.srt.managers.scheduler import Scheduler
    from sglang.srt.server_args import PortArgs, ServerArgs

    from tests.sglang import shims

    server_args = ServerArgs(**_options(mode))
    ports = PortArgs.init_new(server_args)
    _widen_weights()
    shims.allow_recording_streams()
    if mode == "standalone":
        shims.install_shims()
        _flip(flips, decisions)
    ranks = ("tp_rank", "moe_ep_rank", "pp_rank", "attn_cp_rank", "moe_dp_rank")
    scheduler = Scheduler(server_args, ports, gpu_id=0, dp_rank=None, **dict.fromkeys(ranks, 0))
    scheduler.send_to_detokenizer = _Sink()
    return scheduler


class _Sink:
    """Takes the place of the process that makes text of tokens."""

    def send_output(self, *_output: Any) -> None:
        """Nobody reads it."""


def _options(mode: str) -> dict[str, Any]:
    model = tempfile.mkdtemp()
    Path(model, "config.json").write_text(json.dumps(MODEL), encoding="utf-8")
    drafting = {
        "speculative_algorithm": "STANDALONE",
        "speculative_draft_model_path": model,
        "speculative_num_steps": DRAFT_STEPS,
        "speculative_eagle_topk": 1,
        "speculative_num_draft_tokens": DRAFT_STEPS + 1,
    }
    return {"model_path": model, **OPTIONS, **(drafting if mode == "standalone" else {})}


def _widen_weights() -> None:
    from sglang.srt.model_loader import loader

    original = loader.initialize_dummy_weights
    loader.initialize_dummy_weights = lambda model, *_, **__: original(model, -WIDTH, WIDTH)


def _flip(flips: list[int], decisions: list[int]) -> None:
    from tests.sglang.flips import install_flips

    planned = iter(flips)

    def policy(_n_requests: int) -> int:
        decisions.append(next(planned, DRAFT_STEPS))
        return decisions[-1]

    install_flips(policy)


def _submitted(scheduler: Any) -> list[Any]:
    """The requests, waiting in the scheduler's queue."""
    from sglang.srt.managers.io_struct import TokenizedGenerateReqInput
    from sglang.srt.sampling.sampling_params import SamplingParams

    for number in range(N_REQUESTS):
        sampling = SamplingParams(max_new_tokens=N_TOKENS, temperature=0, ignore_eos=True)
        sampling.normalize(None)
        request = TokenizedGenerateReqInput(
            rid=f"r{number}",
            input_text="",
            input_ids=[5 + 7 * number + place * place % 97 for place in range(10 + number)],
            mm_inputs=None,
            sampling_params=sampling,
            return_logprob=False,
            logprob_start_len=-1,
            top_logprobs_num=0,
            token_ids_logprob=None,
            stream=True,
            lora_id=None,
        )
        scheduler.handle_generate_request(request)
    return list(scheduler.waiting_queue)


def _run(scheduler: Any) -> list[list[int]]:
    """What the body of the scheduler's overlapped loop does, until nothing is left. Returns the accepted lengths of each step."""
    results: deque[tuple[Any, Any]] = deque()
    scheduler.result_queue = results
    accepted: list[list[int]] = []
    for _ in range(MAX_STEPS):
        batch = scheduler.get_next_batch_to_run()
        scheduler.cur_batch = batch
        if batch:
            result = scheduler.run_batch(batch)
            results.append((batch.copy(), result))
            if getattr(result, "accept_lens", None) is not None:
                accepted.append(result.accept_lens.tolist())
        if scheduler.last_batch:
            scheduler.process_batch_result(*results.popleft())
        scheduler.last_batch = batch
        if not batch and not results:
            break
    return accepted


if __name__ == "__main__":
    main(*sys.argv[1:])
