"""`flowmap review`: what a change does to contracts, watched fields and hook points."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from flowmap.model.contract import Breach
from flowmap.model.review import ContractTurn, HookTurn, Review, Turn, Watched
from flowmap.model.view import Block, Line, Paragraph, Role, Section, Span, TreeNode, View
from flowmap.reports.diff import Names, access_nodes, cut, field_node, guard_nodes, renamed_node
from flowmap.reports.diff import summary as diff_summary
from flowmap.reports.phrases import GAP, blank, count, heading, note

_TITLES = {
    Turn.BREAKS: "Contracts that break",
    Turn.STAYS_BROKEN: "Contracts that are broken as before",
    Turn.HOLDS_NOW: "Contracts that hold now",
    Turn.TOUCHED: "Contracts that hold, whose functions are changed",
}
_N_NAMES = 4


def review(told: Review, names: Names, most: int) -> View:
    """All that is of interest, by sort; the whole difference is counted."""
    blocks: list[Block] = []
    for section in review_sections(told, names, most):
        blocks += [blank(), heading(section.title, f"{section.number:,}"), section.tree]
    before, after = told.diff.before, told.diff.after
    title = (Span(before, Role.SYMBOL), Span(" → "), Span(after, Role.SYMBOL))
    return View(title, (Paragraph((note(summary(told)),)), *blocks), told, f"{before} → {after}", tuple(_notes(told)))


def breaks(told: Review) -> bool:
    """Whether a contract breaks by the change."""
    return any(one.turn is Turn.BREAKS for one in told.contracts)


def summary(told: Review) -> str:
    """What is told, counted."""
    n_contracts, n_fields, n_hooks = told.asked
    counted = {turn: sum(one.turn is turn for one in told.contracts) for turn in Turn}
    texts = [f"{counted[turn]} {turn.value}" for turn in Turn if counted[turn]] or ["none is concerned"]
    contracts = f"{count(n_contracts, 'contract')}: {', '.join(texts)}" if n_contracts else "no contracts"
    fields = f"{len(told.fields)} of {count(n_fields, 'watched field')} touched" if n_fields else "no watched fields"
    hooks = f"{count(len(told.hooks), 'hook point')} changed" if n_hooks else "no questions about hooks"
    return f"{contracts}; {fields}; {hooks}"


def _notes(told: Review) -> Iterator[str]:
    yield from told.left_out
    yield f"of the whole, which `flowmap diff` shows: {diff_summary(told.diff)}"


def review_sections(told: Review, names: Names, most: int) -> tuple[Section, ...]:
    """What is told by sort, that of which there is some."""
    found: list[tuple[str, list[TreeNode]]] = []
    for turn, title in _TITLES.items():
        found.append((title, [_contract(one, names) for one in told.contracts if one.turn is turn]))
    found.append(("Watched fields", [_field(one, names) for one in told.fields]))
    found.append(("Hook points", [_hook(one, names) for one in told.hooks]))
    return tuple(Section(title, len(nodes), cut(nodes, most)) for title, nodes in found if nodes)


def _contract(one: ContractTurn, names: Names) -> TreeNode:
    line = (Span(f"{one.file}/{one.contract.name}", Role.CODE), GAP, note(one.contract.kind.value))
    touched = f"{'is' if len(one.touched) == 1 else 'are'} changed: {_few([names.of(symbol) for symbol in one.touched])}"
    below = [(Span(one.contract.why),)] if one.turn in (Turn.BREAKS, Turn.TOUCHED) else []
    below += [(note(touched),)] if one.touched and one.turn is Turn.TOUCHED else []
    breaches = () if one.turn is Turn.HOLDS_NOW else tuple(_breach(one, each, names) for each in one.breaches)
    return TreeNode(line, breaches, tuple(below))


def _breach(turn: ContractTurn, one: Breach, names: Names) -> TreeNode:
    place = one.place or turn.contract.written
    near = ", ".join(each.name for each in one.near)
    below: tuple[Line, ...] = ((note(f"{one.lead}: {near}" if near else one.lead),),) if one.lead else ()
    return TreeNode((*names.at(place)[1:], GAP, Span(one.what)), (), below)


def _field(one: Watched, names: Names) -> TreeNode:
    line = (Span(one.field, Role.CODE), GAP, note(f"watched by {one.why}"))
    return TreeNode(line, tuple(_touches(one, names)))


def _touches(one: Watched, names: Names) -> Iterator[TreeNode]:
    yield from (renamed_node(each, names) for each in one.renamed)
    yield from (field_node(each, names) for each in one.fields)
    yield from access_nodes(one.accesses, names)
    yield from guard_nodes(one.guards, names)


def _hook(one: HookTurn, names: Names) -> TreeNode:
    verdict = one.after if one.before == one.after else f"{one.before or 'no candidate'} → {one.after or 'no candidate'}"
    line = (Span(names.of(one.symbol), Role.SYMBOL, one.place), *names.at(one.place), GAP, note(f"{one.question}: {verdict}"))
    told = [f"owes now: {_few(one.owes)}"] * bool(one.owes) + [f"owes no more: {_few(one.owed)}"] * bool(one.owed)
    told += ["its text is changed"] if one.is_touched else []
    return TreeNode(line, (), tuple((note(text),) for text in told))


def _few(texts: Sequence[str]) -> str:
    more = f" and {len(texts) - _N_NAMES} more" if len(texts) > _N_NAMES else ""
    return f"{', '.join(texts[:_N_NAMES])}{more}"
