"""Where things are in releases of SGLang, as `flowmap drift` says, beside what somebody read by hand (`drift.toml`).

`python -m benchmarks.drift docs/drift-sglang.md` writes the tables; the exit code is 1 where the two do not agree. The
releases are fetched where the cache has them not: a dozen wheels of 1 to 12 MB.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

READ = Path(__file__).with_name("drift.toml")
PROJECT = "pypi:sglang=="
GONE = ("gone", "split", "in doubt")
HEAD = """# Twelve releases of SGLang: what `flowmap drift` says, and what was read by hand

Written by `make drift`. On the left what somebody read in the sources of each release, without flowmap
(`benchmarks/drift.toml`), on the right what `flowmap drift NAME --across {first},…,{last}` gives: lines, names and ends.

{agreed} of {asked} statements agree.
"""


@dataclass(frozen=True, slots=True)
class Thing:
    """What was read by hand of one thing: its line in each release (0: nowhere), its name in some, and where it was gone."""

    name: str
    lines: tuple[int, ...] = ()
    names: dict[str, str] = field(default_factory=dict)
    gone: str = ""


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing that was read by hand, and what the tool says of it."""

    of: str
    release: str
    read: str
    told: str


def main(target: str) -> int:
    """Asks about each thing, writes the page. 0 when all agrees."""
    read = tomllib.loads(READ.read_text(encoding="utf-8"))
    releases = read["releases"]
    things = [Thing(**{**row, "lines": tuple(row.get("lines", ()))}) for row in read["thing"]]
    statements = [one for thing in things for one in statements_of(thing, releases)]
    agreed = sum(one.read == one.told for one in statements)
    head = HEAD.format(first=releases[0], last=releases[-1], agreed=agreed, asked=len(statements))
    Path(target).write_text("\n".join((head, *page(things, statements))) + "\n", encoding="utf-8")
    return int(agreed < len(statements))


def asked(name: str, releases: list[str]) -> dict[str, Any]:
    """What the tool says of a name."""
    across = ",".join(PROJECT + release for release in releases)
    command = [sys.executable, "-m", "flowmap", "drift", name, "--across", across, "--format", "json", "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    answer: dict[str, dict[str, Any]] = json.loads(done.stdout)
    return answer["record"]


def statements_of(thing: Thing, releases: list[str]) -> Iterator[Statement]:
    """All that was read of a thing, each beside what the tool says of the first thing of that name."""
    told = {row["release"]: row for row in asked(thing.name, releases)["things"][0]["releases"]}
    for release, line in zip(releases, thing.lines, strict=False):
        yield Statement(thing.name, release, str(line or "nowhere"), str(told[release]["line"] or "nowhere"))
    for release, name in thing.names.items():
        yield Statement(thing.name, release, name, last_parts(told[release]["symbol"], name))
    if thing.gone:
        yield Statement(thing.name, thing.gone, "gone", "gone" if told[thing.gone]["fate"] in GONE else told[thing.gone]["fate"])


def last_parts(symbol: str, like: str) -> str:
    """As many of the last parts of a symbol as a name has."""
    return ".".join(symbol.split(".")[-len(like.split(".")) :])


def page(things: list[Thing], statements: list[Statement]) -> Iterator[str]:
    """A table for each thing."""
    for thing in things:
        yield f"## `{thing.name}`\n"
        yield "| release | read by hand | flowmap | |\n|---|---|---|---|"
        for one in (each for each in statements if each.of == thing.name):
            yield f"| {one.release} | `{one.read}` | `{one.told}` | {'' if one.read == one.told else 'differs'} |"
        yield ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
