"""`flowmap check --since`: in which of several releases each contract broke first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from flowmap.model.contract import Breach, Outcome, Standing
from flowmap.model.view import Block, Line, Paragraph, Role, Span, Tree, TreeNode, View
from flowmap.reports.drift_contracts import NO_INDEX, ContractRecord, Contracts, contract_records
from flowmap.reports.phrases import GAP, Detail, blank, count, note


@dataclass(frozen=True, slots=True)
class SinceRecord:
    """The contracts of a file in all releases."""

    file: str
    contracts: tuple[ContractRecord, ...]


def since(files: Sequence[Contracts], releases: Sequence[str], detail: Detail) -> View:
    """Which contracts are broken in the last release and since when, and which were broken in between."""
    record = tuple(SinceRecord(one.file.name, contract_records(one, releases)) for one in files)
    blocks = [block for one, told in zip(files, record, strict=True) for block in _file(one, told, detail)]
    last = [one.releases[-1].standing for told in record for one in told.contracts]
    n_broken = sum(one == Standing.BROKEN.value for one in last)
    title = f"{count(len(last), 'contract')} in {count(len(releases), 'release')}: {n_broken} broken in the last"
    notes = ("-v shows those that hold in all, too",) if detail is Detail.BRIEF else ()
    return View((note(title),), tuple(blocks), record, f"{releases[0]} … {releases[-1]}", notes)


def is_broken_last(view: View) -> bool:
    """Whether a contract is broken in the last release."""
    record = view.record if isinstance(view.record, tuple) else ()
    return any(one.releases[-1].standing == Standing.BROKEN.value for told in record for one in told.contracts)


def _file(one: Contracts, told: SinceRecord, detail: Detail) -> Iterator[Block]:
    shown = [number for number, record in enumerate(told.contracts) if detail is Detail.FULL or record.broken_first]
    if shown:
        yield blank()
        yield Paragraph((Span(one.file.name, Role.HEADING),))
        yield Tree(tuple(_contract(one, told.contracts[number], number) for number in shown))


def _contract(one: Contracts, record: ContractRecord, number: int) -> TreeNode:
    line = (Span(record.contract, Role.CODE), GAP)
    if not record.broken_first:
        return TreeNode((*line, note(_in_all(record))))
    at = next(position for position, row in enumerate(record.releases) if row.release == record.broken_first)
    outcomes = one.held[at].outcomes
    assert outcomes is not None, "what is broken was checked"
    below = ((Span("  "), Span(outcomes[number].contract.why)), *_later(record, at))
    told = Span(_when(record, at), Role.WARNING)
    return TreeNode((*line, told), tuple(_breach(outcomes[number], each) for each in outcomes[number].breaches), below)


def _in_all(record: ContractRecord) -> str:
    standings = list(dict.fromkeys(row.standing for row in record.releases))
    return f"{standings[0]} in all" if len(standings) == 1 and standings[0] == Standing.HOLDS.value else ", ".join(standings)


def _when(record: ContractRecord, at: int) -> str:
    before = f"; it {_verb(record.releases[at - 1].standing)} in {record.releases[at - 1].release}" if at else ""
    return f"broke first in {record.broken_first}{before}" if at else f"is broken in {record.broken_first}, the first of them"


def _verb(standing: str) -> str:
    return "held" if standing == Standing.HOLDS.value else "said nothing"


def _later(record: ContractRecord, at: int) -> Iterator[Line]:
    """Where it is broken no more, if it is so."""
    later = (row for row in record.releases[at:] if row.standing not in (Standing.BROKEN.value, NO_INDEX))
    mended = next((row.release for row in later), "")
    if mended:
        is_last = record.releases[-1].standing == Standing.BROKEN.value
        yield (Span("  "), note(f"broken no more in {mended}{', and again in the last' if is_last else ''}"))


def _breach(outcome: Outcome, one: Breach) -> TreeNode:
    place = one.place or outcome.contract.written
    near = ", ".join(each.name for each in one.near)
    below: tuple[Line, ...] = ((note(f"{one.lead}: {near}" if near else one.lead),),) if one.lead else ()
    return TreeNode((Span(str(place), Role.PLACE, place), GAP, Span(one.what)), (), below)
