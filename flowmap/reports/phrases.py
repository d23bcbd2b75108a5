"""How reports say things: a function's short name, a place, guards, marks, counts. Every report says them in the same way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from enum import Enum, auto

from flowmap.model.place import Place
from flowmap.model.program import Confidence, Definition, DefinitionKind, Site, SiteKind, Status
from flowmap.model.view import Line, Paragraph, Role, Span
from flowmap.reports.abridged import abridged, joined_by_and
from flowmap.store.classes import part_of
from flowmap.store.index import Index

GAP = Span("  ")
LEGEND = "~ inferred, ? possible; calls without a mark are proven"
_MARKS = {Confidence.PROVEN: "", Confidence.INFERRED: "~ ", Confidence.POSSIBLE: "? "}
_N_REASONS = 3
_N_EARLY_EXITS = 2
_LONGEST_GUARD = 72
_LONGEST_WAY = 160
_SAYS_NOTHING = ("try", "while True")  # of these nothing has to hold
_ORDINALS = {1: "st", 2: "nd", 3: "rd"}
_TEENS = range(11, 14)


class Detail(Enum):
    """How much a report says: what most readers need, or everything (`-v`)."""

    BRIEF = auto()
    FULL = auto()


def short_name(definition: Definition) -> str:
    """The name that a reader knows it by: without its module, `.<locals>` left out."""
    return definition.short


def symbol_span(definition: Definition) -> Span:
    """The short name, which leads to the definition."""
    return Span(short_name(definition), Role.SYMBOL, definition.place)


def place_span(index: Index, place: Place) -> Span:
    """`file:line` with as much of the path as tells the file from all others."""
    return Span(f"{index.short_paths[place.file]}:{place.line}", Role.PLACE, place)


def mark(confidence: Confidence) -> Line:
    """The mark in front of what is not proven; nothing in front of what is."""
    text = _MARKS[confidence]
    return (Span(text, Role.CONFIDENCE),) if text else ()


def note(text: str) -> Span:
    """A remark in a lower voice."""
    return Span(text, Role.NOTE)


def heading(text: str, remark: str = "") -> Paragraph:
    """The title of a part of a report, with a count or the like behind it."""
    tail = (GAP, note(remark)) if remark else ()
    return Paragraph((Span(text, Role.HEADING), *tail))


def blank() -> Paragraph:
    """An empty line."""
    return Paragraph(())


def kind_note(site: Site) -> Line:
    """What makes something run here, where it is not a plain call."""
    if site.kind is SiteKind.BORDER:
        return (GAP, note(f"(border: {site.reason})"))
    return () if site.kind is SiteKind.CALL else (GAP, note(f"({site.kind.value})"))


def block_guards(site: Site, detail: Detail) -> Line:
    """The statements around a site, outermost first, on one line; nothing where it is not guarded."""
    return guard_line(site.guards, detail)


def guard_line(guards: Sequence[str], detail: Detail) -> Line:
    """Statements around one another, outermost first, on one line; nothing for none."""
    return (Span(" › ".join(_shortened(guard, detail) for guard in guards), Role.GUARD),) if guards else ()


def expression_guards(guards: Sequence[str], detail: Detail) -> Line:
    """What must hold inside the expression for the call to happen."""
    texts = [_shortened(guard, detail) for guard in guards]
    return (Span(f"when {joined_by_and(texts)}", Role.GUARD),) if texts else ()


def early_exits(guards: Sequence[str], detail: Detail) -> Line:
    """What must hold because the statements before would have left otherwise."""
    limit = len(guards) if detail is Detail.FULL else _N_EARLY_EXITS
    texts = [_shortened(guard, detail) for guard in guards[:limit]]
    rest = [f"{len(guards) - limit} more"] if len(guards) > limit else []
    return (Span(f"past {', '.join(texts + rest)}", Role.GUARD),) if guards else ()


def all_guards(site: Site, detail: Detail) -> tuple[Line, ...]:
    """All three kinds of guards of a site, a line each; none where nothing guards it."""
    lines = (block_guards(site, detail), expression_guards(site.expr_guards, detail), early_exits(site.early_exit_guards, detail))
    return tuple(line for line in lines if line)


def way_guards(site: Site, detail: Detail) -> tuple[Line, ...]:
    """All guards of a step on a way to a function. In brief on one line: what stands nearest to the call is kept."""
    if detail is Detail.FULL:
        return all_guards(site, detail)
    texts = [_shortened(guard, detail) for guard in site.guards if guard not in _SAYS_NOTHING]
    kept = len(texts)
    while kept > 1 and len(" › ".join(texts[-kept:])) > _LONGEST_WAY:
        kept -= 1
    around = " › ".join([*(["…"] if kept < len(texts) else []), *texts[-kept:]] if texts else [])
    parts = [Span(around, Role.GUARD), *expression_guards(site.expr_guards, detail), *early_exits(site.early_exit_guards, detail)]
    spans = [span for part in parts if part.text for span in (GAP, part)][1:]
    return (tuple(spans),) if spans else ()


def sites_left_out(sites: Iterable[Site]) -> str:
    """A counted line for the sites that lead out of the indexed code or nowhere: `+ 12 external (torch 8, …), 3 unresolved`."""
    counted = {status: [site for site in sites if site.status is status] for status in Status if status is not Status.RESOLVED}
    return ", ".join(f"{len(found)} {status.value}{_reasons(status, found)}" for status, found in counted.items() if found)


def count(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun: `1 call site`, `2 call sites`, `0 classes`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def ordinal(number: int) -> str:
    """`1st`, `2nd`, `11th`."""
    return f"{number}{'th' if number % 100 in _TEENS else _ORDINALS.get(number % 10, 'th')}"


def a_kind(definition: Definition) -> str:
    """What a definition is, in a sentence: `a class`, `something outside the index`."""
    return "something outside the index" if definition.kind is DefinitionKind.EXTERNAL else f"a {definition.kind.value}"


def part_note(definition: Definition) -> str:
    """What a definition is, where it is one part of several under one name: `setter`; else its kind."""
    return part_of(definition) or definition.kind.value


def callee_text(expr: str) -> str:
    """What is called, without the arguments: `self.worker.verify` of `self.worker.verify(batch)`."""
    opened, depth, quote = 0, 0, ""
    for position, char in enumerate(expr):
        if quote or char in "'\"":
            quote = "" if char == quote else quote or char
        elif char in "([{":
            opened, depth = (position if depth == 0 else opened), depth + 1
        elif char in ")]}":
            depth -= 1
    return expr[:opened] if opened and expr.endswith(")") else expr


def _shortened(guard: str, detail: Detail) -> str:
    one_line = " ".join(guard.split())
    return one_line if detail is Detail.FULL else abridged(one_line, _LONGEST_GUARD)


def _reasons(status: Status, sites: Sequence[Site]) -> str:
    if status in (Status.BUILTIN, Status.PRUNED):
        return ""
    counted = Counter(_library(site) if status is Status.EXTERNAL else site.reason or status.value for site in sites)
    if list(counted) == [status.value]:
        return ""
    ranked = sorted(counted.items(), key=lambda item: (-item[1], item[0]))
    texts = [f"{what} {number}" if len(sites) > 1 else what for what, number in ranked[:_N_REASONS]]
    return f" ({', '.join([*texts, *(['…'] if len(ranked) > _N_REASONS else [])])})"


def _library(site: Site) -> str:
    symbols = [target.definition.symbol for target in site.targets] or [callee_text(site.expr)]
    return symbols[0].removeprefix("ext:").split(".", 1)[0]
