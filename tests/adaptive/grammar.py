"""A grammar in the form of SGLang's backends, without a tokenizer: the n-th token that it takes leaves n by three."""

from __future__ import annotations

from typing import Any

MODULUS, BITS = 3, 32


def is_counted(tokens: list[int], first: int = 0) -> bool:
    """Whether tokens are what the grammar lets through, from the token `first` on."""
    return all(token % MODULUS == place % MODULUS for place, token in enumerate(tokens, first))


def counting_grammar() -> Any:
    """One that has taken nothing yet. Its masks are [rows, vocabulary / 32] int32, a bit a token that may come."""
    import torch
    from sglang.srt.constrained.base_grammar_backend import BaseGrammarObject

    class CountingGrammar(BaseGrammarObject):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.taken = 0

        def accept_token(self, token: int) -> None:
            if int(token) % MODULUS != self.taken % MODULUS:
                raise ValueError(f"token {token} is not the {self.taken}th")
            self.taken += 1

        def rollback(self, k: int) -> None:
            self.taken -= k

        def allocate_vocab_mask(self, vocab_size: int, batch_size: int, device: Any) -> Any:  # noqa: ARG002 SGLang's names
            return torch.full((batch_size, vocab_size // BITS), -1, dtype=torch.int32)

        def fill_vocab_mask(self, vocab_mask: Any, idx: int) -> None:
            tokens = torch.arange(vocab_mask.shape[1] * BITS).view(-1, BITS)
            allowed = tokens % MODULUS == self.taken % MODULUS
            bits = (allowed.long() << torch.arange(BITS)).sum(1)
            vocab_mask[idx] = torch.where(bits >= 2**31, bits - 2**32, bits).to(torch.int32)

        @staticmethod
        def move_vocab_mask(vocab_mask: Any, device: Any) -> Any:
            return vocab_mask.to(device)

        @staticmethod
        def apply_vocab_mask(logits: Any, vocab_mask: Any) -> None:
            allowed = (vocab_mask.unsqueeze(-1) >> torch.arange(BITS)) & 1
            logits.masked_fill_(allowed.flatten(1)[:, : logits.shape[1]] == 0, float("-inf"))

    return CountingGrammar()
