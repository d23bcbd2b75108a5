"""One scenario: SGLang's scheduler and its loop in this process, the hook on it, and what was seen. The sockets are replaced."""

from __future__ import annotations

import gc
import json
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from sglang.srt.managers.scheduler import Scheduler
from sglang.srt.model_loader import loader
from sglang.srt.server_args import PortArgs, ServerArgs, set_global_server_args_for_scheduler

from benchmarks.gpu.feed import AllAnsweredError, Feed, Incoming, Outgoing, Silent
from benchmarks.gpu.models import fill
from benchmarks.gpu.pace import paces
from benchmarks.gpu.profiling import Profiler
from benchmarks.gpu.scenarios import Scenario
from benchmarks.gpu.seen import Answer
from benchmarks.gpu.under_test import Hooked, put_on
from benchmarks.gpu.watching import Watched, n_free, watch

RANKS = ("tp_rank", "moe_ep_rank", "pp_rank", "attn_cp_rank", "moe_dp_rank")


@dataclass(frozen=True, slots=True)
class Seconds:
    """How long the parts of a run took."""

    server: float
    hook: float
    loop: float


@dataclass(frozen=True, slots=True)
class Ran:
    """What came of a run. `n_leaked` counts slots of the KV cache that nobody holds and that are not free."""

    seconds: Seconds
    n_leaked: int
    feed: Feed
    watched: Watched
    profiler: Profiler
    hooked: Hooked | None


def run(scenario: Scenario, models: Path, folder: Path) -> None:
    """Run a scenario to its end and write FOLDER/SCENARIO.json. Whatever fails is raised, and nothing is written then."""
    start = time.perf_counter()
    scheduler = _scheduler(scenario, models)
    server = time.perf_counter() - start
    ran = _ran(scenario, scheduler, server, folder)
    (folder / f"{scenario.name}.json").write_text(json.dumps(_told(scenario, ran)), encoding="utf-8")


def _ran(scenario: Scenario, scheduler: Any, server: float, folder: Path) -> Ran:
    """Put the hook on, which may measure step times first, and serve."""
    start = time.perf_counter()
    hooked = None
    if scenario.hook is not None:
        hooked = put_on(scheduler, scenario, scenario.hook, folder / f"{scenario.name}.decisions.jsonl")
    ready = time.perf_counter()
    profiler = Profiler(scheduler)
    feed = Feed(scenario.stages, scheduler, [profiler, *([hooked] if hooked else [])])
    watched = watch(scheduler, lambda: hooked is not None and hooked.steered.off)
    free = n_free(scheduler)
    _serve(scheduler, feed)
    seconds = Seconds(server, ready - start, time.perf_counter() - ready)
    return Ran(seconds, free - n_free(scheduler), feed, watched, profiler, hooked)


def _scheduler(scenario: Scenario, models: Path) -> Any:
    if scenario.server.filled_in:
        loader.initialize_dummy_weights = fill
    arguments = ServerArgs(**scenario.server.options(models))
    set_global_server_args_for_scheduler(arguments)
    ports = PortArgs.init_new(arguments)
    return Scheduler(arguments, ports, gpu_id=0, dp_rank=None, **dict.fromkeys(RANKS, 0))


def _serve(scheduler: Any, feed: Feed) -> None:
    """Run the scheduler's own loop until all is answered. What is there is no garbage: as after SGLang's `/freeze_gc`."""
    gc.collect()
    gc.freeze()
    scheduler.recv_from_tokenizer, scheduler.recv_from_rpc = Incoming(feed), Silent()
    scheduler.send_to_tokenizer.socket = scheduler.send_to_detokenizer.socket = Outgoing(feed)
    try:
        scheduler.event_loop_overlap()
    except AllAnsweredError:
        return


def _told(scenario: Scenario, ran: Ran) -> dict[str, Any]:
    """The outcome, as JSON has it."""
    steered = ran.hooked.steered if ran.hooked else None
    steps, accepted = (steered.steps, steered.accepted) if steered else ([], [])
    answers = ran.feed.answers.values()
    return {
        "scenario": scenario.name,
        "seconds": asdict(ran.seconds),
        "n_leaked": ran.n_leaked,
        "watched": asdict(ran.watched),
        "paces": [asdict(pace) for pace in paces(ran.feed.timings, ran.feed.rounds, answers, steps, accepted)],
        "answers": _answers(scenario, answers) if scenario.keeps_tokens else [],
        "rounds": [] if scenario.keeps_tokens else [[round(each.at, 5), each.n_running] for each in ran.feed.rounds],
        "began": [] if scenario.keeps_tokens else [[each.name, each.first_round] for each in ran.feed.timings],
        "profiles": ran.profiler.profiles,
        "hook": ran.hooked.told() if ran.hooked else {},
    }


def _answers(scenario: Scenario, answers: Iterable[Answer]) -> list[dict[str, Any]]:
    compared = {stage.name for stage in scenario.stages if stage.compared}
    return [
        {
            "stage": answer.stage,
            "compared": answer.stage in compared,
            "prompt": answer.prompt.words(),
            "tokens": answer.tokens,
            "ended": answer.ended,
            "n_retracted": answer.n_retracted,
            "verify_steps": answer.verify_steps,
        }
        for answer in answers
    ]
