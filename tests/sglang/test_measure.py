"""What the figures of a comparison say."""

from __future__ import annotations

from tests.sglang.measure import figures

WAYS = [
    {"way": "direct", "n_edges": 2, "n_found": 1},
    {"way": "standard library", "n_edges": 1, "n_found": 1},
    {"way": "other code", "n_edges": 1, "n_found": 0},
]
MISSING = [
    {"file": "sglang/srt/layers/linear.py", "construct": "lambda", "miss": "no call on the line"},
    {"file": "sglang/srt/models/llama.py", "construct": "lambda", "miss": "no call on the line"},
]
EDGES = [
    {"file": "sglang/srt/layers/linear.py", "callee_file": "sglang/srt/layers/linear.py"},
    {"file": "sglang/srt/layers/moe/topk.py", "callee_file": "sglang/srt/layers/linear.py"},
    {"file": "sglang/srt/layers/moe/topk.py", "callee_file": "sglang/utils.py"},
    {"file": "sglang/srt/models/llama.py", "callee_file": "sglang/srt/layers/linear.py"},
]


def test_shares_carry_their_denominators() -> None:
    """What went through other packages counts apart; what is missing is grouped, and counted by subpackage."""
    packages = [{"package": "sglang", "n_edges": 3, "n_found": 2, "ways": WAYS}]
    found = figures({"packages": packages, "missing": MISSING}, EDGES)
    assert found["recall"] == "2/3 = 66.7%"
    assert found["recall_every_way"] == "2/4 = 50.0%"
    assert found["by_subpackage"] == {"sglang.srt.layers": "2/3 = 66.7%", "sglang.srt.models": "0/1 = 0.0%"}
    assert found["missing"] == [{"construct": "lambda", "has": "no call on the line", "n_edges": 2}]
