"""What an atlas is about: a slice of a code base, chosen by queries, fields, and functions with what they run. Read from a file.

The form is described in `docs/how-to/make-an-atlas.md`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from packaging.utils import canonicalize_name

from flowmap.model.query import Anchors
from flowmap.query.files import ATLASES, QueryFile, file_on, files_on
from flowmap.query.page import Page, Table, anchors_of, only_known, read_page, text_of, texts_of
from flowmap.query.release import Release, version_in

_FOLDER = "atlas"
_OF_PLAN = ("title", "about", "releases", "link", "story", "queries", "fields", "functions", "calls", "drift", "emits")
_OF_CALLS = ("from", "depth", "in_module", "at_most")
_OF_DRIFT = ("names", "across", "every")
_DEPTH, _AT_MOST = 3, 400


@dataclass(frozen=True, slots=True)
class Reach:
    """Functions, and what they run up to so many calls away, in some modules; the nearest `at_most`."""

    roots: Anchors
    depth: int
    in_module: tuple[str, ...]
    at_most: int


@dataclass(frozen=True, slots=True)
class DriftPlan:
    """What is followed through which releases, of which each `every`th, as `flowmap drift` takes them."""

    names: tuple[str, ...]
    across: tuple[str, ...]
    every: int


@dataclass(frozen=True, slots=True)
class AtlasPlan:
    """What has a page. `link`: pattern of the public source with {path}, {line} and {version}. `story`: the file of the text
    that the overview tells, None for one that is made of what was found. Fields may end in `.*`."""

    name: str
    title: str
    about: str
    releases: tuple[str, ...]  # of the project, for which it is taken by itself; () for all
    link: str
    story: Path | None
    queries: tuple[str, ...]
    fields: Anchors
    functions: Anchors
    reach: Reach
    drift: DriftPlan | None = None
    emits: tuple[str, ...] = ()  # recipes of packages


def atlas_named(text: str, config: Path | None) -> AtlasPlan:
    """The plan that a FILE or NAME means. Errors: FlowmapError when there is none, or with all that is wrong with it."""
    return read_plan(file_on(ATLASES, text, config))


def atlas_about(release: Release | None, config: Path | None) -> AtlasPlan | None:
    """The first plan that is about the project of a release, and for that release; None where there is none."""
    plans = map(read_plan, files_on(ATLASES, config).values()) if release else ()
    return next((plan for plan in plans if release and _is_about(plan, release)), None)


def _is_about(plan: AtlasPlan, release: Release) -> bool:
    versions = {version_in(text) for text in plan.releases}
    return canonicalize_name(plan.about or "-") == release.project and (not versions or release.version in versions)


def read_plan(file: QueryFile) -> AtlasPlan:
    """The plan in a file. Errors: FlowmapError with all that is wrong with it."""
    return read_page(file, partial(_plan, file))


def _plan(file: QueryFile, table: Table, page: Page) -> AtlasPlan:
    only_known(table, _OF_PLAN, page)
    title, story = text_of(table, "title", page), text_of(table, "story", page)
    if not title:
        page.complain("has no title", 'Write `title = "…"`.')
    path = file.path.parent / story if story else None
    if path and not path.is_file():
        page.complain(f"there is no file {story} beside it", "Name the Markdown file of the overview behind `story`.")
    return AtlasPlan(
        name=file.name,
        title=title,
        about=text_of(table, "about", page),
        releases=texts_of(table, "releases", page),
        link=text_of(table, "link", page),
        story=path,
        queries=texts_of(table, "queries", page),
        fields=anchors_of(table, "fields", page),
        functions=anchors_of(table, "functions", page),
        reach=_reach(table, page),
        drift=_drift(table, page) if "drift" in table else None,
        emits=texts_of(table, "emits", page),
    )


def _drift(table: Table, page: Page) -> DriftPlan | None:
    row = table["drift"]
    part = page.within("[drift]")
    if not isinstance(row, dict):
        page.complain("`drift` is no table", 'Write [drift] and below it `names = ["NAME"]` and `across = ["A..B"]`.')
        return None
    only_known(row, _OF_DRIFT, part)
    names, spans = texts_of(row, "names", part), texts_of(row, "across", part)
    for key, value in (("names", names), ("across", spans)):
        if not value:
            part.complain(f"says no `{key}`", 'Write `names = ["NAME"]` and `across = ["A..B"]`.')
    return DriftPlan(names, spans, max(1, _number(row, "every", part, 1)))


def _reach(table: Table, page: Page) -> Reach:
    row = table.get("calls", {})
    if not isinstance(row, dict):
        page.complain("`calls` is no table", 'Write [calls] and below it `from = ["NAME"]`.')
        return Reach((), _DEPTH, (), _AT_MOST)
    part = page.within("[calls]")
    only_known(row, _OF_CALLS, part)
    depth, most = _number(row, "depth", part, _DEPTH), _number(row, "at_most", part, _AT_MOST)
    return Reach(anchors_of(row, "from", part), depth, texts_of(row, "in_module", part), most)


def _number(row: Table, key: str, page: Page, otherwise: int) -> int:
    value = row.get(key, otherwise)
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    page.complain(f"`{key}` is no number", f"Write `{key} = {otherwise}`.")
    return otherwise
