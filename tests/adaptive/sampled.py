"""Requests that are sampled, while speculation is switched off and on: `python -m tests.adaptive.sampled ROOT MODELS RUN`.

RUN is ALGORITHM:VARIANT or ALGORITHM:VARIANT:FAULT. Prints one JSON line: of each request its prompt, its settings, its tokens
and a sign for each of them: how it was made.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tests.adaptive.faults import Fault, commit
from tests.adaptive.feed import serve
from tests.adaptive.requests import Planned, planned, tokenized
from tests.adaptive.script import random_script
from tests.adaptive.server import made_scheduler
from tests.adaptive.watch import Watch

N_REQUESTS, N_TOKENS, SEEDS = 8, 150, range(2)
ALL = 1 << 30  # top-k of one that names none
PREFILL, OFF, ON, RESUMED = "p", "-", "+", "r"  # resumed: an on step right after an off one


@dataclass(frozen=True, slots=True)
class Sampling:
    """How a request is sampled; temperature 0 is greedy."""

    temperature: float
    top_k: int = ALL
    top_p: float = 1.0


MIXED = (
    Sampling(0),
    Sampling(0.6),
    Sampling(0.6),
    Sampling(1.0),
    Sampling(1.5),
    Sampling(1.5, top_k=6),
    Sampling(0.8, top_p=0.7),
    Sampling(1.5, top_k=20, top_p=0.8),
)


def main(root: str, models: str, run: str) -> None:
    """Run all requests, a batch of different ones for each seed."""
    from adaptive_disable.config import Variant
    from adaptive_disable.hook import install

    algorithm, variant, fault = (*run.split(":"), "")[:3]
    scheduler = made_scheduler(Path(root), Path(models), algorithm)
    if fault:
        commit(Fault(fault))
    requests, problems, flips = [], [], []
    for seed in SEEDS:
        script = random_script(seed)
        undo = install(scheduler, script, Variant(variant))
        watch = Watch(scheduler)
        made = _made(scheduler, seed)
        watch.end()
        undo()
        problems += watch.problems
        flips.append(script.n_flips())
        for request, sampling in zip(_asked(seed), MIXED, strict=True):
            signs, tokens = made[request.name], list(watch.requests[request.name].output_ids)
            given = {"prompt": list(request.prompt), "out": tokens[:N_TOKENS], "signs": signs[:N_TOKENS]}
            requests.append({**given, **asdict(sampling)})
    print(json.dumps({"run": run, "flips": flips, "problems": problems, "requests": requests}), flush=True)


def _made(scheduler: Any, seed: int) -> dict[str, str]:
    """Signs of the tokens of each request, which is run to its end."""
    signs: defaultdict[str, str] = defaultdict(str)
    process = scheduler.process_batch_result
    before = ON

    def process_batch_result(batch: Any, result: Any) -> None:
        nonlocal before
        lengths = [len(request.output_ids) for request in batch.reqs]
        sign = PREFILL if batch.forward_mode.is_extend() else OFF if hasattr(result, "off_step") else ON
        process(batch, result)
        for request, length in zip(batch.reqs, lengths, strict=True):
            shown = RESUMED if (before, sign) == (OFF, ON) else sign
            signs[request.rid] += shown * (len(request.output_ids) - length)
        before = sign

    scheduler.process_batch_result = process_batch_result
    serve(scheduler, [_sampled(request, how) for request, how in zip(_asked(seed), MIXED, strict=True)])
    return signs


def _asked(seed: int) -> list[Planned]:
    return planned(seed)[:N_REQUESTS]


def _sampled(request: Planned, how: Sampling) -> Any:
    asked = tokenized(request)
    parameters = asked.sampling_params
    parameters.stop_token_ids, parameters.ignore_eos, parameters.max_new_tokens = None, True, N_TOKENS
    if how.temperature:
        parameters.temperature, parameters.top_k, parameters.top_p = how.temperature, how.top_k, how.top_p
    return asked


if __name__ == "__main__":
    main(*sys.argv[1:])
