"""The folder that Sphinx makes the site of: written from the pages, and only where something changed, so that it is made again
quickly."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from html import escape
from importlib.resources import files
from pathlib import Path

from flowmap.atlas.classes import class_page
from flowmap.atlas.counted import Counted
from flowmap.atlas.fields import field_page
from flowmap.atlas.functions import function_page
from flowmap.atlas.lists import list_pages
from flowmap.atlas.names import PageNames, addresses_from, names_of
from flowmap.atlas.page import AtlasPage, Drawn
from flowmap.atlas.queries import query_page
from flowmap.atlas.slice import Slice
from flowmap.atlas.story import Story, tell
from flowmap.atlas.written import written
from flowmap.model.place import Place
from flowmap.model.problem import FlowmapError
from flowmap.render.addresses import Addresses, told
from flowmap.render.annotated import annotated_html
from flowmap.render.dot import dot
from flowmap.render.svg import svg
from flowmap.render.text import linked
from flowmap.reports.annotated import annotated
from flowmap.store.index import Index

SECONDS = 10.0  # for one picture; its text twin stands there in any case
_PICTURES, _PAGES = "pictures", "source_pages"
_DIGEST_BYTES = 16


@dataclass(slots=True)
class Folder:
    """A folder of files that are ours alone. What is written stays as it is where it says the same."""

    path: Path
    kept: set[Path] = field(default_factory=set)
    n_changed: int = 0

    def write(self, name: str, text: str) -> None:
        """Write a file below the folder."""
        path = self.path / name
        self.kept.add(path)
        content = text.encode("utf-8", "backslashreplace")
        if path.is_file() and path.read_bytes() == content:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        self.n_changed += 1

    def keep(self, name: str) -> str | None:
        """What a file holds that is named by all that it is made of; None where it is not there."""
        path = self.path / name
        self.kept.add(path)
        return path.read_text(encoding="utf-8") if path.is_file() else None

    def remove_others(self) -> None:
        """Remove what was written for another state of things."""
        for path in sorted(self.path.rglob("*")):
            if path.is_file() and path not in self.kept:
                path.unlink()


def write_sources(index: Index, slice_: Slice, path: Path) -> Counted:
    """Write the sources of a slice's site into a folder.

    Errors: FlowmapError with every placeholder of the overview that cannot be filled in.
    """
    folder, names = Folder(path), names_of(slice_)
    pictures = _Pictures(folder)
    folder.write("conf.py", _CONF.format(title=slice_.title))
    for page in _pages(index, slice_, names):
        folder.write(f"{page.name}.rst", written(page, addresses_from(page.name, names), pictures.draw))
    _overview(index, slice_, names, pictures)
    _source_pages(index, slice_, names, folder)
    folder.write("_static/atlas-names.js", _searchable(slice_, names))
    for name in ("answers.css", "atlas.css", "atlas.js"):
        folder.write(f"_static/{name}", files("flowmap.atlas").joinpath("static", name).read_text(encoding="utf-8"))
    folder.write("_templates/sidebar/atlas-search.html", _template("sidebar/atlas-search.html"))
    folder.remove_others()
    return Counted(
        len(slice_.functions),
        len(slice_.classes),
        len(slice_.watch.fields),
        len(slice_.queries),
        len(slice_.files),
        folder.n_changed,
    )


def _template(name: str) -> str:
    return files("flowmap.atlas").joinpath("templates", name).read_text(encoding="utf-8")


def _pages(index: Index, slice_: Slice, names: PageNames) -> Iterator[AtlasPage]:
    yield from (function_page(index, slice_, names, one) for one in slice_.functions)
    yield from (class_page(index, slice_, names, one) for one in slice_.classes)
    yield from (field_page(index, names, one) for one in slice_.watch.fields)
    yield from (query_page(index, names, one) for one in slice_.queries)
    yield from list_pages(index, slice_, names)


def _overview(index: Index, slice_: Slice, names: PageNames, pictures: _Pictures) -> None:
    text = slice_.story.read_text(encoding="utf-8") if slice_.story else _template("overview.md")
    where = slice_.story.name if slice_.story else "the overview"
    story = Story(index, slice_, names, addresses_from("index", names), pictures.draw, where=where)
    menu = "\n".join(f"{page.name}" for page in list_pages(index, slice_, names))
    toctree = f"```{{toctree}}\n:hidden:\n\n{menu}\n```\n"
    pictures.folder.write("index.md", f"{tell(story, text).rstrip()}\n\n{toctree}")


@dataclass(frozen=True, slots=True)
class _Pictures:
    """Pictures of graphs, each laid out once: its file is named by all that it is made of."""

    folder: Folder

    def draw(self, drawn: Drawn, addresses: Addresses) -> str:
        """The picture, its boxes leading to pages and its lines to the source; "" where none can be made."""

        def address(place: Place | None) -> str:
            return (addresses.of_symbol(place) or addresses.of_place(place)) if place else ""

        text = dot(drawn.graph, address)
        name = f"{_PICTURES}/{hashlib.blake2b(text.encode(), digest_size=_DIGEST_BYTES).hexdigest()}.svg"
        kept = self.folder.keep(name)
        if kept is not None:
            return kept
        try:
            picture = svg(text, SECONDS).replace(' target="_blank"', "")
        except FlowmapError:
            picture = ""
        self.folder.write(name, picture)
        return picture


def _source_pages(index: Index, slice_: Slice, names: PageNames, folder: Folder) -> None:
    """The annotated files, as bodies of pages; the list of them is what Sphinx reads."""
    listed = []
    for number, path in enumerate(slice_.files):
        addresses = addresses_from(names.files[path], names)
        source = annotated(index, path, slice_.watch)
        body = annotated_html(source, index.text_lines(path), addresses)
        name = f"{_PAGES}/{number:04}.html"
        folder.write(name, _head(path, source.n_lines, slice_.link) + body)
        listed.append({"page": names.files[path], "title": told(path), "file": name})
    folder.write(f"{_PAGES}/all.json", json.dumps(listed, indent=1))


def _head(path: str, n_lines: int, link: str) -> str:
    public = f' <a href="{escape(linked(link, Place(path, 1)))}">in the public source</a>' if link else ""
    legend = " ".join(
        f'<span class="fm-mark fm-{kind}">{letter}</span> {kind}'
        for letter, kind in (("R", "read"), ("W", "write"), ("U", "update"), ("C", "carry"))
    )
    keys = "<kbd>n</kbd> <kbd>p</kbd> next and previous access of the field"
    return (
        f"<h1>{told(path)}</h1>\n"
        f'<p class="fm-legend">{n_lines:,} lines.{public} <span>{legend}</span> <span class="fm-keys">{keys}</span></p>\n'
    )


def _searchable(slice_: Slice, names: PageNames) -> str:
    """What can be found by name, as a script: a page that is opened as a file may load nothing else."""
    rows: Iterable[tuple[str, str, str]] = (
        *((one.symbol, "function", names.functions[one.symbol]) for one in slice_.functions),
        *((one.symbol, "class", names.classes[one.symbol]) for one in slice_.classes),
        *((one.name, "field", names.fields[one.name]) for one in slice_.watch.fields),
        *((f"{one.name}: {one.question}", "query", names.queries[one.name]) for one in slice_.queries),
        *((path, "file", names.files[path]) for path in slice_.files),
    )
    content = json.dumps([list(row) for row in rows], separators=(",", ":"))
    return f"window.atlasNames = {content.replace('<', chr(92) + 'u003c')};\n"


_CONF = '''"""Made by flowmap docs; what is changed here is lost when it is made again."""
project = {title!r}
html_title = project
extensions = ["myst_parser", "flowmap.atlas.extension"]
'''
