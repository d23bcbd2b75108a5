"""Fetches the packages of `packages.toml`, runs their tests under `flowmap record`, and compares: `measure.py FOLDER RESULT`.

What is fetched and installed stays in FOLDER, in a virtual environment a package; so does the record, which is made anew
where RECALL_RECORDS does not name a folder that has one as NAME.jsonl. The Python that runs the tests is the one that
RECALL_PYTHON names: from 3.12 on a generator counts where it is made. What runs is the package and its tests, so both are
indexed; what counts are the calls between functions of the package.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PACKAGES = Path(__file__).with_name("packages.toml")
PYTHON = os.environ.get("RECALL_PYTHON", sys.executable)


@dataclass(frozen=True, slots=True)
class Package:
    """A package and how its tests are run."""

    name: str
    version: str
    tests: tuple[str, ...]
    needs: tuple[str, ...]
    style: str


def main(folder: Path, result: Path) -> None:
    """Measure every package, or those that RECALL_ONLY names, and write one JSON object."""
    only = os.environ.get("RECALL_ONLY", "").split()
    rows = tomllib.loads(PACKAGES.read_text(encoding="utf-8"))["package"]
    packages = [Package(row["name"], row["version"], tuple(row["tests"]), tuple(row["needs"]), row["style"]) for row in rows]
    known = json.loads(result.read_text(encoding="utf-8")) if result.exists() else {}
    for package in packages:
        if not only or package.name in only:
            known[package.name] = measured(package, folder / package.name)
            result.write_text(json.dumps(dict(sorted(known.items())), indent=1) + "\n", encoding="utf-8")


def measured(package: Package, folder: Path) -> dict[str, Any]:
    """The recall of one package. `folder` gets its source, its environment, the record and the list of what is missing."""
    python, source = installed(package, folder)
    record = recorded(package, folder, (python, source))
    place = subprocess.check_output(
        [python, "-c", f"import {package.name}; print({package.name}.__path__[0])"], cwd=folder, text=True
    )
    tests = source / package.tests[0]  # networkx has them in the package
    sources = ["--source", place.strip(), *(["--source", str(tests)] if tests.is_dir() else [])]
    compare = ["compare-runtime", str(record), *sources, "--uncounted", "*/tests/*", "--format", "json"]
    answer = json.loads(subprocess.check_output([sys.executable, "-m", "flowmap", *compare], text=True))["record"]
    (folder / "missing.json").write_text(json.dumps(answer["missing"], indent=1), encoding="utf-8")
    (row,) = (one for one in answer["packages"] if one["package"] == package.name)
    version = subprocess.check_output([python, "-V"], text=True).split()[1]
    return {"version": package.version, "style": package.style, "tests": list(package.tests), "python": version, **row}


def recorded(package: Package, folder: Path, at: tuple[Path, Path]) -> Path:
    """The record of the package's tests, run by `at` = (Python, folder of the tests) unless a folder of records has it."""
    known = Path(os.environ.get("RECALL_RECORDS", folder)) / f"{package.name}.jsonl"
    if known.exists() and "RECALL_RECORDS" in os.environ:
        return known
    python, source = at
    record = folder / "calls.jsonl"
    command = [str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider", *package.tests]
    run(["-m", "flowmap", "record", "--only", package.name, "-o", str(record), "--", *command], source)
    return record


def installed(package: Package, folder: Path) -> tuple[Path, Path]:
    """(the Python of the package's environment, the folder of its source distribution)."""
    python = folder / "env" / ("Scripts" if os.name == "nt" else "bin") / "python"
    release = f"{package.name}=={package.version}"
    if not python.exists():
        subprocess.run([PYTHON, "-m", "venv", str(folder / "env")], check=True)
        fetch = ["pip", "download", "--quiet", "--no-deps", "--no-binary", package.name, "--dest", str(folder), release]
        subprocess.run([python, "-m", *fetch], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", release, *package.needs], check=True)
        for archive in folder.glob("*.tar.gz"):
            with tarfile.open(archive) as file:
                file.extractall(folder / "source", filter="data")
    (source,) = (folder / "source").iterdir()
    return python, source


def run(arguments: Sequence[str], folder: Path) -> None:
    """Run Python in a folder. Tests that fail are told of and do not end it: what ran is recorded all the same."""
    code = subprocess.run([sys.executable, *arguments], cwd=folder, check=False).returncode
    if code:
        print(f"{folder.name}: exit code {code}", file=sys.stderr)


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute(), Path(sys.argv[2]))
