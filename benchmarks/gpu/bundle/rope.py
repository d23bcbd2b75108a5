"""Stands for `sglang/jit_kernel/rope.py`: the same names, by a kernel that is compiled already."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch


@dataclass
class FusedSetKVBufferArg:
    """Named elsewhere; writing keys and values at once is not done here."""

    value: torch.Tensor
    k_buffer: torch.Tensor
    v_buffer: torch.Tensor
    k_scale: float | None
    v_scale: float | None
    cache_loc: torch.Tensor


_tables: dict[Any, Any] = {}  # cosines and sines in the type of the queries, by where they stand


def apply_rope_with_cos_sin_cache_inplace(  # noqa: PLR0913, PLR0917 as SGLang calls it
    positions: Any,
    query: Any,
    key: Any,
    head_size: int,
    cos_sin_cache: Any,
    is_neox: Any = True,
    fused_set_kv_buffer_arg: Any = None,
    enable_pdl: Any = None,  # noqa: ARG001 what it is for is not done here
) -> None:
    """Rotate queries and keys in place. Shapes: positions [T], query and key [T, heads * head_size]."""
    assert fused_set_kv_buffer_arg is None
    place = (cos_sin_cache.data_ptr(), query.dtype)
    table = _tables.get(place)
    if table is None or table.shape != cos_sin_cache.shape:
        table = _tables[place] = cos_sin_cache.to(query.dtype)
    torch.ops.sgl_kernel.rotary_embedding(positions.long(), query, key, head_size, table, is_neox)
