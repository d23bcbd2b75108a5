"""Models of random weights: small ones on disk, for the reference in fp32 too, and ones of 8B shape, filled in on the GPU.

The 8B-shaped target follows a fixed permutation of its vocabulary: whatever shares its embedding and its head agrees with it, so
a draft model accepts everything, or, where its input is cut off from the embedding, next to nothing.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import torch

PERMUTATION_SEED = 4242
LOUD = 8.0  # how much the embedding outweighs what the layers add
CHUNK = 4096  # rows of a weight that are drawn at once


class Kind(Enum):
    """The architectures, as a model's configuration names them."""

    LLAMA = "LlamaForCausalLM"
    EAGLE = "LlamaForCausalLMEagle"
    EAGLE3 = "LlamaForCausalLMEagle3"


@dataclass(frozen=True, slots=True)
class Shape:
    """A model's sizes: of a hidden state, heads, heads of keys and values, the inner layer, and how many layers."""

    hidden: int
    heads: int
    kv_heads: int
    inner: int
    layers: int
    vocabulary: int = 32000

    def configuration(self, kind: Kind) -> dict[str, Any]:
        """What a model's `config.json` says."""
        more = {"draft_vocab_size": self.vocabulary} if kind is Kind.EAGLE3 else {}
        return {
            "architectures": [kind.value],
            "model_type": "llama",
            "hidden_size": self.hidden,
            "num_attention_heads": self.heads,
            "num_key_value_heads": self.kv_heads,
            "head_dim": self.hidden // self.heads,
            "intermediate_size": self.inner,
            "num_hidden_layers": self.layers,
            "vocab_size": self.vocabulary,
            "max_position_embeddings": 4096,
            "rms_norm_eps": 1e-5,
            "rope_theta": 10000.0,
            "hidden_act": "silu",
            "tie_word_embeddings": False,
            "torch_dtype": "bfloat16",
            "bos_token_id": 1,
            "eos_token_id": 2,
            "pad_token_id": 0,
            "attention_bias": False,
            "mlp_bias": False,
            **more,
        }


class Weights(Enum):
    """What a model's weights are."""

    RANDOM = "random"
    AGREEING = "agreeing"  # its embedding and head are the permutation's; an EAGLE draft passes the embedding on
    ABSENT = "absent"  # only its configuration is on disk: it is filled in where it is loaded, agreeing


@dataclass(frozen=True, slots=True)
class Model:
    """A model by name."""

    name: str
    kind: Kind
    shape: Shape
    seed: int = 0
    weights: Weights = Weights.RANDOM


SMALL, SMALL_DEEP, SMALL_ONE = (Shape(512, 8, 4, 1024, layers) for layers in (4, 8, 1))
LARGE, LARGE_TWO, LARGE_ONE = (Shape(4096, 32, 8, 14336, layers) for layers in (32, 2, 1))
MODELS = {
    model.name: model
    for model in (
        Model("small", Kind.LLAMA, SMALL, 1),
        Model("small-deep", Kind.LLAMA, SMALL_DEEP, 5),
        Model("small-eagle", Kind.EAGLE, SMALL_ONE, 2),
        Model("small-eagle3", Kind.EAGLE3, SMALL_ONE, 3),
        Model("small-permuting", Kind.LLAMA, SMALL, 6, Weights.AGREEING),
        Model("small-eagle-passing", Kind.EAGLE, SMALL_ONE, 7, Weights.AGREEING),
        Model("8b", Kind.LLAMA, LARGE, weights=Weights.ABSENT),
        Model("8b-standalone", Kind.LLAMA, LARGE_TWO, weights=Weights.ABSENT),
        Model("8b-eagle", Kind.EAGLE, LARGE_ONE, weights=Weights.ABSENT),
    )
}


def write_models(folder: Path, device: str) -> None:
    """Write all models below a folder, each into one of its own; those that are there stay."""
    for model in MODELS.values():
        home = folder / model.name
        if (home / "config.json").exists():
            continue
        home.mkdir(parents=True, exist_ok=True)
        if model.weights is not Weights.ABSENT:
            _write_weights(home / "model.safetensors", model, device)
        (home / "generation_config.json").write_text('{"bos_token_id": 1, "eos_token_id": 2}', encoding="utf-8")
        (home / "config.json").write_text(json.dumps(model.shape.configuration(model.kind), indent=1), encoding="utf-8")


def _write_weights(file: Path, model: Model, device: str) -> None:
    from safetensors.torch import save_file

    draw = Draw(model.seed, device)
    weights = dict({Kind.LLAMA: _llama, Kind.EAGLE: _eagle, Kind.EAGLE3: _eagle3}[model.kind](model.shape, draw))
    if model.weights is Weights.AGREEING:
        for name, weight in weights.items():
            _agree(weight, name)
    save_file({name: weight.contiguous().cpu() for name, weight in weights.items()}, str(file), metadata={"format": "pt"})


Named = Iterator[tuple[str, Any]]


class Draw:
    """Draws weights, one after the other, from one seed."""

    def __init__(self, seed: int, device: str) -> None:
        self.device = device
        self.generator = torch.Generator(device=device)
        self.generator.manual_seed(seed)

    def weight(self, *shape: int) -> Any:
        """A matrix that keeps the size of what it is multiplied with. Shape as asked, bfloat16."""
        return self.normal(*shape, scale=shape[-1] ** -0.5)

    def normal(self, *shape: int, scale: float) -> Any:
        """Independent values of one spread."""
        return (torch.randn(*shape, generator=self.generator, device=self.device) * scale).bfloat16()

    def ones(self, size: int) -> Any:
        """The scale of a norm that changes nothing."""
        return torch.ones(size, device=self.device).bfloat16()


def _llama(shape: Shape, draw: Draw) -> Named:
    yield "model.embed_tokens.weight", draw.normal(shape.vocabulary, shape.hidden, scale=1.0)
    yield "lm_head.weight", draw.weight(shape.vocabulary, shape.hidden)
    yield "model.norm.weight", draw.ones(shape.hidden)
    for place in range(shape.layers):
        yield from _layer(f"model.layers.{place}.", shape, draw, 1)
        yield f"model.layers.{place}.input_layernorm.weight", draw.ones(shape.hidden)
        yield f"model.layers.{place}.post_attention_layernorm.weight", draw.ones(shape.hidden)


def _layer(at: str, shape: Shape, draw: Draw, inputs: int) -> Named:
    """The matrices of a layer that takes `inputs` hidden states side by side."""
    size, keys = shape.hidden, shape.hidden // shape.heads * shape.kv_heads
    for name, rows in (("q", size), ("k", keys), ("v", keys)):
        yield f"{at}self_attn.{name}_proj.weight", draw.weight(rows, size * inputs)
    yield f"{at}self_attn.o_proj.weight", draw.weight(size, size)
    yield f"{at}mlp.gate_proj.weight", draw.weight(shape.inner, size)
    yield f"{at}mlp.up_proj.weight", draw.weight(shape.inner, size)
    yield f"{at}mlp.down_proj.weight", draw.weight(size, shape.inner)


def _eagle(shape: Shape, draw: Draw) -> Named:
    yield "embed_tokens.weight", draw.normal(shape.vocabulary, shape.hidden, scale=1.0)
    yield from _layer("layers.0.", shape, draw, 1)
    yield "layers.0.post_attention_layernorm.weight", draw.ones(shape.hidden)
    yield "fc.weight", draw.weight(shape.hidden, 2 * shape.hidden)
    yield "fc.bias", torch.zeros(shape.hidden, device=draw.device).bfloat16()


def _eagle3(shape: Shape, draw: Draw) -> Named:
    yield from _layer("midlayer.", shape, draw, 2)
    for name in ("midlayer.input_layernorm", "midlayer.post_attention_layernorm", "midlayer.hidden_norm", "norm"):
        yield f"{name}.weight", draw.ones(shape.hidden)
    yield "fc.weight", draw.weight(shape.hidden, 3 * shape.hidden)
    yield "lm_head.weight", draw.weight(shape.vocabulary, shape.hidden)
    yield "d2t", torch.zeros(shape.vocabulary, dtype=torch.int64, device=draw.device)
    yield "t2d", torch.ones(shape.vocabulary, dtype=torch.bool, device=draw.device)


def fill(model: torch.nn.Module, *_limits: float) -> None:
    """Fill in a model of 8B shape where it was loaded, in place: the permutation's embedding and head, and random layers."""
    for name, weight in model.state_dict().items():
        if not torch.is_floating_point(weight) or "cache" in name:
            continue
        if "norm" in name:
            weight.fill_(1.0)
        elif weight.ndim == 1:
            weight.zero_()
        else:
            _randomize(weight, zlib.crc32(name.encode()))
        _agree(weight, name)


def _agree(weight: Any, name: str) -> None:
    """Change a weight, in place, where two models must have the same for the one to foresee the other."""
    if "embed_tokens" in name or "lm_head" in name:
        _permute(weight, name)
    elif name.endswith("fc.weight"):
        _pass_embedding(weight)


def _permute(weight: Any, name: str) -> None:
    """The head's row of a token's successor is the embedding of the token. Shape of a weight: [words, hidden size]."""
    words, hidden = weight.shape
    generator = torch.Generator(device=weight.device)
    generator.manual_seed(PERMUTATION_SEED)
    embedding = torch.randn(words, hidden, generator=generator, device=weight.device)
    successor = torch.randperm(words, generator=generator, device=weight.device)
    if "embed_tokens" in name:
        weight.copy_(embedding * LOUD)
    else:
        weight[successor] = (embedding * hidden**-0.5).to(weight.dtype)


def _pass_embedding(weight: Any) -> None:
    """The embedding goes through, the target's hidden state does not. Shape: [hidden, 2 * hidden]."""
    hidden = weight.shape[0]
    weight.zero_()
    weight[:, :hidden] = torch.eye(hidden, device=weight.device).to(weight.dtype)


def _randomize(weight: Any, seed: int) -> None:
    generator = torch.Generator(device=weight.device)
    generator.manual_seed(seed)
    for rows in weight.split(CHUNK):
        rows.copy_(torch.randn(rows.shape, generator=generator, device=weight.device) * weight.shape[-1] ** -0.5)
