"""Which contracts hold in which of several releases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from flowmap.model.contract import ContractFile, Outcome, Standing
from flowmap.model.view import Block, Line, Role, Span, Table
from flowmap.reports.phrases import blank, count, heading

NO_INDEX = "not checked"
COLUMNS = ("contract", "in the releases")


@dataclass(frozen=True, slots=True)
class Held:
    """How the contracts of a file fare in one release, in the order of the file; `outcomes` is None where that has no index."""

    release: str
    outcomes: tuple[Outcome, ...] | None


@dataclass(frozen=True, slots=True)
class Contracts:
    """A file of contracts, and how they fare in all releases."""

    file: ContractFile
    held: tuple[Held, ...]


@dataclass(frozen=True, slots=True)
class StandingRecord:
    """How a contract fares in one release: `holds`, `broken`, `says nothing of this release`, or `not checked`."""

    release: str
    standing: str
    breaches: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ContractRecord:
    """A contract in all releases. `broken_first`: the first of them in which it is broken, "" where it is in none."""

    contract: str
    broken_first: str
    releases: tuple[StandingRecord, ...]


def contract_records(contracts: Contracts | None, labels: Sequence[str]) -> tuple[ContractRecord, ...]:
    """For programs."""
    if contracts is None:
        return ()
    return tuple(_record(contracts, number, labels) for number in range(len(contracts.file.contracts)))


def contract_blocks(records: Sequence[ContractRecord], contracts: Contracts | None) -> Iterator[Block]:
    """A row a contract: in which releases it holds, and since when it is broken, and how."""
    if contracts is None:
        return
    yield blank()
    yield heading("Contracts", f"{contracts.file.name}, {count(len(records), 'contract')}")
    yield Table(COLUMNS, tuple(((Span(record.contract),), _told(record)) for record in records))


def notes_on(contracts: Contracts | None) -> Iterator[str]:
    """Says what could not be checked."""
    without = sum(held.outcomes is None for held in contracts.held) if contracts else 0
    if without:
        yield f"contracts are not checked where there is no index, in {count(without, 'release')}: --check makes one"


def _record(contracts: Contracts, number: int, labels: Sequence[str]) -> ContractRecord:
    rows = tuple(_standing(held, number, label) for held, label in zip(contracts.held, labels, strict=True))
    first = next((row.release for row in rows if row.standing == Standing.BROKEN.value), "")
    return ContractRecord(contracts.file.contracts[number].name, first, rows)


def _standing(held: Held, number: int, label: str) -> StandingRecord:
    if held.outcomes is None:
        return StandingRecord(label, NO_INDEX, ())
    outcome = held.outcomes[number]
    return StandingRecord(label, outcome.standing.value, tuple(breach.what for breach in outcome.breaches))


def _told(record: ContractRecord) -> Line:
    runs = [list(run) for _, run in groupby(record.releases, key=lambda row: (row.standing, row.breaches))]
    texts = [_run(run) for run in runs if run[0].standing != NO_INDEX] or [NO_INDEX]
    return (Span("; ".join(texts), Role.WARNING if record.broken_first else Role.PLAIN),)


def _run(run: Sequence[StandingRecord]) -> str:
    first, last = run[0].release, run[-1].release
    span = f"in {first}" if first == last else f"from {first} to {last}"
    breach = f": {run[0].breaches[0]}" if run[0].breaches else ""
    standing = "says nothing" if run[0].standing == Standing.SILENT.value else run[0].standing
    return f"{standing} {span}{breach}"
