"""The overview: a text in Markdown with placeholders, in whose place stand links and numbers out of the index.

`{{ VERB NAME }}` is a link, `{{ n WHAT NAME }}` a number with a link to where it can be counted, `{{ graph WHAT NAME }}` a
picture. Of names joined by ` or ` the first that exists counts, and `| TEXT` behind them says what the link is called.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape

from flowmap.atlas.names import LIST_OF, PageNames
from flowmap.atlas.page import Drawn
from flowmap.atlas.slice import Slice
from flowmap.atlas.written import Draw, figure_of
from flowmap.model.annotated import Mark, MarkKind
from flowmap.model.place import Place
from flowmap.model.problem import ExitCode, FlowmapError, Problem
from flowmap.model.program import Confidence, Definition, Site
from flowmap.render.addresses import Addresses, told
from flowmap.reports.graph import graph_view
from flowmap.reports.graph_calls import call_graph, path_graph
from flowmap.reports.graph_parts import GraphQuestion, Wing
from flowmap.reports.paths import PathsQuestion
from flowmap.reports.phrases import Detail, short_name
from flowmap.reports.subjects import find, with_own_constructors
from flowmap.store.classes import hosts, orders
from flowmap.store.index import Index
from flowmap.store.sites import counts, sites_of, sites_running

_PLACEHOLDER = re.compile(r"\{\{\s*(?P<verb>[a-z]+)(?:\s+(?P<names>[^|}]*?))?\s*(?:\|\s*(?P<text>[^}]*?)\s*)?\}\}")
_MARKUP = re.compile(r"[\\`*_\[\]~$!|{}]")
_ARROW, _OR, _IN = "->", " or ", " in "
_N_NODES, _DEEPEST = 24, 1000


@dataclass(slots=True)
class Story:
    """A story that is being told: what it may speak of, and what is wrong with it so far."""

    index: Index
    slice_: Slice
    names: PageNames
    addresses: Addresses
    draw: Draw
    problems: list[Problem] = field(default_factory=list)
    where: str = "the overview"


def tell(story: Story, text: str) -> str:
    """The text with everything filled in.

    Errors: FlowmapError with every placeholder that cannot be.
    """
    filled = _PLACEHOLDER.sub(lambda found: _filled(story, found), text)
    if story.problems:
        raise FlowmapError(*story.problems, code=ExitCode.FINDING)
    return filled


def _filled(story: Story, found: re.Match[str]) -> str:
    verb, names, text = found["verb"], (found["names"] or "").strip(), found["text"] or ""
    if verb not in _VERBS:
        story.problems.append(Problem(story.where, f"knows no `{verb}`", f"Write one of: {', '.join(_VERBS)}."))
        return ""
    try:
        return _VERBS[verb](story, names, text)
    except FlowmapError as error:
        said = (Problem(f"{story.where}, {found[0]}", f"{one.where}: {one.what}", one.fix) for one in error.problems)
        story.problems.extend(said)
        return ""


def _link(address: str, text: str) -> str:
    return f'<a class="fm-told" href="{escape(address)}">{_as_text(text)}</a>' if address else _as_text(text)


def _as_text(text: str) -> str:
    """A text that is none of Markdown's, either: `__init__` would be bold."""
    return _MARKUP.sub(lambda found: f"&#{ord(found[0])};", told(text))


def _one(story: Story, names: str) -> Definition:
    """The first of some names that exists."""
    each = names.split(_OR)
    for name in each[:-1]:
        try:
            return find(story.index, name.strip())[0]
        except FlowmapError:
            continue
    return find(story.index, each[-1].strip())[0]


def _definition(story: Story, names: str, text: str) -> str:
    one = _one(story, names)
    return _link(_page_of(story, one), text or short_name(one))


def _page_of(story: Story, one: Definition) -> str:
    return story.addresses.of_definition(one) or (story.addresses.of_place(one.place) if one.place else "")


def _field(story: Story, names: str, text: str) -> str:
    return _link(story.addresses.of_field(_watched(story, names)), text or names)


def _watched(story: Story, names: str) -> str:
    found = next((name for name in names.split(_OR) if name.strip() in story.names.fields), "")
    if not found:
        raise FlowmapError(Problem(names, "is not watched by this atlas", "Name it in the atlas's `fields`."))
    return found.strip()


def _query(story: Story, name: str, text: str) -> str:
    return _link(story.addresses.of_page(_query_page(story, name)), text or name)


def _query_page(story: Story, name: str) -> str:
    if name not in story.names.queries:
        raise FlowmapError(Problem(name, "is no query of this atlas", "Name it in the atlas's `queries`."))
    return story.names.queries[name]


def _call(story: Story, names: str, text: str) -> str:
    site = _site(story, names)
    return _at(story, Place(site.place.file, site.name_line), text)


def _site(story: Story, names: str) -> Site:
    caller, _, callee = names.partition(_ARROW)
    start, end = _one(story, caller), _one(story, callee)
    wanted = {one.id for one in with_own_constructors(story.index, [end])}
    for site in sites_of(story.index, [start], Confidence.INFERRED):
        if any(each.definition.id in wanted for each in (*site.targets, *site.makes)):
            return site
    raise FlowmapError(Problem(names, f"{short_name(start)} does not run {short_name(end)}", f"flowmap callees {start.symbol}"))


def _at(story: Story, place: Place, text: str) -> str:
    return _link(story.addresses.of_place(place), text or f"{story.index.short_paths[place.file]}:{place.line}")


def _access(kinds: Sequence[MarkKind]) -> Callable[[Story, str, str], str]:
    def filled(story: Story, names: str, text: str) -> str:
        fields, _, functions = names.partition(_IN)
        name, one = _watched(story, fields), _one(story, functions)
        for mark in _marks(story, name, kinds):
            if mark.access.function.id == one.id:
                address = story.addresses.of_place(mark.access.place)
                shown = text or f"{story.index.short_paths[mark.access.place.file]}:{mark.access.place.line}"
                return _link(f"{address}.{name}", shown)
        raise FlowmapError(Problem(names, f"{short_name(one)} does nothing of the kind to {name}", f"flowmap state {name}"))

    return filled


def _marks(story: Story, name: str, kinds: Sequence[MarkKind]) -> list[Mark]:
    lines = (marks for file in story.slice_.watch.marks.values() for marks in file.values())
    return [mark for marks in lines for mark in marks if mark.field == name and mark.kind in kinds]


_GIVING = (MarkKind.WRITE, MarkKind.CARRY, MarkKind.UPDATE)
_TAKING = (MarkKind.READ,)


def _number(story: Story, names: str, text: str) -> str:
    what, _, rest = names.partition(" ")
    if what in LIST_OF:
        number = len(getattr(story.names, what))
        return _link(story.addresses.of_page(f"{LIST_OF[what]}/index"), text or f"{number:,}")
    if what == "sites":
        return f"{sum(counts(story.index).values()):,}"
    if what not in _COUNTS:
        raise FlowmapError(
            Problem(what, "is nothing that is counted", f"Write one of: {', '.join((*LIST_OF, 'sites', *_COUNTS))}.")
        )
    number, address = _COUNTS[what](story, rest.strip())
    return _link(address, text or f"{number:,}")


def _callers(story: Story, names: str) -> tuple[int, str]:
    one = _one(story, names)
    found = sites_running(story.index, with_own_constructors(story.index, [one]), Confidence.INFERRED)
    return len(found), f"{_page_of(story, one)}{_anchor(story, one, 'who-runs-it')}"


def _callees(story: Story, names: str) -> tuple[int, str]:
    one = _one(story, names)
    sites = sites_of(story.index, [one], Confidence.INFERRED)
    called = {each.definition.id for site in sites for each in site.targets if each.definition.place}
    return len(called), f"{_page_of(story, one)}{_anchor(story, one, 'what-it-runs')}"


def _anchor(story: Story, one: Definition, section: str) -> str:
    return f"#{section}" if one.symbol in story.names.functions else ""


def _targets(story: Story, names: str) -> tuple[int, str]:
    site = _site(story, names)
    return len({each.definition.id for each in site.targets}), story.addresses.of_place(Place(site.place.file, site.name_line))


def _hosts(story: Story, names: str) -> tuple[int, str]:
    one = _one(story, names)
    return len(hosts(story.index, one)), _page_of(story, one)


def _order(story: Story, names: str) -> tuple[int, str]:
    one = _one(story, names)
    return len(orders(story.index, [one]).get(one.id, ())), _page_of(story, one)


def _accesses(kinds: Sequence[MarkKind]) -> Callable[[Story, str], tuple[int, str]]:
    def counted(story: Story, names: str) -> tuple[int, str]:
        name = _watched(story, names)
        return len(_marks(story, name, kinds)), story.addresses.of_field(name)

    return counted


def _answers(story: Story, name: str) -> tuple[int, str]:
    page = _query_page(story, name)
    found = next(answer for query, answer in zip(story.slice_.queries, story.slice_.answers, strict=True) if query.name == name)
    return len(found.hits), story.addresses.of_page(page)


_COUNTS: Mapping[str, Callable[[Story, str], tuple[int, str]]] = {
    "callers": _callers,
    "callees": _callees,
    "targets": _targets,
    "hosts": _hosts,
    "order": _order,
    "reads": _accesses(_TAKING),
    "writes": _accesses(_GIVING),
    "answers": _answers,
}


def _calls(story: Story, names: str, _text: str) -> str:
    one = _one(story, names)
    graph = call_graph(story.index, GraphQuestion(one.symbol, Wing.BOTH, 2, Confidence.INFERRED, _N_NODES))
    return _figure(story, Drawn(graph, graph_view(story.index, graph)))


def _ways(story: Story, names: str, _text: str) -> str:
    start, _, end = names.partition(_ARROW)
    first, last = (_one(story, each).symbol for each in (start, end))
    graph = path_graph(story.index, PathsQuestion(first, last, Confidence.INFERRED, (), _DEEPEST, Detail.BRIEF))
    return _figure(story, Drawn(graph, graph_view(story.index, graph)))


def _figure(story: Story, drawn: Drawn) -> str:
    """The figure as a block of its own: a blank line would end it."""
    html = figure_of(drawn, story.addresses, story.draw)
    return "\n".join(line for line in html.split("\n") if line.strip())


def _list(story: Story, what: str, _text: str) -> str:
    """The first things of a kind that have a page."""
    kinds = {
        "functions": [(short_name(one), story.addresses.of_definition(one)) for one in story.slice_.functions],
        "classes": [(short_name(one), story.addresses.of_definition(one)) for one in story.slice_.classes],
        "fields": [(one.name, story.addresses.of_field(one.name)) for one in story.slice_.watch.fields],
    }
    if what not in kinds:
        raise FlowmapError(Problem(what, "is nothing that can be listed", f"Write one of: {', '.join(kinds)}."))
    return ", ".join(_link(address, text) for text, address in kinds[what][:_N_NODES])


def _source(story: Story, _names: str, _text: str) -> str:
    return _as_text(story.index.source)


def _title(story: Story, _names: str, _text: str) -> str:
    return _as_text(story.slice_.title)


_VERBS: Mapping[str, Callable[[Story, str, str], str]] = {
    "function": _definition,
    "class": _definition,
    "field": _field,
    "query": _query,
    "call": _call,
    "write": _access(_GIVING),
    "read": _access(_TAKING),
    "n": _number,
    "graph": _calls,
    "ways": _ways,
    "list": _list,
    "source": _source,
    "title": _title,
}
