"""Tiny models whose drafts are accepted sometimes: a target, a draft that is a model of its own, and an EAGLE draft.

Each token calls for a successor, the same in all three; the target's layers sway it by what was before. So the drafts, which
sway otherwise, are often right and often not, and a token depends on all tokens before it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file

from tests.adaptive.requests import VOCABULARY

HIDDEN, HEADS, KEY_HEADS, INNER = 64, 4, 2, 128
CALL = 0.5  # how loudly a token calls for its successor, over layers of about 1
Weights = dict[str, Any]


def write_models(folder: Path) -> None:
    """Write `target`, `standalone` and `eagle` into a folder, as safetensors, always the same."""
    _write(folder / "target", "LlamaForCausalLM", _language_model(n_layers=2, seed=1), n_layers=2)
    _write(folder / "standalone", "LlamaForCausalLM", _language_model(n_layers=1, seed=2), n_layers=1)
    _write(folder / "eagle", "LlamaForCausalLMEagle", _eagle(seed=3), n_layers=1)


def _language_model(n_layers: int, seed: int) -> Weights:
    called = torch.Generator().manual_seed(0)
    tokens = torch.randn(VOCABULARY, HIDDEN, generator=called)
    successor = torch.randperm(VOCABULARY, generator=called)
    head = torch.empty_like(tokens)
    head[successor] = tokens * HIDDEN**-0.5
    weights = {"model.embed_tokens.weight": tokens * CALL, "lm_head.weight": head, "model.norm.weight": torch.ones(HIDDEN)}
    random = torch.Generator().manual_seed(seed)
    for layer in range(n_layers):
        weights |= _layer(f"model.layers.{layer}.", random)
    return weights


def _eagle(seed: int) -> Weights:
    """One layer behind a projection of (token, hidden state) that lets the token through; it shares embedding and head."""
    random = torch.Generator().manual_seed(seed)
    through = torch.cat([torch.eye(HIDDEN), torch.zeros(HIDDEN, HIDDEN)], dim=1)
    weights = {"embed_tokens.weight": torch.randn(VOCABULARY, HIDDEN, generator=random)}
    weights |= {"fc.weight": through + 0.02 * _matrix(HIDDEN, 2 * HIDDEN, random), "fc.bias": torch.zeros(HIDDEN)}
    layer = _layer("layers.0.", random)
    del layer["layers.0.input_layernorm.weight"]
    return weights | layer


def _layer(prefix: str, random: torch.Generator) -> Weights:
    width = HIDDEN // HEADS
    shapes = {
        "self_attn.q_proj": (HEADS * width, HIDDEN),
        "self_attn.k_proj": (KEY_HEADS * width, HIDDEN),
        "self_attn.v_proj": (KEY_HEADS * width, HIDDEN),
        "self_attn.o_proj": (HIDDEN, HEADS * width),
        "mlp.gate_proj": (INNER, HIDDEN),
        "mlp.up_proj": (INNER, HIDDEN),
        "mlp.down_proj": (HIDDEN, INNER),
    }
    weights = {f"{prefix}{name}.weight": _matrix(*shape, random) for name, shape in shapes.items()}
    norms = ("input_layernorm", "post_attention_layernorm")
    return weights | {f"{prefix}{name}.weight": torch.ones(HIDDEN) for name in norms}


def _matrix(rows: int, columns: int, random: torch.Generator) -> torch.Tensor:
    return torch.randn(rows, columns, generator=random) * columns**-0.5


def _write(folder: Path, architecture: str, weights: Weights, n_layers: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    configuration = {
        "architectures": [architecture],
        "model_type": "llama",
        "hidden_size": HIDDEN,
        "intermediate_size": INNER,
        "num_hidden_layers": n_layers,
        "num_attention_heads": HEADS,
        "num_key_value_heads": KEY_HEADS,
        "head_dim": HIDDEN // HEADS,
        "vocab_size": VOCABULARY,
        "max_position_embeddings": 1024,
        "rms_norm_eps": 1e-5,
        "rope_theta": 10000.0,
        "hidden_act": "silu",
        "tie_word_embeddings": False,
        "bos_token_id": 1,
        "eos_token_id": 2,
        "torch_dtype": "float32",
        "attention_bias": False,
        "mlp_bias": False,
    }
    (folder / "config.json").write_text(json.dumps(configuration), encoding="utf-8")
    save_file({name: tensor.contiguous() for name, tensor in weights.items()}, folder / "model.safetensors", {"format": "pt"})


if __name__ == "__main__":
    write_models(Path(sys.argv[1]))
