"""`make bench`: all figures of one run, printed and written to docs/evidence/bench.json.

usage: python -m benchmarks.bench OUTPUT [--quick] [--rivals NAME,NAME,...] [--limit SECONDS]

    --quick     one run of each instead of the median of three, and one release
    --rivals    other tools on the same files: jedi (a sample of sites), pyright, pyan3, code2flow, jarviscg, or all;
    --limit     each for so many seconds at most: 600 when nothing is said
"""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.figures import Figure, machine, median, table, write
from benchmarks.processes import Run, finished, flowmap
from benchmarks.rivals import N_SITES, RIVALS, Outcome, race, races

SUBJECT, NEWER, BEFORE = "pypi:sglang==0.5.9", "pypi:sglang==0.5.23", "pypi:sglang==0.5.8"
JEDI = "jedi"
LIMIT = 600.0  # seconds for another tool
IMPORTS = "import click, rich, sqlite3"
GIB = 2**30
N_WARM = 9
ASKED = {
    "trace": ("trace", "process_batch_result_decode"),
    "callers": ("callers", "process_batch_result_decode"),
    "where": ("where", "process_batch_result_decode"),
    "state": ("state", "accept_lens"),
}


@dataclass(frozen=True, slots=True)
class Bench:
    """A cache of its own, in which the releases are, and how often a figure is measured."""

    cache: Path
    times: int

    @property
    def environment(self) -> Mapping[str, str]:
        """What a run finds."""
        return {"FLOWMAP_CACHE": str(self.cache), "PYTHONHASHSEED": "0"}

    @property
    def rivals(self) -> Path:
        """Where other tools are installed."""
        return self.cache.parent / "rivals"

    def forget(self) -> None:
        """Leaves of the cache only what was fetched and unpacked."""
        for name in ("index", "facts"):
            shutil.rmtree(self.cache / name, ignore_errors=True)

    def files_of(self, source: str) -> Path:
        """Where the files of a release are unpacked, fetched first where they are not there."""
        name = source.removeprefix("pypi:")
        found = next((self.cache / "releases").glob(f"{name}/unpacked-*/files"), None)
        if found is None:
            finished(flowmap("index", "--quiet", source, "--exclude", "*/srt/*"), self.environment)
            found = next((self.cache / "releases").glob(f"{name}/unpacked-*/files"))
        return found


def parse_seconds(bench: Bench, source: str) -> float:
    """P: the parser alone, in one process."""
    command = (sys.executable, "-m", "benchmarks.parsing", str(bench.files_of(source)))
    return median([float(subprocess.run(command, capture_output=True, check=True, text=True).stdout) for _ in range(bench.times)])


def cold_run(bench: Bench, source: str) -> Run:
    """An index of a release that is unpacked, nothing else kept."""
    bench.forget()
    return finished(flowmap("index", "--quiet", source), bench.environment)


def cold(bench: Bench, source: str, limits: tuple[float, float, float]) -> Iterator[Figure]:
    """The first index. Limits: wall and processor time in units of P, memory in GiB."""
    parse = parse_seconds(bench, source)
    runs = [cold_run(bench, source) for _ in range(bench.times)]
    wall, cpu = median([run.wall for run in runs]), median([run.cpu for run in runs])
    yield Figure(f"{source}: the parser alone, P", parse, "s")
    yield Figure(f"{source}: first index, wall", wall, "s")
    yield Figure(f"{source}: first index, wall", wall / parse, "P", limits[0])
    yield Figure(f"{source}: first index, processor time", cpu / parse, "P", limits[1])
    yield Figure(f"{source}: peak memory, all processes", max(run.peak for run in runs) / GIB, "GiB", limits[2])


def beside_pyrefly(bench: Bench) -> Iterator[Figure]:
    """How many times faster than pyrefly's call-graph report, two threads, on the same files."""
    rival = race(RIVALS["pyrefly"], bench.files_of(SUBJECT), bench.rivals, LIMIT)
    if rival.outcome is not Outcome.DONE:
        return
    ours = cold_run(bench, SUBJECT)
    yield Figure("pyrefly 1.5.0, call-graph report: wall", rival.seconds, "s")
    yield Figure("pyrefly 1.5.0, call-graph report: processor time", rival.cpu, "s")
    yield Figure("first index: times faster than pyrefly", rival.seconds / ours.wall, "times", 3.0, is_floor=True)


def beside_others(bench: Bench, names: Sequence[str], limit: float) -> Iterator[Figure]:
    """Other tools on the same files; what failed or ran past the limit is told as that."""
    if JEDI in names:
        yield from beside_jedi(bench)
    files = bench.files_of(SUBJECT)
    for raced in races([name for name in names if name != JEDI], files, bench.rivals, limit):
        unit = "s" if raced.outcome is Outcome.DONE else f"s: {raced.outcome.value}"
        yield Figure(f"{raced.requirement}: wall, at most {limit:.0f} s", raced.seconds, unit)
        yield Figure(f"{raced.requirement}: peak memory", raced.peak / GIB, "GiB")


def beside_jedi(bench: Bench) -> Iterator[Figure]:
    """A sample of call sites, asked one by one: `audit`, less what it takes for a single one."""
    finished(flowmap("index", "--quiet", SUBJECT), bench.environment)
    single, many = (
        finished(flowmap("audit", "--sample", str(number), "--source", SUBJECT), bench.environment) for number in (1, N_SITES)
    )
    seconds = (many.wall - single.wall) / (N_SITES - 1)
    yield Figure(f"jedi {importlib.metadata.version(JEDI)}: a call site, of a sample of {N_SITES}", seconds, "s")


def warm(bench: Bench) -> Iterator[Figure]:
    """A command whose index is kept, against the import of what every command needs: the two in turns, so that both meet the
    same machine."""
    finished(flowmap("index", "--quiet", SUBJECT), bench.environment)
    for name, asked in ASKED.items():
        pairs = [(importing(), finished(flowmap(*asked, "--source", SUBJECT), bench.environment).wall) for _ in range(N_WARM)]
        yield Figure(f"{name}, warm", median([ours / floor for floor, ours in pairs]), "times the imports", 3.0)
        more = median([ours - floor for floor, ours in pairs])
        yield Figure(f"{name}, warm: more than the imports", more * 1000, "ms", 150.0)


def importing() -> float:
    """The wall of what every command imports."""
    return finished((sys.executable, "-c", IMPORTS), {}).wall


EDITS = {
    "an edit of one file": "\ndef edited_{}(scheduler: Scheduler):\n    return scheduler.run_batch(None)\n",
    "comments in one file": "\n# edited {}\n",
}


def after_edit(bench: Bench) -> Iterator[Figure]:
    """One file of a folder changes: the next index against the first one."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "sglang"
        shutil.copytree(bench.files_of(SUBJECT) / "sglang", tree)
        bench.forget()
        first = finished(flowmap("index", "--quiet", str(tree)), bench.environment).wall
        edited = tree / "srt" / "managers" / "scheduler.py"
        for name, text in EDITS.items():
            again = []
            for number in range(bench.times):
                edited.write_text(f"{edited.read_text(encoding='utf-8')}{text.format(number)}", encoding="utf-8")
                again.append(finished(flowmap("index", "--quiet", str(tree)), bench.environment).wall)
            yield Figure(f"after {name}: share of the first index", median(again) / first, "of the wall", 0.15)


def further_release(bench: Bench) -> Iterator[Figure]:
    """A release whose neighbour is known: the share of its lines that stand in files not seen before, and what it takes."""
    known = {path.read_bytes() for path in bench.files_of(BEFORE).rglob("*.py")}
    texts = [path.read_bytes() for path in bench.files_of(SUBJECT).rglob("*.py")]
    lines = [text.count(b"\n") for text in texts]
    share = sum(n for n, text in zip(lines, texts, strict=True) if text not in known) / sum(lines)
    bench.forget()
    finished(flowmap("index", "--quiet", BEFORE), bench.environment)
    before = facts_bytes(bench)
    further = finished(flowmap("index", "--quiet", SUBJECT), bench.environment)
    grown = facts_bytes(bench) - before
    alone = cold_run(bench, SUBJECT)
    yield Figure("lines of 0.5.9 in files that 0.5.8 does not have", share, "of all")
    yield Figure("index of 0.5.9 after 0.5.8: processor time", further.cpu / alone.cpu, "of the first index")
    yield Figure("the facts kept grow by", grown / facts_bytes(bench) / share, "times that share", 1.2)


def solving(bench: Bench) -> Iterator[Figure]:
    """Whether solving stays linear: the time for a call site of a release more than three times as large."""
    small, large = (printed("benchmarks.solving", source, bench) for source in (SUBJECT, NEWER))
    yield Figure("solving 0.5.9, per call site", small, "µs")
    yield Figure("solving 0.5.23, per call site", large / small, "times that of 0.5.9", 2.5)


def printed(module: str, source: str, bench: Bench) -> float:
    """The number that a script prints."""
    command = (sys.executable, "-m", module, source)
    return float(subprocess.run(command, env=os.environ | dict(bench.environment), capture_output=True, check=True).stdout)


def facts_bytes(bench: Bench) -> int:
    """How large the kept facts are."""
    return sum(path.stat().st_size for path in (bench.cache / "facts").glob("*.sqlite"))


def queries(bench: Bench) -> Iterator[Figure]:
    """Many questions in one process; a trace of everything below an event loop."""
    finished(flowmap("index", "--quiet", SUBJECT), bench.environment)
    command = (sys.executable, "-m", "benchmarks.asking", SUBJECT)
    done = subprocess.run(command, env=os.environ | dict(bench.environment), capture_output=True, check=True, text=True)
    for line in done.stdout.splitlines():
        name, value = line.split("\t")
        yield Figure(f"{name} in one process", float(value), "a second", 2000.0, is_floor=True)
    asked = flowmap("trace", "Scheduler.event_loop_overlap", "--down", "--depth", "1000", "--source", SUBJECT)
    runs = [finished(asked, bench.environment).wall for _ in range(3)]
    yield Figure("trace of all below event_loop_overlap", median(runs), "s", 1.5)


def measures(bench: Bench, asked: argparse.Namespace) -> Iterator[Callable[[], Iterator[Figure]]]:
    """All that is measured, in order."""
    yield lambda: cold(bench, SUBJECT, (2.5, 5.0, 1.0))
    yield lambda: beside_pyrefly(bench)
    yield lambda: warm(bench)
    yield lambda: queries(bench)
    yield lambda: after_edit(bench)
    yield lambda: beside_others(bench, asked.rivals, asked.limit)
    if not asked.quick:
        yield lambda: further_release(bench)
        yield lambda: cold(Bench(bench.cache, 1), NEWER, (4.0, 8.0, 2.5))
        yield lambda: solving(bench)


def rivals_named(text: str) -> tuple[str, ...]:
    """The tools that a list names; pyrefly is always there. Errors: ValueError when one is unknown."""
    known = (JEDI, *(name for name in RIVALS if name != "pyrefly"))
    names = known if text == "all" else tuple(filter(None, text.split(",")))
    if not set(names) <= set(known):
        raise ValueError(text)
    return names


def read_arguments() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser()
    parser.add_argument("output", type=Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--rivals", type=rivals_named, default=())
    parser.add_argument("--limit", type=float, default=LIMIT)
    return parser.parse_args()


def main() -> None:
    """Measures, prints as it goes, and writes all at the end."""
    asked = read_arguments()
    home = Path("build/bench")
    bench = Bench((home / "cache").absolute(), 1 if asked.quick else 3)
    where, figures, start = machine(), [], time.perf_counter()
    print(where, flush=True)
    for measure in measures(bench, asked):
        for figure in measure():
            figures.append(figure)
            print(table([figure]), flush=True)
    write(asked.output, where, figures)
    print(f"{sum(one.is_met is False for one in figures)} of {len(figures)} not met; {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
