"""What emitted code imports of the code base has to be bound: a name that no anchor speaks of would be looked up by nobody."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from flowmap.model.emit import Bound, EmittedFile, Refusal

_IMPORT = re.compile(r"^[ \t]*from (?P<module>[\w.]+) import (?P<names>\([^)]*\)|[^\n#]*)", re.MULTILINE)
_COMMENT = re.compile(r"#[^\n]*")
_PYTHON = ".py"


def unbound(files: Iterable[EmittedFile], package: str, tops: frozenset[str], bound: Iterable[Bound]) -> Iterator[Refusal]:
    """What the modules of a package import from top-level packages of the code base and nothing binds, each once."""
    found = tuple(bound)
    known = {one.name for one in found} | {one.path.partition(".")[0] for one in found}
    known |= {one.module.rpartition(".")[2] for one in found}
    told: set[tuple[str, str]] = set()
    for file in files:
        if file.path.startswith(f"{package}/") and file.path.endswith(_PYTHON):
            for module, name in imported(file.content.decode("utf-8")):
                if module.partition(".")[0] in tops and name not in known and (module, name) not in told:
                    told.add((module, name))
                    yield Refusal(f"{module}.{name}", f"is imported by {file.path}, and no anchor names it", None, ())


def imported(text: str) -> Iterator[tuple[str, str]]:
    """The modules and names of `from MODULE import NAME`."""
    for found in _IMPORT.finditer(text):
        names = _COMMENT.sub("", found["names"].strip("()"))
        for part in names.split(","):
            name = part.split(" as ")[0].strip()
            if name.isidentifier():
                yield found["module"], name
