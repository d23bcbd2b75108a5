"""How far each token of an output is from the best one: `python -m tests.adaptive.reference MODEL`, in the environment of SGLang.

Teacher-forced, by another implementation of the model (Transformers', in fp32): each line of the input is
`{"prompt": […], "out": […]}`, and each line of the output the gap of each token of `out` under its own prefix: the largest
logit less the token's.
"""

from __future__ import annotations

import json
import sys
import warnings
from typing import Any


def main(folder: str) -> None:
    """Answer each line of the standard input."""
    warnings.filterwarnings("ignore")
    from transformers import LlamaForCausalLM

    model = LlamaForCausalLM.from_pretrained(folder).float().eval()
    for line in sys.stdin:
        if line.strip():
            print(json.dumps(_gaps(model, **json.loads(line))), flush=True)


def _gaps(model: Any, prompt: list[int], out: list[int]) -> list[float]:
    import torch

    with torch.no_grad():
        logits = model(torch.tensor([prompt + out])).logits[0, len(prompt) - 1 : -1]
    chosen = logits.gather(1, torch.tensor(out)[:, None])[:, 0]
    return [round(gap, 6) for gap in (logits.max(-1).values - chosen).tolist()]


if __name__ == "__main__":
    main(sys.argv[1])
