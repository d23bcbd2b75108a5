"""A toy program and its index, written by hand: a mixin, a factory with two targets, recursion, unresolved and external calls.

The rows say what a right analysis of `SOURCES` gives, so what reads an index is tested without what makes one.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass, field

from flowmap.model.program import StepKind
from flowmap.store.index import Index
from flowmap.store.memory import index_in_memory
from flowmap.store.write import IndexTables, Row

SOURCES = {
    "toy/__init__.py": "",
    "toy/app.py": '''\
import sys

from toy.mixins import Base, OutputMixin
from toy.workers import make_worker


class Scheduler(OutputMixin, Base):
    """Runs batches until told to stop."""

    def __init__(self, fast: bool) -> None:
        self.worker = make_worker(fast)

    def run(self) -> None:
        while True:
            batch = self.receive()
            if batch.closed:
                break
            if batch:
                self.worker.forward(batch)
                self.process(batch)
            else:
                self.hook(batch)

    def receive(self):
        return sys.stdin.readline()

    def process(self, batch) -> None:
        if batch.is_decode():
            self.process_decode(batch)
        elif len(batch) > 1:
            self.split(batch)
        self.emit(batch)

    def split(self, batch) -> None:
        half = len(batch) // 2
        self.split(batch[:half])
        self.process(batch[half:])


def main() -> None:
    Scheduler(fast=True).run()


if __name__ == "__main__":
    main()
''',
    "toy/broken.py": "def (:\n",
    "toy/mixins.py": '''\
class OutputMixin:
    """Writes results."""

    def process_decode(self, batch) -> None:
        for request in batch:
            request.finished and self.emit(request)

    def emit(self, request) -> None:
        print(request)


class Base:
    def emit(self, request) -> None:
        raise NotImplementedError
''',
    "toy/workers.py": """\
import torch


class Worker:
    def forward(self, batch):
        return torch.empty(len(batch))


class FastWorker(Worker):
    def forward(self, batch):
        return torch.zeros(1)


RUNNERS = {
    "cuda": FastWorker,
    "npu": Worker,
}


def make_worker(fast: bool) -> Worker:
    return FastWorker() if fast else Worker()
""",
}
_N_COLUMNS_OF_PLACE = 2


@dataclass
class ToyTables:
    """Collects rows; finds lines and columns by the text they stand at."""

    symbols: dict[str, Row] = field(default_factory=dict)
    guards: dict[tuple[str, ...], int] = field(default_factory=lambda: {(): 0})
    sites: list[Row] = field(default_factory=list)
    targets: list[Row] = field(default_factory=list)
    evidence: list[Row] = field(default_factory=list)
    stopped: list[Row] = field(default_factory=list)
    widened: list[Row] = field(default_factory=list)

    def file(self, path: str) -> int:
        return sorted(SOURCES).index(path)

    def at(self, path: str, text: str) -> tuple[int, int]:
        """Line and column of the only place in a file where `text` stands; `|` in it marks the column."""
        before, _, _ = text.partition("|")
        start = SOURCES[path].index(text.replace("|", "")) + (len(before) if "|" in text else 0)
        assert SOURCES[path].count(text.replace("|", "")) == 1, text
        upto = SOURCES[path][:start]
        return upto.count("\n") + 1, start - (upto.rfind("\n") + 1)

    def define(self, symbol: str, kind: str, path: str, text: str, **more: str | int) -> None:
        """Add a definition that begins at `text`; more: owner, end (text of its last line), signature, doc."""
        line, col = self.at(path, text) if text else (1, 0)
        n_lines = SOURCES[path].count("\n")
        end = self.at(path, str(more["end"]))[0] if "end" in more else n_lines if kind == "module" else line
        owner = self.symbols[str(more["owner"])][0] if "owner" in more else None
        name = symbol.rsplit(".", 1)[-1]
        place = (self.file(path), line, col, end)
        texts = (more.get("signature", ""), "[]", more.get("doc", ""))
        self.symbols[symbol] = (len(self.symbols), symbol, name, kind, *place, owner, *texts)

    def outside(self, symbol: str) -> None:
        """Add a symbol outside the index."""
        row = (len(self.symbols), symbol, symbol.rsplit(".", 1)[-1], "external", None, 0, 0, 0, None, "", "[]", "")
        self.symbols[symbol] = row

    def site(self, caller: str, text: str, targets: str = "", **more: str) -> None:
        """Add a site at `text` (`|` marks the column). Targets: "proven:a.b inferred:c.d". More: kind, status, reason, guards…"""
        path = sorted(SOURCES)[int(str(self.symbols[caller][4]))]
        line, col = self.at(path, text)
        expr = text.partition("|")[2] or text
        number, name = len(self.sites), expr.split("(")[0].rsplit(".", 1)[-1]
        lists = (self._guards(more.get(key, "")) for key in ("guards", "expr_guards", "early"))
        status = more.get("status", "resolved")
        what = (name, expr, more.get("kind", "call"), status, more.get("reason", ""))
        place = (self.file(path), line, line, col, line, col + len(expr))
        rank = 1000 * line + col + len(expr)  # in these programs what ends first runs first
        self.sites.append((number, self.symbols[caller][0], *place, *what, *lists, rank))
        for position, target in enumerate(targets.split()):
            confidence, _, symbol = target.partition(":")
            step = self._evidence(path, line, symbol, confidence)
            self.targets.append((number, position, self.symbols[symbol][0], confidence, step))

    def _guards(self, texts: str) -> int:
        parts = tuple(texts.split(";")) if texts else ()
        return self.guards.setdefault(parts, len(self.guards))

    def _evidence(self, path: str, line: int, symbol: str, confidence: str) -> int:
        first = len(self.evidence)
        name, defined = symbol.rsplit(".", 1)[-1], self.symbols[symbol]
        inferred = int(confidence != "proven")
        self.evidence.append((first, first + 1, self.file(path), line, StepKind.ATTRIBUTE * 2 + inferred, name))
        self.evidence.append((first + 1, None, defined[4], defined[5], StepKind.DEFINED * 2, name))
        return first

    def stop(self, expr: str, text: str, kind: StepKind, name: str) -> None:
        """Say what is unknown at a site without a target, and where (`text`) that begins."""
        number, file = self.site_of(expr)
        first = len(self.evidence)
        line, _ = self.at(sorted(SOURCES)[file], text)
        self.evidence.append((first, None, file, line, kind * 2, name))
        self.stopped.append((number, first))

    def let_go(self, expr: str, text: str, kind: StepKind, name: str) -> None:
        """Say that flow was let go at `text`, and that this concerns a site."""
        number, file = self.site_of(expr)
        line, _ = self.at(sorted(SOURCES)[file], text)
        self.widened.extend((site, file, line, int(kind), name) for site in (None, number))

    def site_of(self, expr: str) -> tuple[int, int]:
        """Number and file of a site."""
        return next((int(str(row[0])), int(str(row[2]))) for row in self.sites if row[9] == expr)


def _define_all(toy: ToyTables) -> None:
    app, mixins, workers = "toy/app.py", "toy/mixins.py", "toy/workers.py"
    for path in sorted(SOURCES):
        if path != "toy/broken.py":
            toy.define(path.removesuffix(".py").replace("/", ".").removesuffix(".__init__"), "module", path, "")
    scheduler = {"owner": "toy.app.Scheduler"}
    toy.define(
        "toy.app.Scheduler",
        "class",
        app,
        "class Scheduler",
        owner="toy.app",
        end="self.process(batch[half:])",
        signature="(OutputMixin, Base)",
        doc="Runs batches until told to stop.",
    )
    toy.define(
        "toy.app.Scheduler.__init__",
        "method",
        app,
        "def __init__",
        **scheduler,
        end="self.worker = make_worker(fast)",
        signature="(self, fast: bool) -> None",
    )
    toy.define("toy.app.Scheduler.run", "method", app, "def run", **scheduler, end="self.hook(batch)", signature="(self) -> None")
    toy.define("toy.app.Scheduler.receive", "method", app, "def receive", **scheduler, end="sys.stdin", signature="(self)")
    toy.define(
        "toy.app.Scheduler.process",
        "method",
        app,
        "def process",
        **scheduler,
        end="self.emit(batch)",
        signature="(self, batch) -> None",
    )
    toy.define(
        "toy.app.Scheduler.split", "method", app, "def split", **scheduler, end="batch[half:]", signature="(self, batch) -> None"
    )
    toy.define("toy.app.main", "function", app, "def main", owner="toy.app", end="Scheduler(fast", signature="() -> None")
    output = "toy.mixins.OutputMixin"
    toy.define(output, "class", mixins, "class OutputMixin", owner="toy.mixins", end="print(request)", doc="Writes results.")
    toy.define(
        f"{output}.process_decode",
        "method",
        mixins,
        "def process_decode",
        owner=output,
        end="request.finished",
        signature="(self, batch) -> None",
    )
    line = "    def emit(self, request) -> None:\n        "
    toy.define(
        f"{output}.emit",
        "method",
        mixins,
        f"    |{line[4:]}print",
        owner=output,
        end="print(request)",
        signature="(self, request) -> None",
    )
    toy.define("toy.mixins.Base", "class", mixins, "class Base", owner="toy.mixins", end="raise NotImplementedError")
    toy.define(
        "toy.mixins.Base.emit",
        "method",
        mixins,
        f"    |{line[4:]}raise",
        owner="toy.mixins.Base",
        end="raise NotImplementedError",
        signature="(self, request) -> None",
    )
    toy.define("toy.workers.Worker", "class", workers, "class Worker", owner="toy.workers", end="torch.empty")
    toy.define(
        "toy.workers.Worker.forward",
        "method",
        workers,
        "|def forward(self, batch):\n        return torch.empty",
        owner="toy.workers.Worker",
        end="torch.empty",
        signature="(self, batch)",
    )
    toy.define(
        "toy.workers.FastWorker",
        "class",
        workers,
        "class FastWorker",
        owner="toy.workers",
        end="torch.zeros",
        signature="(Worker)",
    )
    toy.define(
        "toy.workers.FastWorker.forward",
        "method",
        workers,
        "|def forward(self, batch):\n        return torch.zeros",
        owner="toy.workers.FastWorker",
        end="torch.zeros",
        signature="(self, batch)",
    )
    toy.define(
        "toy.workers.make_worker",
        "function",
        workers,
        "def make_worker",
        owner="toy.workers",
        end="FastWorker() if",
        signature="(fast: bool) -> Worker",
    )
    for symbol in ("builtins.object", "builtins.len", "builtins.print", "torch.empty", "torch.zeros", "sys.stdin.readline"):
        toy.outside(f"ext:{symbol}")


def _call_all(toy: ToyTables) -> None:
    scheduler, output, workers = "toy.app.Scheduler", "toy.mixins.OutputMixin", "toy.workers"
    toy.site("toy.app", "    |main()\n"[:-1], "proven:toy.app.main", guards="if __name__ == '__main__'")
    toy.site("toy.app.main", "Scheduler(fast=True)", f"proven:{scheduler}.__init__")
    toy.site("toy.app.main", "Scheduler(fast=True).run()", f"proven:{scheduler}.run")
    toy.site(f"{scheduler}.__init__", "make_worker(fast)", f"proven:{workers}.make_worker")
    loop, past = "while True", "not (batch.closed)"
    toy.site(f"{scheduler}.run", "self.receive()", f"proven:{scheduler}.receive", guards=loop)
    toy.site(
        f"{scheduler}.run",
        "self.worker.forward(batch)",
        guards=f"{loop};if batch",
        early=past,
        targets=f"inferred:{workers}.FastWorker.forward inferred:{workers}.Worker.forward",
    )
    toy.site(
        f"{scheduler}.run",
        "                |self.process(batch)",
        f"proven:{scheduler}.process",
        guards=f"{loop};if batch",
        early=past,
    )
    toy.site(
        f"{scheduler}.run",
        "self.hook(batch)",
        status="unresolved",
        reason="no class here defines hook",
        guards=f"{loop};not (batch)",
        early=past,
    )
    toy.site(f"{scheduler}.receive", "sys.stdin.readline()", "proven:ext:sys.stdin.readline", status="external")
    toy.site(f"{scheduler}.process", "batch.is_decode()", status="unresolved", reason="receiver unknown")
    toy.site(
        f"{scheduler}.process", "self.process_decode(batch)", f"proven:{output}.process_decode", guards="if batch.is_decode()"
    )
    toy.site(
        f"{scheduler}.process", "elif |len(batch)", "proven:ext:builtins.len", status="builtin", guards="not (batch.is_decode())"
    )
    toy.site(
        f"{scheduler}.process",
        "            |self.split(batch)\n"[:-1],
        f"proven:{scheduler}.split",
        guards="not (batch.is_decode());if len(batch) > 1",
    )
    toy.site(f"{scheduler}.process", "self.emit(batch)", f"proven:{output}.emit")
    toy.site(f"{scheduler}.split", "half = |len(batch)", "proven:ext:builtins.len", status="builtin")
    toy.site(f"{scheduler}.split", "self.split(batch[:half])", f"proven:{scheduler}.split")
    toy.site(f"{scheduler}.split", "self.process(batch[half:])", f"proven:{scheduler}.process")
    toy.site(
        f"{output}.process_decode",
        "self.emit(request)",
        f"proven:{output}.emit possible:toy.mixins.Base.emit",
        guards="for request in batch",
        expr_guards="request.finished",
    )
    toy.site(f"{output}.emit", "print(request)", "proven:ext:builtins.print", status="builtin")
    toy.site(f"{workers}.Worker.forward", "torch.empty(len(batch))", "proven:ext:torch.empty", status="external")
    toy.site(f"{workers}.Worker.forward", "torch.empty(|len(batch)", "proven:ext:builtins.len", status="builtin")
    toy.site(f"{workers}.FastWorker.forward", "torch.zeros(1)", "proven:ext:torch.zeros", status="external")
    toy.site(f"{workers}.make_worker", "FastWorker()", f"proven:{workers}.FastWorker", expr_guards="fast")
    toy.site(f"{workers}.make_worker", "else |Worker()", f"proven:{workers}.Worker", expr_guards="not (fast)")


def _stop_all(toy: ToyTables) -> None:
    toy.stop("self.hook(batch)", "self.hook(batch)", StepKind.NO_VALUE, "Scheduler.hook")
    toy.stop("batch.is_decode()", "def process(self, batch)", StepKind.UNFED, "batch")
    toy.let_go("self.worker.forward(batch)", "self.worker = make_worker(fast)", StepKind.FIELD, "Scheduler.worker")


def toy_tables() -> IndexTables:
    """The rows of the toy program's index."""
    toy = ToyTables()
    _define_all(toy)
    _call_all(toy)
    _stop_all(toy)
    number = {symbol: row[0] for symbol, row in toy.symbols.items()}
    orders = (
        ("toy.app.Scheduler", "toy.mixins.OutputMixin", "toy.mixins.Base"),
        ("toy.mixins.OutputMixin",),
        ("toy.mixins.Base",),
        ("toy.workers.Worker",),
        ("toy.workers.FastWorker", "toy.workers.Worker"),
    )
    methods = [row for row in toy.symbols.values() if row[3] == "method"]
    app = toy.file("toy/app.py")
    return IndexTables(
        file=[
            (
                toy.file(path),
                path,
                path.removesuffix(".py").replace("/", ".").removesuffix(".__init__"),
                "",
                text.count("\n"),
                "invalid syntax (line 1)" if path == "toy/broken.py" else "",
            )
            for path, text in sorted(SOURCES.items())
        ],
        symbol=list(toy.symbols.values()),
        guard_list=[(number, json.dumps(texts)) for texts, number in toy.guards.items()],
        site=toy.sites,
        target=toy.targets,
        evidence=toy.evidence,
        stopped=toy.stopped,
        widened=toy.widened,
        class_order=[
            (number[order[0]], position, number[symbol])
            for order in orders
            for position, symbol in enumerate((*order, "ext:builtins.object"))
        ],
        member=[(row[8], row[2], row[0]) for row in methods],
        import_=[
            (app, 1, 0, "sys", "", "", None),
            (app, 3, 0, "toy.mixins", "Base", "", toy.file("toy/mixins.py")),
            (app, 3, 0, "toy.mixins", "OutputMixin", "", toy.file("toy/mixins.py")),
            (app, 4, 0, "toy.workers", "make_worker", "", toy.file("toy/workers.py")),
            (toy.file("toy/workers.py"), 1, 0, "torch", "", "", None),
        ],
        table_row=[
            (0, toy.file("toy/workers.py"), 15, 4, "RUNNERS", "'cuda'"),
            (1, toy.file("toy/workers.py"), 16, 4, "RUNNERS", "'npu'"),
        ],
        table_target=[(0, number["toy.workers.FastWorker"]), (1, number["toy.workers.Worker"])],
        entry=[(number["toy.app.main"], "called under if __name__ == '__main__'")],
        problem=[("toy/broken.py:1", "invalid syntax", "the file is left out")],
        meta={"source": "toy 1.0"},
        made=[
            (site, 0, number[symbol.removesuffix(".__init__")], confidence, evidence)
            for site, _, target, confidence, evidence in toy.targets
            for symbol, row in toy.symbols.items()
            if row[0] == target and (row[3] == "class" or row[2] == "__init__")
        ],
        text=[(toy.file(path), zlib.compress(text.encode())) for path, text in SOURCES.items()],
    )


def toy_index() -> Index:
    """The toy program's index, in memory."""
    return index_in_memory(toy_tables())
