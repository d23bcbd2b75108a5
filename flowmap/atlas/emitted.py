"""The page of a package that leans on the code base: its code, beside every line the source that it is bound to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from flowmap.atlas.page import AtlasPage, Section
from flowmap.model.emit import Bound, BoundKind, Emission, EmittedFile, Pin
from flowmap.model.view import Line, Listing, ListingRow, Paragraph, Role, Span, Table, Tree, TreeNode
from flowmap.reports.phrases import GAP, count, note

_PYTHON = ".py"
_GENERATED = ("binding.py", "compatibility.py")


def emitted_page(made: Emission, name: str) -> AtlasPage:
    """The page of an emission: what it stands in for, its modules line by line, who meets what it owes."""
    lead = (
        Paragraph((Span(made.recipe.what), Span(" "), Span(made.strategy.what))),
        Paragraph((note("written by: "), Span(_command(made), Role.CODE))),
        Paragraph((note(f"bound to {count(len(made.binding.bound), 'thing')}: a link below a line leads to what it names"),)),
    )
    sections = (*_refused(made), *_replaced(made.binding.bound), *_modules(made), *_owed(made))
    return AtlasPage(name, f"{made.recipe.name}: the emitted package", lead, tuple(sections))


def _command(made: Emission) -> str:
    variant = f" --variant {made.binding.variant}" if made.binding.variant else ""
    return f"flowmap emit {made.recipe.name}{variant} --source {made.binding.source}"


def _refused(made: Emission) -> Iterator[Section]:
    if made.refusals:
        nodes = tuple(TreeNode((Span(one.subject, Role.SYMBOL), GAP, Span(one.what, Role.WARNING))) for one in made.refusals)
        yield Section("Why nothing is emitted", (Tree(nodes),))


def _replaced(bound: Iterable[Bound]) -> Iterator[Section]:
    """The functions whose every word counts: what the package stands in for, or follows."""
    for one in bound:
        if one.kind is BoundKind.DEFINITION and one.pin is Pin.TEXT:
            rows = tuple(ListingRow(number, text) for number, text in enumerate(one.text.split("\n"), start=one.place.line))
            yield Section(one.path, (Paragraph((*_link(one), GAP, Span(one.why))), Listing(one.place.file, rows)))


def _link(one: Bound) -> Line:
    return Span(one.at, Role.PLACE, one.place), GAP, note(one.digest)


def _modules(made: Emission) -> Iterator[Section]:
    """The modules of the package that name something bound."""
    for file in made.files:
        is_own = file.path.startswith(f"{made.recipe.package}/") and not file.path.endswith(_GENERATED)
        if is_own and file.path.endswith(_PYTHON):
            listing = _listing(file, made.binding.bound)
            if any(row.margin for row in listing.rows):
                yield Section(file.path, (listing,))


def _listing(file: EmittedFile, bound: Iterable[Bound]) -> Listing:
    by_name: dict[str, list[Bound]] = {}
    for one in bound:
        by_name.setdefault(one.name, []).append(one)
    texts = file.content.decode("utf-8").splitlines()
    rows = (ListingRow(number, text, _margin(text, by_name)) for number, text in enumerate(texts, start=1))
    return Listing(file.path, tuple(rows))


def _margin(text: str, by_name: dict[str, list[Bound]]) -> tuple[Line, ...]:
    """What a line of code names, each with a link to where it is bound: as an attribute, a keyword, or an import."""
    found = [one for name in dict.fromkeys(_NAMED.findall(text)) for one in by_name.get(name, ())]
    return tuple((note("→ "), Span(one.path, Role.CODE), GAP, Span(one.at, Role.PLACE, one.place)) for one in found)


_NAMED = re.compile(r"(?<=\.)\w+|\b[A-Z]\w+|\b\w+(?==[^=])|\b\w+(?=\()|(?<=import )\w+")


def _owed(made: Emission) -> Iterator[Section]:
    rows = tuple(
        (
            (Span(", ".join(one.of)),),
            (Span(one.by or f"limit: {one.limit}", Role.CODE if one.by else Role.WARNING),),
            (Span(one.how),),
        )
        for one in made.recipe.discharges
        if not one.variants or made.binding.variant in one.variants
    )
    if rows:
        yield Section("Who meets what it owes", (Table(("Obligation", "Met by", "How"), rows),))
