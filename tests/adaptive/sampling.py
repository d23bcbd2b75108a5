"""Three operations of sampled verification in plain torch: SGLang has them for graphics cards alone.

Shapes: B requests, D draft tokens each (the root among them), S at most accepted, V tokens of the vocabulary.
"""

from __future__ import annotations

import importlib
from typing import Any

import torch


def install_sampling() -> None:
    """Put them where the verification of the second EAGLE worker looks for them."""
    module: Any = importlib.import_module("sglang.srt.speculative.eagle_info_v2")
    module.top_k_renorm_prob = top_k_renorm
    module.top_p_renorm_prob = top_p_renorm
    module.tree_speculative_sampling_target_only = verify_tree_sampling


def top_k_renorm(probabilities: Any, top_k: Any) -> Any:
    """Of each row [N, V] the most probable tokens alone, as many as it may have [N]; their sum is 1 again."""
    order = probabilities.argsort(dim=-1, descending=True, stable=True)
    ranks = order.argsort(dim=-1)
    return _renormalized(probabilities, ranks < top_k.view(-1, 1))


def top_p_renorm(probabilities: Any, top_p: Any) -> Any:
    """Of each row [N, V] the most probable tokens alone until their sum is `top_p` [N]; their sum is 1 again."""
    order = probabilities.argsort(dim=-1, descending=True, stable=True)
    ordered = probabilities.gather(-1, order)
    before = (ordered.cumsum(-1) - ordered).gather(-1, order.argsort(dim=-1))
    return _renormalized(probabilities, before <= top_p.view(-1, 1))


def _renormalized(probabilities: Any, kept: Any) -> Any:
    kept = probabilities * kept
    return kept / kept.sum(-1, keepdim=True)


def verify_tree_sampling(**tensors: Any) -> None:
    """Go down each request's draft tree as far as coins let it, then draw a token from what is left there, in place.

    A drafted token is accepted with the target's probability for it, else it is out of the question for what is drawn: so each
    token is distributed as the target has it, whatever was drafted. Shapes: predicts [B * D], accept_index [B, S],
    accept_token_num [B], candidates, links and coins [B, D], coins of the last draw [B], target_probs [B, D, V].
    """
    if tensors["threshold_single"] != 1 or tensors["threshold_acc"] != 1:
        raise NotImplementedError("thresholds other than 1")
    for row in range(tensors["candidates"].shape[0]):
        _verify_row(tensors, row)


def _verify_row(tensors: Any, row: int) -> None:
    index, accepted, predicts = (tensors[name] for name in ("retrive_index", "accept_index", "predicts"))
    current, n_accepted = 0, 0
    left = tensors["target_probs"][row, current].clone()
    last = accepted[row, 0] = index[row, current]
    while n_accepted + 1 < accepted.shape[1]:
        child = _accepted_child(tensors, row, current, left)
        if child is None:
            break
        predicts[last] = tensors["candidates"][row, child]
        current, n_accepted = child, n_accepted + 1
        left = tensors["target_probs"][row, current].clone()
        last = accepted[row, n_accepted] = index[row, current]
    tensors["accept_token_num"][row] = n_accepted
    predicts[last] = _drawn(left, float(tensors["uniform_samples_for_final_sampling"][row]))


def _accepted_child(tensors: Any, row: int, above: int, left: Any) -> int | None:
    """The first child that the coin of the token above takes. Those that it does not are struck out of what is `left` [V]."""
    coin, reached = float(tensors["uniform_samples"][row, above]), 0.0
    child = int(tensors["retrive_next_token"][row, above])
    while child != -1:
        token = int(tensors["candidates"][row, child])
        reached += float(left[token])
        if coin <= reached:
            return child
        left[token] = 0
        child = int(tensors["retrive_next_sibling"][row, child])
    return None


def _drawn(left: Any, coin: float) -> int:
    """The token at which the sum of what is left [V] goes beyond this share of the whole."""
    sums = left.cumsum(-1)
    return int(torch.searchsorted(sums, coin * sums[-1], right=True).clamp(max=len(left) - 1))
