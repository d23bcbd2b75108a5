"""Holds every greedy token against the target in fp32, teacher-forced: `python -m benchmarks.gpu.reference FOLDER MODELS DEVICE`.

A token's gap is by how much the reference's best logit exceeds the token's own, the tokens before it given. Batches of other
sizes add numbers in another order, so near-ties fall either way; a gap of more than GAP_ALLOWED is no near-tie.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.gpu import stubs
from benchmarks.gpu.scenarios import SCENARIOS, Kind

GAP_ALLOWED = 0.15  # logits


TARGETS = sorted({each.server.target for each in SCENARIOS.values() if each.kind is Kind.TOKENS})


@dataclass(frozen=True, slots=True)
class Held:
    """A scenario's tokens, held against the reference. `n_far` counts gaps of more than is allowed."""

    scenario: str
    n_tokens: int
    n_best: int
    n_far: int
    largest_gap: float
    n_answers: int
    n_same_as_plain: int


def main(folder: str, models: str, device: str) -> None:
    """Write FOLDER/reference.json: one row a scenario of tokens."""
    stubs.install_stubs()
    outcomes = [json.loads(file.read_text(encoding="utf-8")) for file in sorted(Path(folder).glob("*.json"))]
    kept = [each for each in outcomes if isinstance(each, dict) and each.get("answers")]
    rows = [row for target in TARGETS for row in _held_by(target, kept, Path(models), device)]
    Path(folder, "reference.json").write_text(json.dumps([asdict(row) for row in rows], indent=1), encoding="utf-8")


def _held_by(target: str, outcomes: Iterable[Mapping[str, Any]], models: Path, device: str) -> list[Held]:
    mine = [each for each in outcomes if SCENARIOS[each["scenario"]].server.target == target]
    plain: Sequence[Mapping[str, Any]] = next((each["answers"] for each in mine if SCENARIOS[each["scenario"]].hook is None), [])
    gaps = Gaps(models / target, device)
    return [_held(each, plain, gaps) for each in mine if SCENARIOS[each["scenario"]].kind is Kind.TOKENS]


class Gaps:
    """The target in fp32."""

    def __init__(self, model: Path, device: str) -> None:
        import torch
        from transformers import LlamaForCausalLM

        torch.backends.cuda.matmul.allow_tf32 = False
        self.torch = torch
        self.device = device
        self.model = LlamaForCausalLM.from_pretrained(model, dtype=torch.float32).to(device).eval()

    def of(self, prompt: Sequence[int], tokens: Sequence[int]) -> list[float]:
        """The gap of each token of an answer, in logits."""
        words = self.torch.tensor([[*prompt, *tokens]], device=self.device)
        with self.torch.no_grad():
            logits = self.model(words).logits[0, len(prompt) - 1 : -1].float()
        own = logits.gather(1, words[0, len(prompt) :, None])[:, 0]
        return [float(gap) for gap in (logits.max(-1).values - own).tolist()]


def _held(outcome: Mapping[str, Any], plain: Sequence[Mapping[str, Any]], gaps: Gaps) -> Held:
    answers = [answer for answer in outcome["answers"] if answer["compared"] and answer["tokens"]]
    found = [gap for answer in answers for gap in gaps.of(answer["prompt"], answer["tokens"])]
    others = {tuple(answer["prompt"]): answer["tokens"] for answer in plain}
    both = [(answer["tokens"], others[tuple(answer["prompt"])]) for answer in answers if tuple(answer["prompt"]) in others]
    return Held(
        scenario=outcome["scenario"],
        n_tokens=len(found),
        n_best=sum(gap == 0 for gap in found),
        n_far=sum(gap > GAP_ALLOWED for gap in found),
        largest_gap=max(found, default=0.0),
        n_answers=len(both),
        n_same_as_plain=sum(agree(left, right) for left, right in both),
    )


def agree(left: Sequence[int], right: Sequence[int]) -> bool:
    """Whether two answers are the same as far as both go: an aborted one ends anywhere, a last draft may go beyond the end."""
    return all(one == other for one, other in zip(left, right, strict=False))


if __name__ == "__main__":
    main(*sys.argv[1:])
