"""Requests that ask for more than greedy tokens: `python -m tests.adaptive.kinds ROOT MODELS [ALGORITHM]`.

Prints one JSON line for each kind of request: its tokens without the hook, and, where an algorithm is named, with steps
switched off at random. Sampled requests run with all steps off; `tests.adaptive.sampled` has them with flips.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.adaptive.feed import serve
from tests.adaptive.grammar import counting_grammar
from tests.adaptive.requests import planned, tokenized
from tests.adaptive.script import Script, random_script
from tests.adaptive.server import made_scheduler
from tests.adaptive.watch import Watch

N_REQUESTS, SEED = 4, 5
Prepare = Callable[[Any], None]


def main(root: str, models: str, *algorithms: str) -> None:
    """Run all kinds."""
    algorithm = algorithms[0] if algorithms else None
    scheduler = made_scheduler(Path(root), Path(models), algorithm)
    for kind, prepare in KINDS.items():
        answers = {name: _answer(scheduler, prepare, script) for name, script in _scripts(kind, algorithm).items()}
        print(json.dumps({"kind": kind, "answers": answers}), flush=True)
    if algorithm:
        print(json.dumps({"kind": "calibration", "answers": _calibrated(scheduler)}), flush=True)


def _calibrated(scheduler: Any) -> dict[str, Any]:
    """The table of step times, and what of the scheduler is another than before: slots, and what was put on instances."""
    from adaptive_disable import calibration

    calibration.N_SETTLING, calibration.N_TIMED, calibration.LONG_PROMPT = 1, 2, 32
    before = _state(scheduler)
    table = calibration.calibrate(scheduler)
    return {"table": table.as_json(), "changed": [before, _state(scheduler)] if _state(scheduler) != before else []}


def _state(scheduler: Any) -> list[Any]:
    free = scheduler.token_to_kv_pool_allocator.available_size()
    return [free, sorted(vars(scheduler)), sorted(vars(scheduler.model_worker)), len(scheduler.waiting_queue)]


def _scripts(kind: str, algorithm: str | None) -> dict[str, Script | None]:
    """How a kind is run, by name; None: without the hook."""
    if kind == "sampled":
        return {"off": Script([False] * 1000)} if algorithm else {}
    return {"stock": None, "flips": random_script(SEED)} if algorithm else {"plain": None}


def _answer(scheduler: Any, prepare: Prepare, script: Script | None) -> dict[str, Any]:
    """The tokens of each request, and how many steps the controller was asked about."""
    from adaptive_disable.config import Variant
    from adaptive_disable.hook import install

    undo = install(scheduler, script, Variant.ONE_TOKEN) if script else lambda: None
    watch = Watch(scheduler)
    scheduler._add_request_to_queue = lambda request, **named: _queued(scheduler, request, **named)
    serve(scheduler, [_made(number, prepare) for number in range(N_REQUESTS)])
    watch.end()
    undo()
    out = [list(watch.requests[name].output_ids_through_stop) for name in sorted(watch.requests)]
    return {"out": out, "problems": watch.problems, "decisions": script.taken if script else []}


def _made(number: int, prepare: Prepare) -> Any:
    request = tokenized(planned(SEED)[number])
    request.sampling_params.stop_token_ids, request.sampling_params.ignore_eos = None, True
    prepare(request)
    return request


def _queued(scheduler: Any, request: Any, **named: Any) -> None:
    """Every other request of those with a grammar gets it: a backend would have made it of a schema and a tokenizer."""
    if getattr(request.sampling_params, "counts", False) and request.grammar is None:
        request.grammar = counting_grammar()
    type(scheduler)._add_request_to_queue(scheduler, request, **named)


def _count(request: Any) -> None:
    request.sampling_params.counts = int(request.rid[-1]) % 2 == 0


def _penalize(request: Any) -> None:
    request.sampling_params.frequency_penalty = 1.5


def _ask_logprobs(request: Any) -> None:
    request.return_logprob = True


def _sample(request: Any) -> None:
    request.sampling_params.temperature, request.sampling_params.top_k = 1.0, 5
    request.input_ids = list(planned(SEED)[0].prompt)


KINDS: dict[str, Prepare] = {"grammar": _count, "penalties": _penalize, "logprobs": _ask_logprobs, "sampled": _sample}


if __name__ == "__main__":
    main(*sys.argv[1:])
