"""What a candidate could be hooked for, out of where it stands and what it runs."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from flowmap.hooks.step import Step
from flowmap.hooks.touched import Field
from flowmap.model.hooks import HookRole, Standing


@dataclass(frozen=True, slots=True)
class Known:
    """What roles are told by: the functions that acquire something themselves, and the fields that tell a signal."""

    acquiring: Collection[int]
    signals: Collection[Field]


def role_of(step: Step, function: int, standing: Standing, known: Known) -> HookRole | None:
    """The role of a candidate; None where it is good for nothing that was asked for."""
    match standing:
        case Standing.BESIDE:
            return HookRole.SELECT
        case Standing.OPERATION | Standing.ABOVE:
            return HookRole.SKIP
        case Standing.BELOW:
            return _below(step, function, known)
        case Standing.BEFORE:
            return HookRole.RESERVE if function in known.acquiring else HookRole.SKIP
        case Standing.AFTER:
            return _after(step, function, known)


def _below(step: Step, function: int, known: Known) -> HookRole:
    """Below an operation: what acquires only reserves; what runs once its work is done only changes the result."""
    if function in known.acquiring:
        return HookRole.RESERVE
    return HookRole.ORACLE if function not in step.working and runs_after_work(step, function) else HookRole.SKIP


def _after(step: Step, function: int, known: Known) -> HookRole | None:
    """After the operations: work could be left out; else a signal may be read."""
    if function in step.working:
        return HookRole.SKIP
    reads = step.touched.reads.get(function, ())
    return HookRole.OBSERVE if any(field in known.signals for field in reads) else None


def runs_after_work(step: Step, function: int) -> bool:
    """Whether whatever runs a function below an operation has run its work by then, or runs after work itself."""
    return _is_late(step, function, frozenset())


def _is_late(step: Step, function: int, seen: frozenset[int]) -> bool:
    if function in step.operations or function in seen:
        return False
    callers = [caller for caller in sorted(step.below - step.machinery) if function in step.calls.callees(caller)]
    return bool(callers) and all(
        _works_before(step, caller, function) or _is_late(step, caller, seen | {function}) for caller in callers
    )


def _works_before(step: Step, caller: int, function: int) -> bool:
    """Whether a caller has run work before each of its calls of a function."""
    runs = step.calls.runs[caller]
    working = [rank for rank, callee in runs if callee in step.working and callee != function]
    return bool(working) and all(min(working) < rank for rank, callee in runs if callee == function)
