"""The sources of a site: every page of a slice, made where something that it is made of has changed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from html import escape
from importlib.resources import files
from pathlib import Path

from flowmap.atlas.classes import class_page
from flowmap.atlas.counted import Counted
from flowmap.atlas.domain import OBJECTS, objects_of
from flowmap.atlas.emitted import emitted_page
from flowmap.atlas.fields import field_page
from flowmap.atlas.folder import Folder
from flowmap.atlas.functions import function_page
from flowmap.atlas.kept import Asking, Memory, digest, remembered, stamp_of
from flowmap.atlas.lists import list_pages
from flowmap.atlas.names import PageNames, addresses_from, names_of
from flowmap.atlas.page import AtlasPage
from flowmap.atlas.pictures import Pictures
from flowmap.atlas.queries import query_page
from flowmap.atlas.slice import Slice
from flowmap.atlas.story import Story, tell
from flowmap.atlas.written import Draw, written
from flowmap.model.place import Place
from flowmap.model.progress import Progress, SilentProgress
from flowmap.render.addresses import Addresses, told
from flowmap.render.annotated import annotated_html
from flowmap.render.text import linked
from flowmap.reports.annotated import annotated
from flowmap.store.index import Index

BODIES = "source_pages"
_SILENT = SilentProgress()
_MEMORIES = "kept"
_STATIC = ("answers.css", "atlas.css", "atlas.js")
_SEARCH = "sidebar/atlas-search.html"
Make = Callable[[Addresses, Draw], str]


@dataclass(frozen=True, slots=True)
class _Site:
    """What all pages of a site share. `made_of`: the index, the code, and what is watched, in short."""

    index: Index
    slice_: Slice
    names: PageNames
    folder: Folder
    made_of: str
    progress: Progress

    def page(self, name: str, file: str, made_of: object, make: Make) -> None:
        """Write the source of a page, unless all that it was made of before is the same."""
        asking, whole = Asking(name, self.names), digest((self.made_of, made_of))
        self.progress.advance(1)
        kept = f"{_MEMORIES}/{file}.json"
        memory = remembered(self.folder.text(kept))
        if memory and memory.made_of == whole and self.folder.has(file) and asking.still_holds(memory.asked):
            self.folder.keep(file, kept, *memory.needs)
            return
        pictures = Pictures(self.folder)
        self.folder.write(file, make(asking.addresses, pictures.draw))
        self.folder.note(kept, Memory(whole, asking.asked, pictures.drawn).written())


def write_sources(index: Index, slice_: Slice, path: Path, progress: Progress = _SILENT) -> Counted:
    """Write the sources of a slice's site into a folder.

    Errors: FlowmapError with every placeholder of the overview that cannot be filled in.
    """
    folder, names = Folder(path), names_of(slice_)
    watched = [field.name for field in slice_.watch.fields]
    site = _Site(index, slice_, names, folder, digest((stamp_of(index), slice_.link, *watched)), progress)
    progress.start(
        "writing pages", sum(map(len, (names.functions, names.classes, names.fields, names.queries, names.emitted, names.files)))
    )
    folder.write("conf.py", _CONF.format(title=slice_.title))
    _things(site)
    for page in list_pages(index, slice_, names):
        folder.write(f"{page.name}.rst", written(page, addresses_from(page.name, names), Pictures(folder).draw))
    _overview(site)
    _source_pages(site)
    folder.write(OBJECTS, objects_of(slice_, names))
    folder.write("_static/atlas-names.js", _searchable(slice_, names))
    for name in _STATIC:
        folder.write(f"_static/{name}", files("flowmap.atlas").joinpath("static", name).read_text(encoding="utf-8"))
    folder.write(f"_templates/{_SEARCH}", _template(_SEARCH))
    folder.remove_others()
    return _counted(slice_, folder)


def _counted(slice_: Slice, folder: Folder) -> Counted:
    return Counted(
        functions=len(slice_.functions),
        classes=len(slice_.classes),
        fields=len(slice_.watch.fields),
        queries=len(slice_.queries),
        files=len(slice_.files),
        written=folder.n_changed,
    )


def _template(name: str) -> str:
    return files("flowmap.atlas").joinpath("templates", name).read_text(encoding="utf-8")


def _things(site: _Site) -> None:
    """The pages of functions, classes, fields and queries."""
    for name, made_of, page in _makers(site):
        site.page(name, f"{name}.rst", made_of, partial(_written, page))


def _written(page: Callable[[], AtlasPage], addresses: Addresses, draw: Draw) -> str:
    return written(page(), addresses, draw)


def _makers(site: _Site) -> Iterator[tuple[str, object, Callable[[], AtlasPage]]]:
    """The name of each page, what it alone is made of, and what makes it."""
    index, slice_, names = site.index, site.slice_, site.names
    for one in slice_.functions:
        yield names.functions[one.symbol], one.symbol, partial(function_page, index, slice_, names, one)
    for one in slice_.classes:
        yield names.classes[one.symbol], one.symbol, partial(class_page, index, slice_, names, one)
    for field in slice_.watch.fields:
        yield names.fields[field.name], field.name, partial(field_page, index, names, field)
    for query in slice_.queries:
        yield names.queries[query.name], query, partial(query_page, index, names, query)
    for made in slice_.emissions:
        page = names.emitted[made.recipe.name]
        yield page, made, partial(emitted_page, made, page)


def _overview(site: _Site) -> None:
    slice_, pictures = site.slice_, Pictures(site.folder)
    text = slice_.story.read_text(encoding="utf-8") if slice_.story else _template("overview.md")
    where = slice_.story.name if slice_.story else "the overview"
    story = Story(site.index, slice_, site.names, addresses_from("index", site.names), pictures.draw, where=where)
    menu = "\n".join(page.name for page in list_pages(site.index, slice_, site.names))
    toctree = f"```{{toctree}}\n:hidden:\n\n{menu}\n```\n"
    site.folder.write("index.md", f"{tell(story, text).rstrip()}\n\n{toctree}")


def _source_pages(site: _Site) -> None:
    """The annotated files, as bodies of pages; the list of them is what Sphinx reads."""
    pages = site.names.files
    for path in site.slice_.files:
        site.page(pages[path], f"{BODIES}/{pages[path]}.html", path, partial(_body, site, path))
    listed = [{"page": pages[path], "title": told(path)} for path in site.slice_.files]
    site.folder.write(f"{BODIES}/all.json", json.dumps(listed, indent=1))


def _body(site: _Site, path: str, addresses: Addresses, _draw: Draw) -> str:
    source = annotated(site.index, path, site.slice_.watch)
    return _head(path, source.n_lines, site.slice_.link) + annotated_html(source, site.index.text_lines(path), addresses)


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
        *((one.recipe.name, "emitted package", names.emitted[one.recipe.name]) for one in slice_.emissions),
        *((path, "file", names.files[path]) for path in slice_.files),
    )
    content = json.dumps([list(row) for row in rows], separators=(",", ":"))
    return f"window.atlasNames = {content.replace('<', chr(92) + 'u003c')};\n"


_CONF = '''"""Made by flowmap docs; what is changed here is lost when it is made again."""
project = {title!r}
html_title = project
extensions = ["myst_parser", "flowmap.atlas.extension"]
'''
