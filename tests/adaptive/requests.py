"""What is asked of the scheduler in one run: some requests at once, others while those run; some end early."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

VOCABULARY = 256  # of the models
N_REQUESTS, N_AT_ONCE = 9, 4
LAST_ARRIVAL = 14  # in passes of the scheduler's loop
SHORTEST, LONGEST = 34, 54  # tokens that are asked for
N_STOPPED = 3  # requests that end at the first of some tokens, an eighth of the vocabulary
PROMPT = (5, 16)  # its shortest and longest length


@dataclass(frozen=True, slots=True)
class Planned:
    """One request."""

    name: str
    prompt: tuple[int, ...]
    n_tokens: int
    stop_tokens: frozenset[int]
    arrives: int  # the pass of the scheduler's loop


def planned(seed: int) -> list[Planned]:
    """The requests of a run, in the order in which they arrive; the first is to be aborted."""
    chance = random.Random(seed)
    return [_planned(f"s{seed}r{number}", number, chance) for number in range(N_REQUESTS)]


def _planned(name: str, number: int, chance: random.Random) -> Planned:
    prompt = tuple(chance.randrange(3, VOCABULARY) for _ in range(chance.randint(*PROMPT)))
    stops = frozenset(chance.sample(range(3, VOCABULARY), VOCABULARY // 8)) if 0 < number <= N_STOPPED else frozenset()
    arrives = 0 if number < N_AT_ONCE else chance.randint(1, LAST_ARRIVAL)
    return Planned(name, prompt, chance.randint(SHORTEST, LONGEST), stops, arrives)


def tokenized(request: Planned) -> Any:
    """The request as the process that makes tokens of text sends it to the scheduler."""
    from sglang.srt.managers.io_struct import TokenizedGenerateReqInput
    from sglang.srt.sampling.sampling_params import SamplingParams

    stops = sorted(request.stop_tokens) or None
    sampling = SamplingParams(max_new_tokens=request.n_tokens, temperature=0, ignore_eos=stops is None, stop_token_ids=stops)
    sampling.normalize(None)
    return TokenizedGenerateReqInput(
        rid=request.name,
        input_text="",
        input_ids=list(request.prompt),
        mm_inputs=None,
        sampling_params=sampling,
        return_logprob=False,
        logprob_start_len=-1,
        top_logprobs_num=0,
        token_ids_logprob=None,
        stream=True,
        lora_id=None,
    )
