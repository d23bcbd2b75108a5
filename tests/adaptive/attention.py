"""The two attention kernels of SGLang's triton backend in plain torch.

Interpreted, the kernels are all of the time of a run on a CPU. Everything around them stays SGLang's: which slots are read
(`kv_indptr`, `kv_indices`), which rows belong to a request (`qo_indptr`), what is masked.

Shapes: B requests, N query rows, heads and their width; caches [slots, heads of the keys, width].
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Mapping
from typing import Any

import torch

OPERATIONS = "sglang.srt.layers.attention.triton_ops"


def install_attention() -> None:
    """Put both where the backend looks for them when it is made."""
    decode: Any = importlib.import_module(f"{OPERATIONS}.decode_attention")
    extend: Any = importlib.import_module(f"{OPERATIONS}.extend_attention")
    decode.decode_attention_fwd = _by_name(decode.decode_attention_fwd, decode_attention)
    extend.extend_attention_fwd = _by_name(extend.extend_attention_fwd, extend_attention)


def _by_name(kernel: Callable[..., None], instead: Callable[[Mapping[str, Any]], None]) -> Callable[..., None]:
    """Takes what a kernel takes, which is another row of arguments in each release, and hands it on by its names."""
    signature = inspect.signature(kernel)

    def called(*given: Any, **named: Any) -> None:
        instead(signature.bind(*given, **named).arguments)

    return called


def decode_attention(given: Mapping[str, Any]) -> None:
    """One query row of each of N requests over its cached keys, written to the output in place."""
    queries, keys, values, output = (given[name] for name in ("q", "k_buffer", "v_buffer", "o"))
    starts, slots, scale = given["kv_indptr"], given["kv_indices"], given["sm_scale"]
    bounds = starts.tolist()
    for row in range(len(queries)):
        read = slots[bounds[row] : bounds[row + 1]]
        output[row] = _attend(queries[row : row + 1], keys[read], values[read], scale, None)[0]


def extend_attention(given: Mapping[str, Any]) -> None:
    """The query rows of each of B requests over its cached prefix and over their own keys, written to the output in place."""
    queries, keys, values, output = (given[name] for name in ("q_extend", "k_extend", "v_extend", "o_extend"))
    cached_keys, cached_values, slots, scale = (given[name] for name in ("k_buffer", "v_buffer", "kv_indices", "sm_scale"))
    mask, causal, mask_starts = given["custom_mask"], given["is_causal"], given["mask_indptr"]
    rows, bounds = given["qo_indptr"].tolist(), given["kv_indptr"].tolist()
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
