"""What libraries do with the code that uses them."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class Library:
    """`transparent`: dotted names that give back what they are given. `callbacks`: (base, method) → the method that it calls."""

    transparent: frozenset[str]
    callbacks: dict[tuple[str, str], str]


@cache
def load_library() -> Library:
    """The table that comes with flowmap."""
    table = tomllib.loads(files("flowmap.subject").joinpath("libraries.toml").read_text("utf-8"))
    callbacks = {(row["base"], row["method"]): row["calls"] for row in table["callback"]}
    return Library(frozenset(table["transparent"]), callbacks)
