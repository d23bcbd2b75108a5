"""Where each token of an output lies in the target's distribution: `python -m tests.adaptive.shares MODEL VERIFIED`.

It runs in SGLang's environment; VERIFIED are the signs of tokens that a verify step made. Teacher-forced, by another
implementation of the model (Transformers', in fp32): each line of the input is a request of `tests.adaptive.sampled`, and each
line of the output `[below, own]` for each of its tokens: the probability, under its own prefix, of all tokens that are more
probable, and its own.
"""

from __future__ import annotations

import json
import sys
import warnings
from typing import Any

import torch

from tests.adaptive.sampling import top_k_renorm, top_p_renorm


def main(folder: str, verified: str) -> None:
    """Answer each line of the standard input."""
    warnings.filterwarnings("ignore")
    from transformers import LlamaForCausalLM

    model = LlamaForCausalLM.from_pretrained(folder).float().eval()
    for line in sys.stdin:
        if line.strip():
            print(json.dumps(_shares(model, json.loads(line), verified)), flush=True)


def _shares(model: Any, request: dict[str, Any], verified: str) -> list[list[float]]:
    prompt, out = request["prompt"], request["out"]
    with torch.no_grad():
        logits = model(torch.tensor([prompt + out])).logits[0, len(prompt) - 1 : -1]
    by_verification = torch.tensor([sign in verified for sign in request["signs"]])
    probabilities = torch.where(by_verification[:, None], _verified(logits, request), _decoded(logits, request))
    own = probabilities.gather(1, torch.tensor(out)[:, None])
    below = (probabilities * (probabilities > own)).sum(1)
    return [[round(float(each), 9) for each in pair] for pair in zip(below, own[:, 0], strict=True)]


def _verified(logits: Any, request: dict[str, Any]) -> Any:
    """[N, V] as a verify step has it: of what top-k leaves, top-p takes its share."""
    left = top_k_renorm(_softmax(logits, request), *_each(logits, request, "top_k"))
    return top_p_renorm(left, *_each(logits, request, "top_p"))


def _decoded(logits: Any, request: dict[str, Any]) -> Any:
    """[N, V] as a plain step has it: top-p takes its share of all, and top-k its own."""
    every = _softmax(logits, request)
    by_number = top_k_renorm(every, *_each(logits, request, "top_k")) > 0
    kept = every * by_number * (top_p_renorm(every, *_each(logits, request, "top_p")) > 0)
    return kept / kept.sum(-1, keepdim=True)


def _softmax(logits: Any, request: dict[str, Any]) -> Any:
    if not request["temperature"]:
        return torch.nn.functional.one_hot(logits.argmax(-1), logits.shape[1]).float()
    return (logits / request["temperature"]).softmax(-1)


def _each(logits: Any, request: dict[str, Any], name: str) -> tuple[Any]:
    return (torch.full((len(logits),), request[name]),)


if __name__ == "__main__":
    main(*sys.argv[1:])
