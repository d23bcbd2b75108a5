"""Small projects with a code base beside their pages, built by Sphinx in this process."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from sphinx.testing.util import SphinxTestApp

CODE = {
    "__init__.py": "",
    "work.py": '''\
"""Work."""


class Output:
    """Writes."""

    def emit(self, request: "Request") -> None:
        request.length += 1


class Request:
    def __init__(self, length: int) -> None:
        self.length = length


class Worker(Output):
    def run(self, requests: list[Request]) -> None:
        """Runs *all* of <b>them</b>."""
        for request in requests:
            if request.length > 3 and request != "a--b":
                self.emit(request)


def main() -> None:
    Worker().run([Request(3)])


if __name__ == "__main__":
    main()
''',
    "apart.py": '''\
"""What nothing else has to do with."""


def alone() -> int:
    return len("x")
''',
}
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(slots=True)
class Project:
    """A folder with `code/app` and `docs`."""

    folder: Path
    settings: dict[str, object] = field(default_factory=dict)
    extensions: tuple[str, ...] = ("flowmap.sphinx",)

    @property
    def docs(self) -> Path:
        """Where the pages are."""
        return self.folder / "docs"

    def write(self, pages: dict[str, str], code: dict[str, str] = CODE) -> None:
        """Write pages, by name without ending, and files of the code base."""
        for name, text in pages.items():
            _write(self.docs / f"{name}.rst", text)
        for name, text in code.items():
            _write(self.folder / "code" / "app" / name, text)

    def build(self, builder: str = "html", n_processes: int = 0, out: str = "_build") -> Built:
        """Build the pages."""
        self.docs.joinpath("conf.py").touch()
        options = {
            "html_theme": "basic",
            "flowmap_source": "../code/app",
            "extensions": list(self.extensions),
            "exclude_patterns": ["_build"],
            **self.settings,
        }
        home = self.folder / out
        app = SphinxTestApp(builder, self.docs, builddir=home, confoverrides=options, parallel=n_processes)
        read: list[str] = []
        app.connect("env-purge-doc", lambda _app, _env, docname: read.append(docname))
        try:
            app.build()
            return Built(home / builder, _COLOURS.sub("", app.warning.getvalue()), tuple(sorted(read)))
        finally:
            app.cleanup()


@dataclass(frozen=True, slots=True)
class Built:
    """What was built: where it lies, what Sphinx warned of, and which pages were read."""

    folder: Path
    warnings: str
    read: tuple[str, ...]

    def page(self, name: str) -> str:
        """The text of a page, by its name with the ending."""
        return self.folder.joinpath(name).read_text(encoding="utf-8")


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
