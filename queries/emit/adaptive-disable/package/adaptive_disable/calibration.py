"""Step times, measured on the scheduler's own loop before it serves: what a step costs on and off, by batch size and
length of the context.

Made-up requests are run through the real loop, overlapped as ever, with speculation held on and off in turn; their
output goes nowhere, and nothing of them is left. A step's time is that of a pass of the loop, the scheduler's own work
included.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from statistics import mean, median
from typing import TYPE_CHECKING, Any

from adaptive_disable.config import HookConfig, Mode, Variant
from adaptive_disable.costs import CostTable, read_table
from adaptive_disable.hook import install, put
from adaptive_disable.stock_path import stock_server_because

if TYPE_CHECKING:
    from sglang.srt.managers.scheduler import Scheduler

N_SETTLING = 3  # steps after a flip that are not timed: one is in flight, one is prepared
N_TIMED = 8  # steps in a row that are
TURNS = (True, False, True, False)  # on and off by turns: what drifts meanwhile weighs on both
SHORT_PROMPT, LONG_PROMPT = 16, 256  # tokens; what a token more costs is the difference, by theirs
LARGEST = 256  # requests at once; more are rarely served, and the table goes on with its last slope
MAX_PASSES = 20_000  # of the loop, for all sizes together

logger = logging.getLogger(__name__)


class CalibrationError(RuntimeError):
    """The scheduler did not run the requests of a measurement: says at which batch size."""


@dataclass
class _Held:
    """A controller that holds speculation on or off. It is its own decision."""

    speculate: bool = True

    def decide(self, batch_size: int, queue_length: int, context: int) -> _Held:  # noqa: ARG002 it looks at none
        return self

    def observe_speculated(self, accepted: Sequence[int]) -> None:
        pass

    def observe_plain(self, n_requests: int, foreseen: int | None = None) -> None:
        pass


@dataclass(frozen=True, slots=True)
class Point:
    """A step's time with requests of so many tokens on average."""

    ms: float
    context: float


@dataclass(frozen=True, slots=True)
class _Row:
    """Of one batch size: with short prompts and with long ones."""

    batch_size: int
    on: tuple[Point, Point]
    off: tuple[Point, Point]


def costs_of(scheduler: Scheduler, config: HookConfig, share: Callable[[bool], bool] = bool) -> CostTable | None:
    """The table that the settings call for; None where they call for none, or no step of this server can be off.

    Read from the file that they name; where it is missing, measured, and written there by rank 0. `share`: see
    `Controller`. Ranks may look at disks of their own, and to measure they all must run the same steps: so rank 0 says
    whether the file is there. Raises what `read_table` and `calibrate` raise, and `OSError` where the file cannot be
    written.
    """
    if config.mode is not Mode.COST_TABLE or stock_server_because(scheduler) is not None:
        return None
    if config.table is not None and share(config.table.exists()):
        return read_table(config.table)
    table = calibrate(scheduler, config.variant)
    if config.table is not None and scheduler.tp_rank == 0:
        table.write(config.table)
    return table


def calibrate(scheduler: Scheduler, variant: Variant = Variant.ONE_TOKEN) -> CostTable:
    """Measure a scheduler that is set up, has the hook not on and does not serve yet; it is left as it was.

    Sizes are 1, 2, 4, … requests and as many as can run at once, each with short prompts and with long ones. All ranks
    must do it together. Raises `CalibrationError`.
    """
    started = time.perf_counter()
    held, rows = _Held(), list[_Row]()
    take_off = install(scheduler, held, variant)
    try:
        with _fed(scheduler, _course(scheduler, held, rows)):
            scheduler.event_loop_overlap()
    except _MeasuredError:
        scheduler.flush_cache()
    finally:
        take_off()
    table = _table(rows)
    logger.info("adaptive-disable: step times measured in %.1f s: %s", time.perf_counter() - started, table.as_json())
    return table


def _table(rows: Sequence[_Row]) -> CostTable:
    """The table for requests of as many tokens as those with long prompts had on average."""
    context = round(max(1.0, mean(row.on[1].context for row in rows)))
    on_ms, on_growth = zip(*(line(row.on, context) for row in rows), strict=True)
    off_ms, off_growth = zip(*(line(row.off, context) for row in rows), strict=True)
    return CostTable(tuple(row.batch_size for row in rows), on_ms, off_ms, context, on_growth, off_growth)


def line(points: tuple[Point, Point], context: int) -> tuple[float, float]:
    """(milliseconds with requests of so many tokens, milliseconds more for each token more), of two measured points.

    A longer context makes no step shorter: a difference that says so is noise.
    """
    short, long = points
    further = long.context - short.context
    growth = max(0.0, (long.ms - short.ms) / further) if further >= 1 else 0.0
    return long.ms + growth * (context - long.context), growth


class _MeasuredError(Exception):
    """All is measured: leaves the scheduler's endless loop."""


@contextmanager
def _fed(scheduler: Any, course: Iterator[list[Any]]) -> Iterator[None]:
    """Each pass of the loop gets the next requests of a course instead of a client's; answers are dropped."""

    def recv_requests() -> list[Any]:
        for requests in course:
            return requests
        raise _MeasuredError

    replaced = {"recv_requests": recv_requests, "send_to_detokenizer": _Sink(), "send_to_tokenizer": _Sink()}
    with ExitStack() as undo:
        for name, value in replaced.items():
            put(undo, scheduler, name, value)
        yield


class _Sink:
    def send_output(self, *_output: Any) -> None:
        """Nobody reads it."""


def _course(scheduler: Any, held: _Held, rows: list[_Row]) -> Iterator[list[Any]]:
    """What the loop is given, pass by pass. Fills `rows`."""
    n_tokens = len(TURNS) * (N_SETTLING + N_TIMED + 2) * scheduler.server_args.speculative_num_draft_tokens
    n_prompt = min(LONG_PROMPT, scheduler.max_req_input_len - n_tokens - 1)
    if n_prompt < 1:
        raise CalibrationError(f"requests may have {scheduler.max_req_input_len} tokens: {n_tokens + 2} are needed")
    most = min(LARGEST, scheduler.max_running_requests, scheduler.max_total_num_tokens // (n_prompt + 2 * n_tokens))
    for size in _sizes(most):
        points: list[tuple[Point, Point]] = []
        for length in (min(SHORT_PROMPT, n_prompt), n_prompt):
            yield [_request(number, length, n_tokens, scheduler) for number in range(size)]
            yield from _passes_until(partial(_runs, scheduler, size), f"{size} requests run")
            points.append((yield from _timed(scheduler, held)))
            held.speculate = True
            yield [_abortion()]
            yield from _passes_until(partial(_is_idle, scheduler), "they are aborted")
        on, off = zip(*points, strict=True)
        rows.append(_Row(size, on, off))


def _timed(scheduler: Any, held: _Held) -> Any:
    """Points of steps on and off, of the requests that run: medians of times, means of lengths."""
    times: dict[bool, list[float]] = {True: [], False: []}
    lengths: dict[bool, list[float]] = {True: [], False: []}
    for speculate in TURNS:
        held.speculate = speculate
        for _ in range(N_SETTLING):
            yield []
        for _ in range(N_TIMED):
            started = time.perf_counter()
            yield []
            times[speculate].append(time.perf_counter() - started)
            lengths[speculate].append(_context(scheduler.last_batch.reqs))
    return tuple(Point(1e3 * median(times[mode]), mean(lengths[mode])) for mode in (True, False))


def _context(requests: Sequence[Any]) -> float:
    """Tokens of a request on average."""
    return mean(len(request.origin_input_ids) + len(request.output_ids) for request in requests)


def _sizes(most: int) -> list[int]:
    """1, 2, 4, … and the most. Raises `CalibrationError` where none can run."""
    if most < 1:
        raise CalibrationError("the KV cache holds no request of the length that is measured")
    return [2**power for power in range((most - 1).bit_length())] + [most]


def _passes_until(holds: Callable[[], bool], what: str) -> Iterator[list[Any]]:
    for _ in range(MAX_PASSES):
        if holds():
            return
        yield []
    raise CalibrationError(f"{MAX_PASSES} passes of the scheduler's loop went by before {what}")


def _runs(scheduler: Any, n_requests: int) -> bool:
    """Whether so many requests are in decode steps."""
    last = scheduler.last_batch
    is_decoding = last is not None and last.forward_mode.is_decode()
    return is_decoding and len(last.reqs) == n_requests


def _is_idle(scheduler: Any) -> bool:
    return not (
        scheduler.running_batch.reqs or scheduler.waiting_queue or scheduler.last_batch or scheduler.result_queue
    )


def _request(number: int, n_prompt: int, n_tokens: int, scheduler: Any) -> Any:
    """A greedy request of tokens that repeat late; it does not end by itself while it is measured."""
    from sglang.srt.managers.io_struct import TokenizedGenerateReqInput  # noqa: PLC0415 this module is read without it
    from sglang.srt.sampling.sampling_params import SamplingParams  # noqa: PLC0415

    sampling = SamplingParams(max_new_tokens=2 * n_tokens, temperature=0, ignore_eos=True)
    sampling.normalize(None)
    vocabulary = scheduler.model_config.vocab_size
    return TokenizedGenerateReqInput(
        rid=f"adaptive-disable-{number:06}",
        input_text="",
        input_ids=[(number * 7919 + place * 104729) % vocabulary for place in range(n_prompt)],
        mm_inputs=None,
        sampling_params=sampling,
        return_logprob=False,
        logprob_start_len=-1,
        top_logprobs_num=0,
        token_ids_logprob=None,
        stream=False,
    )


def _abortion() -> Any:
    from sglang.srt.managers.io_struct import AbortReq  # noqa: PLC0415

    return AbortReq(abort_all=True)
