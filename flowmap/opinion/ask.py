"""What jedi says. It reads the subject's text and its unpacked tree; nothing of the subject is imported or run."""

from __future__ import annotations

import sysconfig
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import jedi
from jedi.api.classes import Name
from jedi.api.environment import InterpreterEnvironment

from flowmap.extract.name_end import name_end
from flowmap.model.opinion import Opinion, Said, SiteSpan
from flowmap.model.place import Place
from flowmap.model.program import SiteKind
from flowmap.model.source import OpenedSource
from flowmap.source.cache_places import cache_folder

# What jedi is known to end with on code that it does not foresee.
BREAKS = (
    jedi.InternalError,
    RecursionError,
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    NotImplementedError,
    TypeError,
    ValueError,
)
NO_NAME = "what is called has no name to ask at"


@dataclass(slots=True)
class Jedi:
    """Asks jedi about the sites of one subject. `text_lines` gives a file's lines as they were indexed."""

    locations: Mapping[str, str]  # by path
    paths: Mapping[str, str]  # by location
    text_lines: Callable[[str], Sequence[str]]
    scripts: dict[str, jedi.Script] = field(default_factory=dict)  # of the last file alone

    def opinions(self, spans: Sequence[SiteSpan]) -> Iterator[Opinion]:
        """One opinion a site, in the order given; sites of one file are best asked about one after another."""
        for span in spans:
            yield self.opinion(span)

    def opinion(self, span: SiteSpan) -> Opinion:
        """What jedi says at the last character of the called name: anywhere else it would speak of the receiver."""
        start, end = (span.start.line, span.start.col), (span.end_line, span.end_col)
        at = name_end(self.text_lines(span.start.file), start, end)
        if at is None or span.start.file not in self.locations:
            return Opinion(span.site, (), NO_NAME)
        try:
            said = dict.fromkeys(self.said(name) for name in names_at(self.script(span.start.file), span.kind, at))
        except BREAKS as error:
            return Opinion(span.site, (), f"jedi broke: {type(error).__name__}")
        return Opinion(span.site, tuple(one for one in said if one.symbol))

    def script(self, path: str) -> jedi.Script:
        """jedi's view of a file."""
        if path not in self.scripts:
            self.scripts.clear()
            location, root = self.locations[path], root_of(self.locations[path], path)
            text = "\n".join(self.text_lines(path))
            self.scripts[path] = jedi.Script(text, path=location, project=project_at(root), environment=InterpreterEnvironment())
        return self.scripts[path]

    def said(self, name: Name) -> Said:
        """A name of jedi's as a definition. Of an object it is its class's `__call__` that runs."""
        symbol = f"{name.full_name}.__call__" if name.type == "instance" else name.full_name or name.name
        path = self.paths.get(str(name.module_path), "")
        inside = bool(path) and name.line is not None and name.type != "instance"
        return Said(symbol, Place(path, name.line or 0) if inside else None)


def ask_jedi(opened: OpenedSource, text_lines: Callable[[str], Sequence[str]]) -> Jedi:
    """jedi, ready to be asked about a subject."""
    jedi.settings.cache_directory = str(cache_folder() / "jedi")
    locations = {file.path: file.location for file in opened.files}
    return Jedi(locations, {location: path for path, location in locations.items()}, text_lines)


def names_at(script: jedi.Script, kind: SiteKind, at: tuple[int, int]) -> list[Name]:
    """What stands behind a name: of a call what the name may be, of a property the function that is read."""
    found: list[Name] = []
    if kind is not SiteKind.PROPERTY:
        found = [name for name in script.infer(*at) if name.type in ("function", "class", "instance")]
    return found or [name for name in script.goto(*at, follow_imports=True) if name.type in ("function", "class", "property")]


def project_at(root: str) -> jedi.Project:
    """A project that holds the subject and the standard library alone. What is compiled is never imported from the subject:
    only the standard library counts as safe."""
    library = [sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")]
    return jedi.Project(root, sys_path=library, added_sys_path=[root], smart_sys_path=False, load_unsafe_extensions=False)


def root_of(location: str, path: str) -> str:
    """The folder that the subject's paths begin in."""
    return str(Path(*Path(location).parts[: -len(Path(path).parts)]))
