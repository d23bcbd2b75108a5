"""Stands for `sgl_kernel.flash_attn`: attention is Triton's."""

from __future__ import annotations

from typing import Any


def is_fa3_supported(device: Any = None) -> bool:
    """It is left out."""
    del device
    return False


def flash_attn_with_kvcache(*_arguments: Any, **_named: Any) -> Any:
    """It is left out."""
    raise NotImplementedError("FlashAttention 3 is not in the bundle")


def flash_attn_varlen_func(*_arguments: Any, **_named: Any) -> Any:
    """It is left out."""
    raise NotImplementedError("FlashAttention 3 is not in the bundle")
