"""`flowmap check`: which contracts hold, which are broken, where that shows, and what is there instead."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from flowmap.contracts.baseline import Baseline, gone
from flowmap.model.contract import Breach, ContractFile, Near, Outcome, Standing
from flowmap.model.finding import Case, Finding, Findings
from flowmap.model.place import Place
from flowmap.model.view import Block, Line, Paragraph, Role, Span, Tree, TreeNode, View
from flowmap.reports.phrases import GAP, Detail, blank, count, note, place_span
from flowmap.store.index import Index

_N_PLACES = 3
_FILES = "files of contracts"


@dataclass(frozen=True, slots=True)
class Checked:
    """A file of contracts, and how each of them fares."""

    file: ContractFile
    outcomes: tuple[Outcome, ...]


@dataclass(frozen=True, slots=True)
class BreachRecord:
    """One way in which a contract is broken. `file` is "" and `line` 0 where nothing is there to be shown."""

    key: str
    what: str
    file: str
    line: int
    lead: str
    near: tuple[str, ...]
    accepted: bool


@dataclass(frozen=True, slots=True)
class ContractRecord:
    """How a contract fares. `places`: `FILE:LINE`s that show that it holds."""

    file: str
    name: str
    kind: str
    why: str
    standing: Standing
    places: tuple[str, ...]
    breaches: tuple[BreachRecord, ...]


@dataclass(frozen=True, slots=True)
class CheckRecord:
    """All contracts. `gone`: keys that the baseline accepts and that are found no more."""

    contracts: tuple[ContractRecord, ...]
    gone: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ContractsRecord:
    """A file of contracts, as `--list` gives it."""

    name: str
    file: str
    about: str
    what: str
    contracts: tuple[str, ...]


def check(index: Index, checked: Sequence[Checked], baseline: Baseline, detail: Detail) -> View:
    """How contracts fare, file by file: what is broken in full, and with `-v` what holds, too."""
    record = _record(checked, baseline)
    blocks = [block for one in checked for block in _file(index, one, baseline, detail)]
    notes = tuple(f"accepted, and gone: {key}" for key in record.gone)
    notes += ("--update-baseline takes out what is gone",) if record.gone else ()
    is_short = detail is Detail.BRIEF and any(one.standing is not Standing.BROKEN for one in record.contracts)
    notes += ("-v shows the others, and where they hold",) if is_short else ()
    return View((note(_summary(record)),), tuple(blocks), record, index.source, notes)


def has_findings(view: View) -> bool:
    """Whether something is broken that the baseline does not accept."""
    record = view.record
    assert isinstance(record, CheckRecord), "the view of a check"
    return any(not one.accepted for contract in record.contracts for one in contract.breaches)


def keys_of(checked: Sequence[Checked]) -> tuple[str, ...]:
    """The keys of all breaches."""
    return tuple(breach.key for one in checked for outcome in one.outcomes for breach in outcome.breaches)


def listed(files: Sequence[ContractFile]) -> View:
    """The files of contracts that have names."""
    nodes = tuple(_listed(one) for one in files)
    record = tuple(
        ContractsRecord(one.name, one.shown, one.about, one.what, tuple(each.name for each in one.contracts)) for one in files
    )
    blocks: tuple[Block, ...] = (Tree(nodes),) if nodes else (Paragraph((note("there is none"),)),)
    title = (note(count(len(files), "file of contracts", _FILES)),)
    return View(title, blocks, record, "the contracts, whatever the source", ("flowmap check NAME checks those of one file",))


def findings(index: Index, checked: Sequence[Checked], baseline: Baseline, here: Mapping[str, str]) -> Findings:
    """The same for the formats of other tools. `here`: the files that can be opened from the working folder, by path; of what
    stands in no such file the contract's own place is given."""
    cases = (_case(one.file, outcome, baseline, here) for one in checked for outcome in one.outcomes)
    return Findings(index.source, tuple(cases))


def _case(file: ContractFile, outcome: Outcome, baseline: Baseline, here: Mapping[str, str]) -> Case:
    contract = outcome.contract
    return Case(
        suite=file.name,
        name=contract.name,
        kind=contract.kind.value,
        why=contract.why,
        place=contract.written,
        findings=tuple(_finding(outcome, one, baseline, here) for one in outcome.breaches),
        is_silent=outcome.standing is Standing.SILENT,
    )


def _finding(outcome: Outcome, one: Breach, baseline: Baseline, here: Mapping[str, str]) -> Finding:
    shown = here.get(one.place.file, "") if one.place else ""
    if one.place and shown:
        place, what = Place(shown, one.place.line), one.what
    else:
        place, what = outcome.contract.written, f"{one.place}: {one.what}" if one.place else one.what
    return Finding(one.key, what, place, _beside(one), one.key in baseline.keys)


def _beside(one: Breach) -> tuple[str, ...]:
    near = ", ".join(_near_text(each) for each in one.near)
    more = f" and {one.n_more} more" if one.n_more else ""
    return (f"{one.lead}: {near}{more}" if near else one.lead,) if one.lead else ()


def _near_text(near: Near) -> str:
    return f"{near.name} ({near.place})" if near.place else near.name


def _record(checked: Sequence[Checked], baseline: Baseline) -> CheckRecord:
    contracts = tuple(_contract(one.file, outcome, baseline) for one in checked for outcome in one.outcomes)
    return CheckRecord(contracts, gone(baseline, [one.file.name for one in checked], keys_of(checked)))


def _contract(file: ContractFile, outcome: Outcome, baseline: Baseline) -> ContractRecord:
    contract = outcome.contract
    return ContractRecord(
        file=file.name,
        name=contract.name,
        kind=contract.kind.value,
        why=contract.why,
        standing=outcome.standing,
        places=tuple(map(str, outcome.places)),
        breaches=tuple(_breach(one, baseline) for one in outcome.breaches),
    )


def _breach(one: Breach, baseline: Baseline) -> BreachRecord:
    return BreachRecord(
        key=one.key,
        what=one.what,
        file=one.place.file if one.place else "",
        line=one.place.line if one.place else 0,
        lead=one.lead,
        near=tuple(map(_near_text, one.near)),
        accepted=one.key in baseline.keys,
    )


def _summary(record: CheckRecord) -> str:
    known = [one for one in record.contracts if one.breaches and all(breach.accepted for breach in one.breaches)]
    counted = {standing: sum(one.standing is standing for one in record.contracts) for standing in Standing}
    n_broken = counted[Standing.BROKEN] - len(known)
    told = [f"{counted[Standing.HOLDS]} hold" if counted[Standing.HOLDS] != 1 else "1 holds"]
    told += [f"{n_broken} broken"] if n_broken or not known else []
    told += [f"{len(known)} broken as accepted"] if known else []
    told += [f"{counted[Standing.SILENT]} of other releases"] if counted[Standing.SILENT] else []
    return f"{count(len(record.contracts), 'contract')}: {', '.join(told)}"


def _file(index: Index, one: Checked, baseline: Baseline, detail: Detail) -> Iterator[Block]:
    shown = [each for each in one.outcomes if detail is Detail.FULL or _is_told(each, baseline)]
    if shown:
        yield blank()
        about = (GAP, note(one.file.what)) if one.file.what else ()
        yield Paragraph((Span(one.file.name, Role.HEADING), *about))
        yield Tree(tuple(_outcome(index, each, baseline) for each in shown))


def _is_told(outcome: Outcome, baseline: Baseline) -> bool:
    return any(one.key not in baseline.keys for one in outcome.breaches)


def _outcome(index: Index, outcome: Outcome, baseline: Baseline) -> TreeNode:
    contract = outcome.contract
    is_broken = outcome.standing is Standing.BROKEN
    verdict = Span(outcome.standing.value, Role.WARNING if is_broken else Role.NOTE)
    line = (Span(contract.name, Role.CODE), GAP, verdict)
    if is_broken:
        breaches = tuple(_told(index, outcome, one, baseline) for one in outcome.breaches)
        return TreeNode(line, breaches, ((Span("  "), Span(contract.why)),))
    return TreeNode((*line, *_seen(index, outcome.places)))


def _seen(index: Index, places: Sequence[Place]) -> Line:
    shown = [span for place in places[:_N_PLACES] for span in (GAP, place_span(index, place))]
    more = (GAP, note(f"and {len(places) - _N_PLACES} more")) if len(places) > _N_PLACES else ()
    return (*shown, *more)


def _told(index: Index, outcome: Outcome, one: Breach, baseline: Baseline) -> TreeNode:
    written = outcome.contract.written
    at = place_span(index, one.place) if one.place else Span(str(written), Role.PLACE, written)
    accepted = (GAP, note("accepted")) if one.key in baseline.keys else ()
    return TreeNode((at, GAP, Span(one.what), *accepted), (), tuple(_near(index, one)))


def _near(index: Index, one: Breach) -> Iterator[Line]:
    if not one.lead:
        return
    spans: list[Span] = [note(f"{one.lead}: " if one.near else one.lead)]
    for number, each in enumerate(one.near):
        spans.append(Span(f"{', ' if number else ''}{each.name}", Role.CODE))
        spans += [Span(" "), Span(f"{index.short_paths[each.place.file]}:{each.place.line}", Role.CODE)] if each.place else []
    spans += [note(f" and {one.n_more} more")] if one.n_more else []
    yield tuple(spans)


def _listed(one: ContractFile) -> TreeNode:
    about = (GAP, note(f"about {one.about}")) if one.about else ()
    counted = (GAP, note(count(len(one.contracts), "contract")))
    return TreeNode((Span(one.name, Role.CODE), *about, *counted), (), ((Span("  "), Span(one.what)),) if one.what else ())
