"""The records that several reports share: what a program reads where a person reads the View's blocks."""

from __future__ import annotations

from dataclasses import dataclass

from flowmap.model.program import Confidence, Definition, DefinitionKind, Site, SiteKind, Status, Step, Target
from flowmap.reports.steps import step_words


@dataclass(frozen=True, slots=True)
class FunctionRecord:
    """A definition: its symbol and where it stands. `file` is "" and `line` 0 outside the indexed code."""

    symbol: str
    kind: DefinitionKind
    file: str
    line: int
    end_line: int
    signature: str


@dataclass(frozen=True, slots=True)
class StepRecord:
    """One step of evidence. `file` is "" where it stands nowhere."""

    file: str
    line: int
    what: str
    confidence: Confidence


@dataclass(frozen=True, slots=True)
class TargetRecord:
    """What a site may run. `evidence` is filled when it was asked for (`-v`)."""

    symbol: str
    file: str
    line: int
    confidence: Confidence
    evidence: tuple[StepRecord, ...] = ()


@dataclass(frozen=True, slots=True)
class SiteRecord:
    """A call site, in the words of `flowmap export calls`, with the reason where it is not resolved. `makes`: the symbols of the
    classes that it makes an instance of."""

    caller: str
    file: str
    line: int
    name_line: int
    col: int
    expr: str
    kind: SiteKind
    status: Status
    reason: str
    guards: tuple[str, ...]
    expr_guards: tuple[str, ...]
    early_exit_guards: tuple[str, ...]
    targets: tuple[TargetRecord, ...]
    makes: tuple[str, ...]


def function_record(definition: Definition) -> FunctionRecord:
    """The record of a definition."""
    file, line = _place(definition)
    return FunctionRecord(definition.symbol, definition.kind, file, line, definition.end_line, definition.signature)


def target_record(target: Target, evidence: tuple[Step, ...] = ()) -> TargetRecord:
    """The record of a target."""
    steps = tuple(map(step_record, evidence))
    return TargetRecord(target.definition.symbol, *_place(target.definition), target.confidence, steps)


def step_record(step: Step) -> StepRecord:
    """The record of a step."""
    file, line = (step.place.file, step.place.line) if step.place else ("", 0)
    return StepRecord(file, line, step_words(step), step.confidence)


def site_record(site: Site, targets: tuple[TargetRecord, ...] | None = None) -> SiteRecord:
    """The record of a site; `targets` when they are already made, with evidence."""
    return SiteRecord(
        caller=site.caller.symbol,
        file=site.place.file,
        line=site.place.line,
        name_line=site.name_line,
        col=site.place.col,
        expr=site.expr,
        kind=site.kind,
        status=site.status,
        reason=site.reason,
        guards=site.guards,
        expr_guards=site.expr_guards,
        early_exit_guards=site.early_exit_guards,
        targets=tuple(map(target_record, site.targets)) if targets is None else targets,
        makes=tuple(each.definition.symbol for each in site.makes),
    )


def _place(definition: Definition) -> tuple[str, int]:
    return (definition.place.file, definition.place.line) if definition.place else ("", 0)
