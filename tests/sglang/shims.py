"""Two operations of the draft tree in plain torch, for greedy speculation, and a no-op where a CPU has no stream.

Shapes: B requests, D draft tokens each (the root among them), S at most accepted.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import torch

FULL_MASK, QUERIES_ONLY = 0, 1  # what a row of the tree's mask holds: the prefix and the drafts, or the drafts alone
USERS = ("eagle_utils", "eagle_info", "eagle_info_v2", "eagle_worker", "eagle_worker_v2", "spec_utils")


def build_tree_kernel_efficient(*arguments: Any) -> None:
    """Fill in mask, positions and links of each request's draft tree, in place; in the order of the operation's own parameters.

    Shapes: parent_list [B, *], selected_index [B, D - 1], verified_seq_len [B], positions [B * D], links [B, D].
    """
    parents, selected, lengths, mask, positions, index, next_token, next_sibling, top_k, _depth, n_drafts, mode = arguments
    start = 0
    for row in range(lengths.numel()):
        length = int(lengths[row])
        chosen = selected[row].tolist() if n_drafts > 1 else []
        parent = _parents(chosen, parents[row].tolist() if parents.numel() else [], top_k, n_drafts)
        lines = [_ancestors(parent, token) for token in range(n_drafts)]
        positions[row * n_drafts : (row + 1) * n_drafts] = torch.tensor([length + len(line) - 1 for line in lines])
        index[row] = torch.arange(row * n_drafts, (row + 1) * n_drafts)
        _link(parent, next_token[row], next_sibling[row])
        prefix = _prefix(int(mode), length)
        first = start if prefix else row * n_drafts * n_drafts
        for token, line in enumerate(lines):
            begin = first + token * (prefix + n_drafts) + prefix
            mask[begin : begin + n_drafts] = False
            mask[[begin + each for each in line]] = True
        start += n_drafts * (length + n_drafts)


def _prefix(mode: int, length: int) -> int:
    if mode not in (FULL_MASK, QUERIES_ONLY):
        raise NotImplementedError(f"mask mode {mode}")
    return length if mode == FULL_MASK else 0


def _parents(chosen: list[int], parents: list[Any], top_k: int, n_drafts: int) -> list[int]:
    """The parent of each token of a tree, -1 for the root."""
    found = [-1]
    for token in range(1, n_drafts):
        above = chosen[token - 1] // top_k
        found.append(chosen.index(int(parents[above])) + 1 if above else 0)
    return found


def _ancestors(parent: Sequence[int], token: int) -> list[int]:
    """A token and all above it."""
    line = [token]
    while parent[line[-1]] >= 0:
        line.append(parent[line[-1]])
    return line


def _link(parent: Sequence[int], next_token: Any, next_sibling: Any) -> None:
    next_token[:] = -1
    next_sibling[:] = -1
    for above in range(len(parent)):
        children = [token for token in range(1, len(parent)) if parent[token] == above]
        if children:
            next_token[above] = children[0]
        for left, right in pairwise(children):
            next_sibling[left] = right


def verify_tree_greedy(**tensors: Any) -> None:
    """Walk each request's draft tree as far as the target's own tokens go, in place.

    Shapes: predicts [B * D], accept_index [B, S], accept_token_num [B], candidates and links [B, D], target_predict [B, D].
    """
    for row in range(tensors["candidates"].shape[0]):
        _verify_row(tensors, row)


def _verify_row(tensors: Any, row: int) -> None:
    index, accepted, predicts = tensors["retrive_index"], tensors["accept_index"], tensors["predicts"]
    targets = tensors["target_predict"].view(-1)
    last = int(index[row, 0])
    accepted[row, 0] = last
    n_accepted = 0
    current = 0
    for _ in range(1, accepted.shape[1]):
        child = _child(tensors, row, current, int(targets[last]))
        if child is None:
            break
        current = child
        predicts[last] = int(targets[last])
        n_accepted += 1
        last = int(index[row, current])
        accepted[row, n_accepted] = last
    tensors["accept_token_num"][row] = n_accepted
    predicts[last] = int(targets[last])


def _child(tensors: Any, row: int, above: int, token: int) -> int | None:
    """The child of a token of the tree that holds this token."""
    child = int(tensors["retrive_next_token"][row, above])
    while child != -1:
        if int(tensors["candidates"][row, child]) == token:
            return child
        child = int(tensors["retrive_next_sibling"][row, child])
    return None


def install_shims() -> None:
    """Put the two operations where the speculative workers look for them. The scheduler must have been imported before."""
    kernels: Any = sys.modules.get("sgl_kernel")
    if kernels is not None:
        kernels.verify_tree_greedy = verify_tree_greedy
        kernels.build_tree_kernel_efficient = build_tree_kernel_efficient
    for name in USERS:
        module: Any = importlib.import_module(f"sglang.srt.speculative.{name}")
        if hasattr(module, "_is_cuda"):
            module._is_cuda = True
        if hasattr(module, "sgl_build_tree_kernel_efficient") or name == "eagle_utils":
            module.sgl_build_tree_kernel_efficient = build_tree_kernel_efficient


def allow_recording_streams() -> None:
    """Do nothing where a tensor on a CPU is told of a stream: there it would raise."""
    original = torch.Tensor.record_stream
    torch.Tensor.record_stream = lambda self, stream: None if self.device.type == "cpu" else original(self, stream)
