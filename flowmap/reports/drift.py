"""`flowmap drift`: where things are from release to release, what was moved, renamed or removed, and when."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from flowmap.drift.history import Line as Releases
from flowmap.drift.history import histories
from flowmap.model.drift import Fate, History, Stay, Whereabouts
from flowmap.model.problem import ExitCode, FlowmapError, Problem
from flowmap.model.view import Block, Line, Paragraph, Role, Span, Table, Tree, TreeNode, View
from flowmap.reports.drift_contracts import Contracts, contract_blocks, contract_records, notes_on
from flowmap.reports.drift_hooks import HooksIn, hook_blocks, hook_records, notes_on_hooks
from flowmap.reports.drift_phrases import FOLLOWED, NOWHERE, end_of, has_new_signature, is_end, short, signature_word, what, where
from flowmap.reports.drift_records import DriftRecord, thing_record
from flowmap.reports.drift_subjects import Subject, Subjects
from flowmap.reports.phrases import Detail, blank, count, heading, note
from flowmap.store.names import alike

MOST_THINGS = 8  # of one name that are told
N_NAMED = 6  # members of a class that are named in brief
N_NEAR = 3
COLUMNS = ("release", "where", "what")


@dataclass(frozen=True, slots=True)
class DriftQuestion:
    """What is followed through which releases. `labels` name the releases of the line, `problems` what is wrong with others."""

    title: str
    subjects: Subjects
    labels: tuple[str, ...]
    notes: tuple[str, ...]
    problems: tuple[Problem, ...]
    detail: Detail
    contracts: Contracts | None = None
    hooks: tuple[HooksIn, ...] = ()  # of each release, where they were asked for


def drift(releases: Releases, question: DriftQuestion) -> View:
    """The histories of all that is asked about.

    Errors: FlowmapError when nothing of it is in any release, with the nearest names of the newest one.
    """
    labels = short_labels(question.labels)
    found = {subject: histories_of(releases, subject) for subject in question.subjects.found}
    absent = tuple(subject.said for subject, things in found.items() if not things)
    if len(absent) == len(found):
        raise FlowmapError(*(nowhere(releases, labels, subject) for subject in found), code=ExitCode.FINDING)
    told = [(subject, thing) for subject, things in found.items() for thing in things]
    blocks: list[Block] = list(missing_blocks(question, absent))
    for _, thing in told[: len(told) if question.detail is Detail.FULL else MOST_THINGS * len(found)]:
        blocks += thing_blocks(thing, labels, question)
    held = contract_records(question.contracts, labels)
    blocks += contract_blocks(held, question.contracts)
    hooks = hook_records(question.hooks, releases, labels) if question.hooks else ()
    blocks += hook_blocks(hooks, question.hooks, question.detail)
    record = DriftRecord(
        tuple(labels),
        tuple(thing_record(subject.said, thing, labels) for subject, thing in told),
        absent,
        question.problems,
        held,
        hooks,
    )
    title = (
        Span(question.title, Role.HEADING),
        Span("  "),
        note(f"{labels[0]} to {labels[-1]}, {count(len(labels), 'release')}"),
    )
    source = " to ".join(dict.fromkeys((question.labels[0], question.labels[-1])))
    notes = (*question.notes, *left_out(told, question), *notes_on_hooks(hooks, question.hooks, question.detail))
    return View(title, tuple(blocks), record, source, notes)


def histories_of(releases: Releases, subject: Subject) -> tuple[History, ...]:
    """What bears one of the names, each thing once."""
    found = {thing.stays: thing for name in subject.names for thing in histories(releases, name)}
    return tuple(sorted(found.values(), key=lambda thing: (-sum(stay.at is not None for stay in thing.stays), thing.last.symbol)))


def left_out(told: Sequence[tuple[Subject, History]], question: DriftQuestion) -> Iterator[str]:
    """Says how many things are not shown."""
    most = MOST_THINGS * len(question.subjects.found)
    if len(told) > most and question.detail is Detail.BRIEF:
        yield f"{len(told) - most} more bear the name: give more of it, or -v"
    if question.subjects.patterns:
        yield f"patterns are not followed: {', '.join(question.subjects.patterns)}"
    yield from notes_on(question.contracts)
    if len(question.labels) == 1:
        yield "one release: there is nothing to compare it with"


def short_labels(labels: Sequence[str]) -> list[str]:
    """The releases without what they have in common: the versions of one project, the last parts of folders."""
    if len(labels) == 1:
        return [labels[0].rpartition("==")[2]]
    for mark in ("==", "/", "\\"):
        heads = {label.rpartition(mark)[0] for label in labels}
        if len(heads) == 1 and heads != {""}:
            return [label.rpartition(mark)[2] for label in labels]
    return list(labels)


def nowhere(releases: Releases, labels: Sequence[str], subject: Subject) -> Problem:
    """Says that nothing bears the name; with what else is called so in the newest release, or with its nearest names."""
    newest, last = releases.releases[-1], subject.names[0].rpartition(".")[2]
    near = list(dict.fromkeys(short(one) for one in releases.ledger.named(last, [newest])))[:N_NEAR]
    near = near or alike(releases.ledger.names(newest), last.lower())[:N_NEAR]
    fix = (
        f"Did you mean {', '.join(near)}? They are in {labels[-1]}." if near else "Give the last parts of its name: Class.method."
    )
    return Problem(subject.said, f"no such name in any of {count(len(labels), 'release')}", fix)


def missing_blocks(question: DriftQuestion, absent: Sequence[str]) -> Iterator[Block]:
    """What the reader must know first: releases that are not in the table, names that are nowhere."""
    for problem in question.problems:
        yield Paragraph((Span(f"not in the table: {problem.where}: {problem.what}", Role.WARNING),))
        if problem.fix:
            yield Paragraph((note(f"  {problem.fix}"),))
    if absent:
        yield Paragraph((Span(f"in no release: {', '.join(absent)}", Role.WARNING),))


def thing_blocks(thing: History, labels: Sequence[str], question: DriftQuestion) -> Iterator[Block]:
    """One thing: what became of it in short, then release by release."""
    yield blank()
    yield heading(short(thing.last), thing.last.kind)
    for text in summary(thing, labels):
        yield Paragraph((Span(text),))
    is_whole = len(question.subjects.found) == 1 or question.detail is Detail.FULL
    rows = list(zip(thing.stays, labels, strict=True))
    shown = rows if is_whole else [one for one in rows if is_turn(one[0])] + [one for one in rows[-1:] if not is_turn(one[0])]
    yield blank()
    yield Table(COLUMNS, tuple(row(stay, label, thing.last) for stay, label in shown))
    if is_whole:
        yield from details(thing, labels, question.detail)


def is_turn(stay: Stay) -> bool:
    """Whether something happened on the way to a release that a caller of the thing notices."""
    return stay.fate not in (Fate.SAME, Fate.ABSENT) or has_new_signature(stay)


def summary(thing: History, labels: Sequence[str]) -> Iterator[str]:
    """Three lines: since when and until when, through what it was followed, where its signature changed."""
    there = [stay.at is not None for stay in thing.stays]
    first, last = there.index(True), len(there) - 1 - there[::-1].index(True)
    since = f"from {labels[first]} to {labels[last]}" if first < last else f"in {labels[first]} alone"
    since = f"there in all {count(len(labels), 'release')}" if all(there) and first < last else since
    ends = [f"{end_of(stay)} in {label}" for stay, label in zip(thing.stays, labels, strict=True) if is_end(stay)]
    yield "; ".join((since, *ends))
    steps = [(stay, label) for stay, label in zip(thing.stays, labels, strict=True) if stay.fate in FOLLOWED]
    if steps:
        n_renamed = sum(stay.fate is not Fate.MOVED for stay, _ in steps)
        n_moved = sum(stay.fate is not Fate.RENAMED for stay, _ in steps)
        counted = " and ".join(count(n, what) for n, what in ((n_renamed, "rename"), (n_moved, "move")) if n)
        yield f"followed through {counted}: {', '.join(f'{short(stay.at)} in {label}' for stay, label in steps if stay.at)}"
    if first < last:
        yield changed_signatures(thing, labels)


def changed_signatures(thing: History, labels: Sequence[str]) -> str:
    """Where the signature is another one, in a line."""
    word = signature_word(thing.last)
    changed = [label for stay, label in zip(thing.stays, labels, strict=True) if has_new_signature(stay)]
    return f"{word} changed in {', '.join(changed)}" if changed else f"{word} never changed"


def row(stay: Stay, label: str, last: Whereabouts) -> tuple[Line, ...]:
    """One release in the table; what was not followed to its last name has that of the time."""
    is_first = stay.fate in (Fate.FIRST, Fate.NEW)
    named = f"as {short(stay.at)}" if is_first and stay.at and short(stay.at) != short(last) else ""
    said = ", ".join(filter(None, (what(stay), named)))
    return (Span(label),), where(stay.at), (Span(said, Role.NOTE if stay.fate is Fate.SAME else Role.PLAIN),)


def details(thing: History, labels: Sequence[str], detail: Detail) -> Iterator[Block]:
    """The signatures, each where it is new; the members of a class that came and left."""
    signatures = [
        TreeNode((Span(label),), below=((Span(stay.at.signature or NOWHERE, Role.CODE),),))
        for stay, label in zip(thing.stays, labels, strict=True)
        if stay.at is not None and (stay.before is None or has_new_signature(stay))
    ]
    if len(signatures) > 1:
        yield blank()
        yield heading(signature_word(thing.last).capitalize())
        yield Tree(tuple(signatures))
    nodes = tuple(members(stay, label, detail) for stay, label in zip(thing.stays, labels, strict=True) if stay.came or stay.left)
    if nodes:
        yield blank()
        yield heading("Members")
        yield Tree(nodes)


def listed(names: Sequence[str], most: int) -> str:
    """Names with commas between them; of many the first, and how many more there are."""
    return ", ".join((*names[:most], *([f"{len(names) - most} more"] if len(names) > most else [])))


def members(stay: Stay, label: str, detail: Detail) -> TreeNode:
    """What a class has and had not before, and the other way."""
    most = max(len(stay.came), len(stay.left)) if detail is Detail.FULL else N_NAMED
    lines = [
        (Span(f"{sign} {listed(names, most)}", Role.SYMBOL),) for sign, names in (("+", stay.came), ("-", stay.left)) if names
    ]
    return TreeNode((Span(label),), below=tuple(lines))
