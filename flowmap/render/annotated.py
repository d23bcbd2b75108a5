"""Annotated source as HTML: lines with anchors, links on the names of what is called, marks in the margin with cards.

All of it can be read without a script: a card shows while its mark is pointed at or has the focus. Nothing is said by colour
alone: a mark is a letter in a shape. Texts of the indexed code are never markup.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape

from flowmap.model.access import Access
from flowmap.model.annotated import AnnotatedLine, AnnotatedSource, CalledName, Mark, MarkKind
from flowmap.model.place import Place
from flowmap.model.program import Confidence, Definition, DefinitionKind, Site, Target
from flowmap.render.addresses import Addresses, linked, told
from flowmap.render.highlight import Parts, Piece, coloured, line_html

_LETTERS = {MarkKind.READ: "R", MarkKind.WRITE: "W", MarkKind.UPDATE: "U", MarkKind.CARRY: "C"}
_OTHER_END = {
    MarkKind.READ: "written at",
    MarkKind.WRITE: "read at",
    MarkKind.UPDATE: "read at",
    MarkKind.CARRY: "read at",
}
_SURE = {Confidence.PROVEN: "", Confidence.INFERRED: " (inferred)", Confidence.POSSIBLE: " (possible)"}
_CONSTRUCTORS = ("__init__", "__new__", "__post_init__")
_N_TARGETS = 12
_N_RUNS = 3


def annotated_html(source: AnnotatedSource, text: Sequence[str], addresses: Addresses) -> str:
    """The lines of a file. `text` is the whole of it, for its colours: a line of a long string looks like one."""
    pieces = coloured(text)
    rows = "".join(_rows(source, pieces, addresses))
    problem = (
        f'<p class="fm-problem">Did not parse, so no call in it is known: {told(source.problem)}</p>' if source.problem else ""
    )
    name = escape(f"source of {source.file}")
    return f'{problem}<div class="highlight fm-source" role="region" tabindex="0" aria-label="{name}">\n{rows}</div>\n'


def mark_id(field: str, line: int) -> str:
    """The anchor of what a line does to a field."""
    return f"L{line}.{field}"


def _rows(source: AnnotatedSource, pieces: Sequence[Sequence[Piece]], addresses: Addresses) -> Iterator[str]:
    before = 0
    for line in source.lines:
        if before and line.number != before + 1:
            yield f'<div class="fm-gap">lines {before + 1} to {line.number - 1} are left out</div>\n'
        before = line.number
        yield _row(line, pieces[line.number - 1] if line.number <= len(pieces) else (), addresses)


def _row(line: AnnotatedLine, pieces: Sequence[Piece], addresses: Addresses) -> str:
    number = f'<a class="fm-no" href="#L{line.number}" tabindex="-1">{line.number}</a>'
    margin = f'<span class="fm-margin">{"".join(_boxes(line, addresses))}</span>'
    code = f'<span class="fm-code">{line_html(pieces, _parts(line, addresses))}</span>'
    return f'<div class="fm-line" id="L{line.number}">{number}{margin}{code}{_also(line, addresses)}</div>\n'


def _parts(line: AnnotatedLine, addresses: Addresses) -> Parts:
    """What is made of the names on a line: links on what is called, anchors on what is defined."""
    parts: dict[tuple[int, int], _Named] = {}
    for one in line.defines:
        at = _name_at(line.text, one)
        if at:
            parts[at] = _Named(addresses, definition=one)
    for call in line.calls:
        span = (call.start, call.end)
        if not any(span[0] < end and start < span[1] for start, end in parts):
            parts[span] = _Named(addresses, call=call)
    return parts


def _name_at(text: str, one: Definition) -> tuple[int, int] | None:
    """Where the name of a definition stands on its line; None where decorators or the like stand there."""
    words = "class " if one.kind is DefinitionKind.CLASS else "def "
    start = text.find(words + one.name, one.place.col if one.place else 0)
    return (start + len(words), start + len(words) + len(one.name)) if start >= 0 else None


class _Named:
    """Makes a link of the HTML of a name."""

    __slots__ = ("_addresses", "_call", "_definition")

    def __init__(self, addresses: Addresses, call: CalledName | None = None, definition: Definition | None = None) -> None:
        self._addresses, self._call, self._definition = addresses, call, definition

    def __call__(self, html: str) -> str:
        if self._call:
            return _called(self._call.site, html, self._addresses)
        assert self._definition, "a name is called or defined"
        address = self._addresses.of_definition(self._definition)
        title = told(f"{self._definition.kind.value} {self._definition.symbol}")
        return f'<a class="fm-def" href="{escape(address)}" title="{title}">{html}</a>' if address else html


def _called(site: Site, html: str, addresses: Addresses) -> str:
    """The name of what a site runs: a link to it; where it may run several, or stands nowhere on the site, a list of them."""
    targets = _meant(site)
    if len(targets) == 1:
        address = _address(targets[0].definition, addresses)
        title = told(f"{targets[0].definition.symbol}{_SURE[targets[0].confidence]}")
        if address:
            return f'<a class="fm-call fm-{targets[0].confidence.value}" href="{escape(address)}" title="{title}">{html}</a>'
    card = _list("may run" if len(targets) > 1 else "runs", targets, addresses)
    return f'<span class="fm-box"><button type="button" class="fm-many">{html}</button><span class="fm-card">{card}</span></span>'


def _meant(site: Site) -> list[Target]:
    """What a reader looks for behind a name: of a class that is made the class, not its constructors too."""
    runs = [target for target in site.targets if not (site.makes and target.definition.name in _CONSTRUCTORS)]
    return _each_once((*site.makes, *runs))


def _each_once(targets: Iterable[Target]) -> list[Target]:
    return list({target.definition.id: target for target in targets}.values())


def _address(one: Definition, addresses: Addresses) -> str:
    """Where a definition can be read: at its line; on its page where its file is not shown."""
    return (addresses.of_place(one.place) if one.place else "") or addresses.of_definition(one)


def _list(words: str, targets: Sequence[Target], addresses: Addresses) -> str:
    links = ((linked(_address(one.definition, addresses), one.definition.symbol), one) for one in targets[:_N_TARGETS])
    shown = "".join(f'<span class="fm-item">{link}{_SURE[one.confidence]}</span>' for link, one in links)
    more = f'<span class="fm-item">and {len(targets) - _N_TARGETS} more</span>' if len(targets) > _N_TARGETS else ""
    return f'<span class="fm-what">{words}</span>{shown}{more}'


def _also(line: AnnotatedLine, addresses: Addresses) -> str:
    """What the line runs without naming it."""
    targets = _each_once(target for site in line.runs for target in _meant(site))
    if not targets:
        return ""
    links = ", ".join(linked(_address(one.definition, addresses), _short(one.definition)) for one in targets[:_N_RUNS])
    more = f" and {len(targets) - _N_RUNS} more" if len(targets) > _N_RUNS else ""
    return f'<span class="fm-also">⟶ {links}{more}</span>'


def _short(one: Definition) -> str:
    return ".".join(one.symbol.removeprefix("ext:").split(".")[-2:])


def _boxes(line: AnnotatedLine, addresses: Addresses) -> Iterator[str]:
    """A mark for each kind of thing that the line does to watched fields, with anchors for each field."""
    kinds: dict[MarkKind, list[Mark]] = {}
    for mark in line.marks:
        kinds.setdefault(mark.kind, []).append(mark)
    anchored: set[str] = set()
    for kind, marks in kinds.items():
        fresh = [name for name in dict.fromkeys(mark.field for mark in marks) if name not in anchored]
        anchored.update(fresh)
        anchors = "".join(f'<span class="fm-at" id="{told(mark_id(name, line.number))}"></span>' for name in fresh)
        yield f'<span class="fm-box">{anchors}{_button(kind, marks)}<span class="fm-card">{_card(marks, addresses)}</span></span>'


def _button(kind: MarkKind, marks: Sequence[Mark]) -> str:
    fields = ", ".join(dict.fromkeys(mark.field for mark in marks))
    label = told(f"{kind.value} of {fields}")
    return f'<button type="button" class="fm-mark fm-{kind.value}" aria-label="{label}">{_LETTERS[kind]}</button>'


def _card(marks: Sequence[Mark], addresses: Addresses) -> str:
    once: Mapping[tuple[str, Place], Mark] = {(mark.field, mark.access.place): mark for mark in marks}
    return "".join(_said(mark, addresses) for mark in once.values())


def _said(mark: Mark, addresses: Addresses) -> str:
    access = mark.access
    sure = _SURE[access.confidence]
    field = linked(addresses.of_field(mark.field), mark.field)
    head = f'<span class="fm-what"><b>{mark.kind.value}</b> of {field}, {access.stage.value}{sure}</span>'
    return head + _others(mark, addresses) + _steps(mark, addresses)


def _others(mark: Mark, addresses: Addresses) -> str:
    """From where to where: the accesses at the other end."""
    if not mark.others:
        return f'<span class="fm-item">{_OTHER_END[mark.kind]} no place that is known</span>'
    links = "".join(f'<span class="fm-item">{_other(one, mark.field, addresses)}</span>' for one in mark.others)
    left = mark.n_others - len(mark.others)
    more = f'<span class="fm-item">and {left} more</span>' if left else ""
    return f'<span class="fm-item">{_OTHER_END[mark.kind]}</span>{links}{more}'


def _other(one: Access, field: str, addresses: Addresses) -> str:
    text = f"{_short(one.function)}  {one.place.file.rpartition('/')[2]}:{one.place.line}"
    return linked(_mark_address(one.place, field, addresses), text)


def _mark_address(place: Place, field: str, addresses: Addresses) -> str:
    page, _, line = addresses.of_place(place).partition("#")
    return f"{page}#{line}.{field}" if line else page


def _steps(mark: Mark, addresses: Addresses) -> str:
    """The way along the accesses of the field."""
    before = mark.previous and _mark_address(mark.previous, mark.field, addresses)
    after = mark.next and _mark_address(mark.next, mark.field, addresses)
    back = f'<a rel="prev" href="{escape(before)}">◂ previous</a> ' if before else ""
    on = f' <a rel="next" href="{escape(after)}">next ▸</a>' if after else ""
    return f'<span class="fm-steps">{back}access {mark.number} of {mark.n_accesses}{on}</span>'
