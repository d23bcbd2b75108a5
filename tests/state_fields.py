"""The fields that the verified facts speak of; `python -m tests.state_fields` prints them for `flowmap export state`."""

from __future__ import annotations

import json
from pathlib import Path

FACTS = Path(__file__).parent / "facts" / "sglang-0.5.9"


def state_fields() -> tuple[str, ...]:
    """The names of all fields in the facts about what is state and what is not, in their order."""
    files = (FACTS / "state.jsonl", FACTS / "not_state.jsonl")
    rows = (json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines())
    return tuple(dict.fromkeys(row["field"] for row in rows))


if __name__ == "__main__":
    print(*state_fields())
