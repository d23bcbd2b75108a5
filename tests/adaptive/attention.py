"""The two attention kernels of SGLang's triton backend in plain torch.

Interpreted, the kernels are all of the time of a run on a CPU. Everything around them stays SGLang's: which slots are read
(`kv_indptr`, `kv_indices`), which rows belong to a request (`qo_indptr`), what is masked.

Shapes: B requests, N query rows, heads and their width; caches [slots, heads of the keys, width].
"""

from __future__ import annotations

import importlib
from typing import Any

import torch

OPERATIONS = "sglang.srt.layers.attention.triton_ops"


def install_attention() -> None:
    """Put both where the backend looks for them when it is made."""
    decode: Any = importlib.import_module(f"{OPERATIONS}.decode_attention")
    extend: Any = importlib.import_module(f"{OPERATIONS}.extend_attention")
    decode.decode_attention_fwd = decode_attention
    extend.extend_attention_fwd = extend_attention


def decode_attention(*given: Any, **_named: Any) -> None:
    """One query row of each of N requests over its cached keys, written to the output in place."""
    queries, keys, values, output, starts, slots = given[:6]
    scale = given[10]
    bounds = starts.tolist()
    for row in range(len(queries)):
        read = slots[bounds[row] : bounds[row + 1]]
        output[row] = _attend(queries[row : row + 1], keys[read], values[read], scale, None)[0]


def extend_attention(*given: Any, **_named: Any) -> None:
    """The query rows of each of B requests over its cached prefix and over their own keys, written to the output in place."""
    queries, keys, values, output, cached_keys, cached_values = given[:6]
    row_starts, starts, slots, mask, causal, mask_starts = given[6:12]
    scale = given[13]
    rows, bounds = row_starts.tolist(), starts.tolist()
    for request in range(len(rows) - 1):
        own = slice(rows[request], rows[request + 1])
        prefix = slots[bounds[request] : bounds[request + 1]]
        first = None if mask is None else int(mask_starts[request])
        visible = _visible(own.stop - own.start, len(prefix), bool(causal), None if first is None else mask[first:])
        all_keys, all_values = torch.cat([cached_keys[prefix], keys[own]]), torch.cat([cached_values[prefix], values[own]])
        output[own] = _attend(queries[own], all_keys, all_values, scale, visible)


def _visible(n_rows: int, n_prefix: int, causal: bool, mask: Any) -> Any:
    """Which keys each row sees, [rows, prefix + rows]: all of the prefix; of the rows what the mask says, or those before."""
    seen = torch.ones(n_rows, n_prefix + n_rows, dtype=torch.bool)
    if mask is not None:
        seen[:, n_prefix:] = mask[: seen.numel()].view(seen.shape)[:, n_prefix:]
    elif causal:
        seen[:, n_prefix:] = torch.ones(n_rows, n_rows, dtype=torch.bool).tril()
    return seen


def _attend(queries: Any, keys: Any, values: Any, scale: float, visible: Any) -> Any:
    """[rows, heads, width] of queries over [keys, heads of the keys, width]; several heads may share one of the keys."""
    shared = queries.shape[1] // keys.shape[1]
    keys, values = (each.repeat_interleave(shared, dim=1).float() for each in (keys, values))
    scores = torch.einsum("rhd,khd->hrk", queries.float(), keys) * scale
    if visible is not None:
        scores = scores.masked_fill(~visible, float("-inf"))
    return torch.einsum("hrk,khd->rhd", scores.softmax(-1), values).to(queries.dtype)
