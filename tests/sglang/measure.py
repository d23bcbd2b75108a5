"""Records the scheduler of SGLang 0.5.9 on a CPU and compares: `measure.py FOLDER RESULT`.

FOLDER keeps the environment, the release, the record and the list of what is missing. SGLANG_PYTHON names the Python that runs
the scheduler, 3.11 as it was checked with; SGLANG_TORCH the requirement for torch where the index has no `+cpu` build.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
import zipfile
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
RELEASE = "sglang==0.5.9"
PYTHON = os.environ.get("SGLANG_PYTHON") or shutil.which("python3.11") or sys.executable
TORCH = os.environ.get("SGLANG_TORCH", "torch==2.13.0+cpu")
WITHOUT_THEIR_NEEDS = ("triton==3.6.0", "xgrammar==0.1.27")
TOLD = ("torch", "triton", "numpy", "transformers")  # versions that the result states

Row = Mapping[str, Any]


def main(folder: Path, result: Path) -> None:
    """Write one JSON object: recall, targets a site, and the missing calls by construct and by subpackage."""
    python, source = installed(folder)
    record = folder / "calls.jsonl"
    _flowmap("record", "--only", "sglang", "-o", str(record), "--", str(python), "-m", "tests.sglang.run_all", str(source))
    asked = _flowmap("compare-runtime", str(record), "--source", f"pypi:{RELEASE}", "--format", "json")
    answer = json.loads(asked)["record"]
    (folder / "missing.json").write_text(json.dumps(answer["missing"], indent=1), encoding="utf-8")
    edges = [json.loads(line) for line in record.read_text(encoding="utf-8").splitlines()]
    about = {"release": RELEASE, "command": "make recall-sglang", "machine": machine(), "versions": versions(python)}
    result.parent.mkdir(parents=True, exist_ok=True)
    result.write_text(json.dumps({**about, **figures(answer, edges)}, indent=1) + "\n", encoding="utf-8")


def figures(answer: Row, edges: Iterable[Row]) -> dict[str, Any]:
    """The figures of a comparison; `edges` are the rows of the record.

    `recall` is over what a line of the package runs by itself or through the standard library, `recall_every_way` over what it
    runs through torch, triton and other packages, too.
    """
    (row,) = answer["packages"]
    groups = Counter((each["construct"], each["miss"]) for each in answer["missing"])
    ways = row["ways"]
    return {
        "recall": _share(row["n_found"], row["n_edges"]),
        "recall_every_way": _share(sum(way["n_found"] for way in ways), sum(way["n_edges"] for way in ways)),
        **row,
        "by_subpackage": _by_subpackage(edges, answer["missing"]),
        "missing": [{"construct": group[0], "has": group[1], "n_edges": number} for group, number in sorted_counts(groups)],
    }


def sorted_counts(counts: Counter[tuple[str, str]]) -> list[tuple[tuple[str, str], int]]:
    """The groups, the largest first."""
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def _by_subpackage(edges: Iterable[Row], missing: Iterable[Row]) -> dict[str, str]:
    """Recall every way of each subpackage, two folders deep."""
    all_of = Counter(_subpackage(edge["file"]) for edge in edges if edge["callee_file"].startswith("sglang/"))
    missing_of = Counter(_subpackage(edge["file"]) for edge in missing)
    return {name: _share(number - missing_of[name], number) for name, number in sorted(all_of.items())}


def _subpackage(file: str) -> str:
    return ".".join(file.split("/")[:-1][:3])


def _share(part: int, whole: int) -> str:
    return f"{part}/{whole} = {part / whole:.1%}"


def _flowmap(*arguments: str) -> str:
    """What flowmap prints. A run that fails is no measurement: it ends here."""
    command = [sys.executable, "-m", "flowmap", *arguments]
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def installed(folder: Path, release: str = RELEASE) -> tuple[Path, Path]:
    """(the Python of the environment, the folder that holds the unpacked release); made where they are missing, in minutes.

    All releases share the environment.
    """
    python = folder / "env" / ("Scripts" if os.name == "nt" else "bin") / "python"
    done = folder / ".ready"
    if not done.exists():
        subprocess.run([PYTHON, "-m", "venv", str(folder / "env")], check=True)
        needed = ["-r", str(Path(__file__).with_name("requirements.txt"))]
        pip(python, "install", TORCH, *needed)
        pip(python, "install", "--no-deps", *WITHOUT_THEIR_NEEDS)
        done.touch()
    return python, _unpacked(python, release, folder / release.replace("==", "-"))


def _unpacked(python: Path, release: str, folder: Path) -> Path:
    done = folder / ".ready"
    if not done.exists():
        pip(python, "download", "--no-deps", "--dest", str(folder), release)
        (wheel,) = folder.glob("sglang-*.whl")
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder)
        done.touch()
    return folder


def pip(python: Path, command: str, *arguments: str) -> None:
    """Run a command of the environment's pip. Raises `CalledProcessError`."""
    subprocess.run([str(python), "-m", "pip", "--disable-pip-version-check", command, "--quiet", *arguments], check=True)


def versions(python: Path) -> dict[str, str]:
    """Of the environment's Python, and of the packages that decide what is computed."""
    program = f"import importlib.metadata, json; print(json.dumps({{each: importlib.metadata.version(each) for each in {TOLD}}}))"
    packages = json.loads(subprocess.check_output([python, "-c", program], text=True))
    return {"python": subprocess.check_output([python, "-V"], text=True).split()[1], **packages}


def machine() -> str:
    """What runs it, in a few words."""
    return f"{platform.system()}, {platform.machine()}, {os.cpu_count()} cores, no graphics card"


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute(), Path(sys.argv[2]).absolute())
