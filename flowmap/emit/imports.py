"""What emitted code imports of the code base has to be there and be bound: a name that no anchor speaks of would be looked up by
nobody. Files of Python that are none are refused, too."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from flowmap.extract.parse import parse
from flowmap.model.emit import Bound, EmittedFile, Refusal

_IMPORT = re.compile(r"^[ \t]*from (?P<module>[\w.]+) import (?P<names>\([^)]*\)|[^\n#]*)", re.MULTILINE)
_MODULES = re.compile(r"^[ \t]*import (?P<modules>[\w., \t]+)", re.MULTILINE)
_COMMENT = re.compile(r"#[^\n]*")
_PYTHON = ".py"


def unreadable(files: Iterable[EmittedFile]) -> Iterator[Refusal]:
    """The files of Python that do not parse."""
    for file in files:
        if file.path.endswith(_PYTHON):
            tree = parse(file.content, file.path)
            wrong = tree[0] if isinstance(tree, tuple) else "" if _is_utf8(file.content) else "it is not UTF-8"
            if wrong:
                yield Refusal(file.path, f"is no Python: {wrong}", None, ())


def _is_utf8(content: bytes) -> bool:
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def unbound(files: Iterable[EmittedFile], package: str, modules: frozenset[str], bound: Iterable[Bound]) -> Iterator[Refusal]:
    """What the modules of a package import from those of the code base and is not there, or nothing binds, each once."""
    found, tops = tuple(bound), frozenset(module.partition(".")[0] for module in modules)
    packages = modules | {module.rpartition(".")[0] for module in modules}
    known = {one.name for one in found} | {one.path.partition(".")[0] for one in found}
    known |= {one.module.rpartition(".")[2] for one in found}
    told: set[tuple[str, str]] = set()
    for file in files:
        if file.path.startswith(f"{package}/") and file.path.endswith(_PYTHON):
            for module, name in imported(file.content.decode("utf-8", "replace")):
                if module.partition(".")[0] not in tops or (module, name) in told:
                    continue
                told.add((module, name))
                if module not in packages:
                    yield Refusal(module, f"is imported by {file.path}, and this release has no such module", None, ())
                elif name and name not in known:
                    yield Refusal(f"{module}.{name}", f"is imported by {file.path}, and no anchor names it", None, ())


def imported(text: str) -> Iterator[tuple[str, str]]:
    """The modules and names of `from MODULE import NAME`; modules with "" of `import MODULE`."""
    for found in _MODULES.finditer(text):
        yield from ((part.split(" as ")[0].strip(), "") for part in found["modules"].split(","))
    for found in _IMPORT.finditer(text):
        names = _COMMENT.sub("", found["names"].strip("()"))
        for part in names.split(","):
            name = part.split(" as ")[0].strip()
            if name.isidentifier() or name == "*":
                yield found["module"], name
