"""`flowmap hooks`: where work can be bypassed, what has to be done instead, and how each place was judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from flowmap.hooks.answer import hook_points
from flowmap.model.hooks import (
    Candidate,
    Criterion,
    CriterionName,
    HookPoints,
    HookQuestion,
    HookRole,
    Obligation,
    ObligationKind,
    Standing,
    Verdict,
)
from flowmap.model.place import Place
from flowmap.model.query import Query, Show
from flowmap.model.view import Block, Line, Paragraph, Role, Span, Table, Tree, TreeNode, View
from flowmap.reports.phrases import GAP, Detail, blank, count, heading, note, place_span, short_name, symbol_span
from flowmap.reports.query import query as query_view
from flowmap.store.index import Index

_MOST_SKIPPED = 10  # candidates shown in brief
_MOST_BARRED = 6
_MOST_OTHERS = 4
_MOST_PLACES = 3
_WORTH_ASKING = (Standing.OPERATION, Standing.ABOVE, Standing.BELOW, Standing.AFTER)  # before these a hook saves work
_HEADINGS = {
    HookRole.OBSERVE: "Where a signal can be read",
    HookRole.SELECT: "What decides which way is taken",
    HookRole.RESERVE: "Where only sizes are decided",
    HookRole.ORACLE: "What changes the result and saves nothing",
}
_KINDS = {
    ObligationKind.RESULT: ("result to be made", "results to be made"),
    ObligationKind.FIELD: ("field to be kept right", "fields to be kept right"),
    ObligationKind.RESOURCE: ("resource to be acquired", "resources to be acquired"),
    ObligationKind.SHAPE: ("set of sizes that stay as they are", "sets of sizes that stay as they are"),
    ObligationKind.TIMING: ("result taken up in a later turn", "results taken up in a later turn"),
    ObligationKind.RANKS: ("part in which all ranks go the same way", "parts in which all ranks go the same way"),
}


@dataclass(frozen=True, slots=True)
class ObligationRecord:
    """One thing to be done otherwise; places as FILE:LINE."""

    kind: ObligationKind
    name: str
    writes: tuple[str, ...]
    reads: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CriterionRecord:
    """One reason of a verdict."""

    name: CriterionName
    points: int
    bars: bool
    says: str
    sites: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SightRecord:
    """A signal that can be read there."""

    signal: str
    field: str
    site: str


@dataclass(frozen=True, slots=True)
class CandidateRecord:
    """A candidate under one profile, in the form that `docs/reference/formats.md` describes."""

    symbol: str
    file: str
    line: int
    profile: str
    role: HookRole
    verdict: Verdict
    standing: Standing
    points: int
    share: float
    covers: tuple[str, ...]
    call_sites: tuple[str, ...]
    live_call_sites: tuple[str, ...]
    sees: tuple[SightRecord, ...]
    obligations: tuple[ObligationRecord, ...]
    criteria: tuple[CriterionRecord, ...]


@dataclass(frozen=True, slots=True)
class HooksRecord:
    """A question about hooks with all candidates of all profiles, the best first."""

    question: str
    profiles: tuple[str, ...]
    candidates: tuple[CandidateRecord, ...]


@dataclass(frozen=True, slots=True)
class Configured:
    """The candidates of one configuration, and the index that they come from."""

    index: Index
    found: HookPoints


@dataclass(frozen=True, slots=True)
class _Ranked:
    """A candidate with the index of its configuration."""

    index: Index
    profile: str
    candidate: Candidate


def answered(
    question: HookQuestion, whole: Index, under: Callable[[str], Index], profiles: Iterable[str]
) -> tuple[Configured, ...]:
    """The candidates under each profile, "" for the whole subject; `under` gives the index of a profile. Without a profile
    those that the question names are taken.

    Errors: FlowmapError as `hook_points`.
    """
    wanted = tuple(profiles) or question.profiles or ("",)
    indexes = [under(profile) if profile else whole for profile in dict.fromkeys(wanted)]
    return tuple(Configured(index, hook_points(index, whole, question)) for index in indexes)


def hooks(question: HookQuestion, answers: Sequence[Configured], source: str, detail: Detail) -> View:
    """The report: the answer in three lines, the ranking, the evidence, the configurations side by side, a checklist."""
    ranked = _ranking(answers)
    skipping = [one for one in ranked if one.candidate.role is HookRole.SKIP]
    blocks: list[Block] = [
        *_answer(ranked),
        *_ranking_part(skipping, detail),
        *(block for role in _HEADINGS for block in _others(role, ranked, detail)),
        *_side_by_side(answers),
        *_shown(question, answers, detail),
        *_checklist(skipping[:1], detail),
    ]
    title = (Span(question.name, Role.SYMBOL), GAP, Span(question.question)) if question.question else (_named(question),)
    record = HooksRecord(question.question, tuple(each.found.profile for each in answers), tuple(map(_record, ranked)))
    return View(title, tuple(blocks), record, source, tuple(dict.fromkeys(note for each in answers for note in each.found.notes)))


def _named(question: HookQuestion) -> Span:
    return Span(f"bypassing {', '.join(map(str, question.bypass))}", Role.HEADING)


def _ranking(answers: Iterable[Configured]) -> list[_Ranked]:
    ranked = [_Ranked(each.index, each.found.profile, one) for each in answers for one in each.found.candidates]
    return sorted(ranked, key=_order)


def _order(ranked: _Ranked) -> tuple[int, int, int, float, str, str]:
    one = ranked.candidate
    place = list(Verdict).index(one.verdict)
    return place, -one.points, -len(one.covers), -one.share, one.definition.symbol, ranked.profile


def _answer(ranked: Sequence[_Ranked]) -> Iterator[Block]:
    """Where to hook in, what that takes, and where the policy can watch: three lines."""
    best = next((one for one in ranked if one.candidate.role is HookRole.SKIP and one.candidate.covers), None)
    if best is None:
        yield Paragraph((Span("No function on the ways to the operations can be bypassed.", Role.HEADING),))
        return
    one, (place, *_) = best.candidate, _at(best)
    yield Paragraph((Span("Hook in at ", Role.HEADING), *_name(best), GAP, place, GAP, *_verdict(one), *_profile(best)))
    counted = Counter(each.kind for each in one.obligations)
    owed = ", ".join(count(number, *_KINDS[kind]) for kind, number in counted.items())
    yield Paragraph((Span("It owes "), note(owed or "nothing"), note(": the checklist below")))
    watched = next((each for each in ranked if each.candidate.role is HookRole.OBSERVE and each.profile == best.profile), None)
    if watched is not None:
        signals = " and ".join(dict.fromkeys(each.signal for each in watched.candidate.sees))
        yield Paragraph((Span("Watch at "), *_name(watched), GAP, _at(watched)[0], GAP, note(f"{signals} can be read there")))
    yield blank()


def _ranking_part(skipping: Sequence[_Ranked], detail: Detail) -> Iterator[Block]:
    worth = [one for one in skipping if one.candidate.standing in _WORTH_ASKING and not _is_barred(one)]
    barred = [one for one in skipping if one.candidate.standing in _WORTH_ASKING and _is_barred(one)]
    brief = [*[one for one in worth if one.candidate.covers][:_MOST_SKIPPED], *barred[:_MOST_BARRED]]
    shown = skipping if detail is Detail.FULL else brief
    yield heading("Where work can be bypassed, and where not", count(len(skipping), "candidate"))
    yield Tree(tuple(_node(number, one, detail) for number, one in enumerate(shown, start=1)))
    yield from _cut(len(skipping) - len(shown), "more: parts of the operations, and what prepares what they read")


def _is_barred(ranked: _Ranked) -> bool:
    return ranked.candidate.verdict is Verdict.INFEASIBLE


def _others(role: HookRole, ranked: Sequence[_Ranked], detail: Detail) -> Iterator[Block]:
    found = [one for one in ranked if one.candidate.role is role]
    if found:
        shown = found if detail is Detail.FULL else found[:_MOST_OTHERS]
        yield blank()
        yield heading(_HEADINGS[role], count(len(found), "candidate"))
        yield Tree(tuple(_node(number, one, detail) for number, one in enumerate(shown, start=1)))
        yield from _cut(len(found) - len(shown), "more")


def _cut(n_left: int, what: str) -> Iterator[Block]:
    if n_left > 0:
        yield Paragraph((note(f"+ {n_left} {what} (-v shows them)"),))


def _node(number: int, ranked: _Ranked, detail: Detail) -> TreeNode:
    one = ranked.candidate
    line = (note(f"{number}. "), *_verdict(one), GAP, *_name(ranked), GAP, *_at(ranked)[:1], *_profile(ranked))
    below = [*(_criterion(ranked.index, each) for each in one.criteria), _reached(one)]
    if detail is Detail.FULL:
        below += [_obligation(ranked.index, each, detail) for each in one.obligations]
    return TreeNode(line, (), tuple(each for each in below if each))


def _verdict(one: Candidate) -> Line:
    return (Span(f"{one.verdict.value} {one.points:+}", Role.WARNING if one.verdict is Verdict.INFEASIBLE else Role.CONFIDENCE),)


def _name(ranked: _Ranked) -> Line:
    return (symbol_span(ranked.candidate.definition),)


def _profile(ranked: _Ranked) -> Line:
    return (GAP, note(ranked.profile)) if ranked.profile else ()


def _at(ranked: _Ranked) -> Line:
    place = ranked.candidate.definition.place
    return (place_span(ranked.index, place),) if place else (note("outside the index"),)


def _criterion(index: Index, one: Criterion) -> Line:
    weight = "bars " if one.bars else f"{one.points:+} "
    return (Span(weight, Role.CODE), Span(one.says), *_places(index, one.sites))


def _reached(one: Candidate) -> Line:
    live = len(one.live_call_sites)
    signals = ", ".join(dict.fromkeys(each.signal for each in one.sees)) or "no signal"
    return (note(f"{live} of {count(len(one.call_sites), 'call site')} live; in sight: {signals}; owes {len(one.obligations)}"),)


def _places(index: Index, places: Sequence[Place]) -> Line:
    shown = [span for place in places[:_MOST_PLACES] for span in (GAP, place_span(index, place))]
    more = (note(f" and {len(places) - _MOST_PLACES} more"),) if len(places) > _MOST_PLACES else ()
    return (*shown, *more)


def _obligation(index: Index, one: Obligation, detail: Detail) -> Line:
    most = len(one.writes) + len(one.reads) if detail is Detail.FULL else 1
    written = [span for place in one.writes[:most] for span in (Span(" "), place_span(index, place))]
    read = [span for place in one.reads[:most] for span in (Span(" "), place_span(index, place))]
    more = len(one.reads) - most
    return (
        Span(one.name, Role.CODE),
        *((GAP, note("made at"), *written) if written else ()),
        *((GAP, note("read at"), *read) if read else ()),
        *((note(f" and {more} more"),) if more > 0 else ()),
    )


def _side_by_side(answers: Sequence[Configured]) -> Iterator[Block]:
    """One place of each configuration on the same measures: of those that bypass most operations the best."""
    best = [max(each.found.candidates, key=lambda one: len(one.covers), default=None) for each in answers]
    if len(answers) < 2 or any(one is None for one in best):  # noqa: PLR2004 - side by side takes two
        return
    found = [one for one in best if one is not None]
    yield blank()
    yield heading("The configurations side by side", "for each the best place that bypasses most")
    rows: list[tuple[str, list[Line]]] = [
        ("place", [(symbol_span(one.definition),) for one in found]),
        ("verdict", [_verdict(one) for one in found]),
        ("live call sites", [_text(f"{len(one.live_call_sites)} of {len(one.call_sites)}") for one in found]),
        ("ways that pass", [_text(f"{one.share:.0%}") for one in found]),
        *((_KINDS[kind][1], [_text(str(_n_of(one, kind))) for one in found]) for kind in ObligationKind),
        *((name.value, [_text(_points(one, name)) for one in found]) for name in CriterionName if _differs(found, name)),
    ]
    yield Table(("", *(each.found.profile for each in answers)), tuple((_text(name), *cells) for name, cells in rows))


def _text(text: str) -> Line:
    return (Span(text),)


def _n_of(one: Candidate, kind: ObligationKind) -> int:
    return sum(each.kind is kind for each in one.obligations)


def _points(one: Candidate, name: CriterionName) -> str:
    return ", ".join(f"{each.points:+}" for each in one.criteria if each.name is name) or "none"


def _differs(found: Sequence[Candidate], name: CriterionName) -> bool:
    return any(each.name is name for one in found for each in one.criteria)


def _shown(question: HookQuestion, answers: Sequence[Configured], detail: Detail) -> Iterator[Block]:
    """What the question asks to be shown beside the candidates; what is the same in all configurations once."""
    for find in question.shows:
        asked = Query(question.name, question.question, question.about, (find,), (Show.GUARDS,), ())
        views = [query_view(each.index, asked, detail) for each in answers]
        for number, (each, view) in enumerate(zip(answers, views, strict=True)):
            if any(view.record == other.record for other in views[:number]):
                continue
            yield from view.blocks[1:3]
            if any(view.record != other.record for other in views):
                yield Paragraph((note(f"under {each.found.profile}:"),))
            yield from view.blocks[3:]


def _checklist(best: Sequence[_Ranked], detail: Detail) -> Iterator[Block]:
    for ranked in best:
        one = ranked.candidate
        yield blank()
        yield heading(f"Checklist for {short_name(one.definition)}", count(len(one.obligations), "obligation"))
        kinds = [kind for kind in ObligationKind if any(each.kind is kind for each in one.obligations)]
        yield Tree(tuple(_owed(ranked, kind, detail) for kind in kinds))


def _owed(ranked: _Ranked, kind: ObligationKind, detail: Detail) -> TreeNode:
    found = [each for each in ranked.candidate.obligations if each.kind is kind]
    rows = tuple(TreeNode((Span("[ ] "), *_obligation(ranked.index, each, detail))) for each in found)
    return TreeNode((Span(_KINDS[kind][1]), GAP, note(str(len(found)))), rows)


def _record(ranked: _Ranked) -> CandidateRecord:
    one = ranked.candidate
    place = one.definition.place
    return CandidateRecord(
        symbol=one.definition.symbol,
        file=place.file if place else "",
        line=place.line if place else 0,
        profile=ranked.profile,
        role=one.role,
        verdict=one.verdict,
        standing=one.standing,
        points=one.points,
        share=round(one.share, 4),
        covers=tuple(each.symbol for each in one.covers),
        call_sites=_texts(one.call_sites),
        live_call_sites=_texts(one.live_call_sites),
        sees=tuple(SightRecord(each.signal, each.what, str(each.place)) for each in one.sees),
        obligations=tuple(
            ObligationRecord(each.kind, each.name, _texts(each.writes), _texts(each.reads)) for each in one.obligations
        ),
        criteria=tuple(
            CriterionRecord(each.name, each.points, each.bars, each.says, _texts(each.sites)) for each in one.criteria
        ),
    )


def _texts(places: Iterable[Place]) -> tuple[str, ...]:
    return tuple(map(str, places))
