"""What other call graphs find of the calls that test suites make: `python -m benchmarks.beside FOLDER RESULT NAME…`.

FOLDER is the one in which `make recall` leaves what it fetched and recorded. Compared are pairs of functions of the package, the
caller and what it calls itself: the other tools tell no lines. Each of them stands in a virtual environment of its own.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.rivals import installed
from flowmap.runtime.edges import read_edges

PYCG, PYAN = "PyCG==0.0.8", "pyan3==2.9.0"
_NODE = re.compile(r'"(?P<id>\w+)" \[label=.*?tooltip="(?P<symbol>[\w.]+)\\n')
_EDGE = re.compile(r'"(?P<start>\w+)" -> "(?P<end>\w+)"')
Pairs = frozenset[tuple[str, str]]


def main(folder: Path, result: Path, names: list[str]) -> None:
    """Compare on each package, and write one JSON object."""
    known = json.loads(result.read_text(encoding="utf-8")) if result.exists() else {}
    for name in names:
        known[name] = compared(name, folder / name, folder / "rivals")
        result.write_text(json.dumps(dict(sorted(known.items())), indent=1) + "\n", encoding="utf-8")


def compared(name: str, folder: Path, home: Path) -> dict[str, object]:
    """The pairs that ran, and of each tool how many of them it gives, and how many pairs in all."""
    package = package_of(name, folder)
    ran = recorded(name, folder / "calls.jsonl")
    tools: dict[str, Callable[[], Pairs]] = {
        "flowmap": lambda: by_flowmap(package),
        PYAN: lambda: by_pyan(package, home),
        PYCG: lambda: by_pycg(package, home),
    }
    return {"ran": len(ran), **{tool: row(asked(), ran, name) for tool, asked in tools.items()}}


def row(given: Pairs, ran: Pairs, name: str) -> dict[str, int]:
    """How many pairs that ran are given, and how many are given between functions of the package."""
    inside = {pair for pair in given if all(symbol.split(".")[0] == name for symbol in pair)}
    return {"found": len(ran & inside), "given": len(inside)}


def package_of(name: str, folder: Path) -> Path:
    """Where the package is installed."""
    python = folder / "env" / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    return Path(printed([str(python), "-c", f"import {name}; print({name}.__path__[0])"], folder).strip())


def recorded(name: str, record: Path) -> Pairs:
    """The pairs that ran: what a line calls itself, not through other code; functions without a name are left out."""
    edges = [edge for edge in read_edges(record) if not edge.through]
    pairs = {(plain(edge.caller), plain(edge.callee)) for edge in edges}
    return frozenset(pair for pair in pairs if all(symbol.split(".")[0] == name and "<" not in symbol for symbol in pair))


def by_flowmap(package: Path) -> Pairs:
    """What flowmap exports: all targets, proven and inferred."""
    text = printed([sys.executable, "-m", "flowmap", "export", "calls", "--source", str(package)], package.parent)
    rows = [row for row in map(json.loads, text.splitlines()) if "caller" in row]
    return frozenset((plain(row["caller"]), plain(target["symbol"])) for row in rows for target in row["targets"])


def by_pyan(package: Path, home: Path) -> Pairs:
    """What pyan calls uses: a name that stands there counts, called or not."""
    tool = required(PYAN, "pyan3", home)
    text = printed([str(tool), *files(package), "--uses", "--no-defines", "--dot", "--root", "."], package.parent)
    names = {found["id"]: found["symbol"] for found in _NODE.finditer(text)}
    edges = ((names.get(found["start"], ""), names.get(found["end"], "")) for found in _EDGE.finditer(text))
    return frozenset((plain(start), plain(end)) for start, end in edges)


def by_pycg(package: Path, home: Path) -> Pairs:
    """What PyCG gives, whose names begin below the package. Its wheel calls itself otherwise than it is imported."""
    python = required(PYCG, "python", home)
    (place,) = python.parents[1].rglob("PyCG")
    alias = place.with_name("pycg")
    if not alias.exists():
        alias.symlink_to(place)
    text = printed([str(python), "-m", "pycg", "--package", package.name, *files(package)], package.parent)
    return frozenset(
        (plain(f"{package.name}.{caller}"), plain(f"{package.name}.{callee}"))
        for caller, callees in json.loads(text).items()
        for callee in callees
    )


def required(requirement: str, command: str, home: Path) -> Path:
    """A tool. Errors: SystemExit when it does not install."""
    tool = installed(requirement, command, home)
    if tool is None:
        raise SystemExit(f"{requirement} is needed")
    return tool


def files(package: Path) -> Iterator[str]:
    """The modules of a package, as seen from beside it."""
    return (path.relative_to(package.parent).as_posix() for path in sorted(package.rglob("*.py")))


def plain(symbol: str) -> str:
    """A name as all tools write it: without `<locals>`, a constructor as its class."""
    return symbol.replace(".<locals>", "").removesuffix(".__init__")


def printed(command: list[str], folder: Path) -> str:
    """What a command prints."""
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute(), Path(sys.argv[2]), sys.argv[3:])
