"""Holds contracts against an index: which hold, which are broken and how, which say nothing of the release."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace

from packaging.version import Version

from flowmap.contracts.calls import called_only_in, calls, calls_in_order, guarded_by, never_calls, only_call_site, reaches
from flowmap.contracts.fields import field_exists, function_reads, function_writes, reads_only_in, writes_only_in
from flowmap.contracts.shapes import anchor_exists, mro_provides, signature, subclass_of
from flowmap.contracts.trial import Trial
from flowmap.model.contract import Breach, Contract, ContractFile, ContractKind, Outcome, Standing
from flowmap.query.release import Release, release_of
from flowmap.store.index import Index

_TRIES: Mapping[ContractKind, Callable[[Trial], None]] = {
    ContractKind.ANCHOR_EXISTS: anchor_exists,
    ContractKind.FIELD_EXISTS: field_exists,
    ContractKind.SIGNATURE: signature,
    ContractKind.CALLS: calls,
    ContractKind.REACHES: reaches,
    ContractKind.NEVER_CALLS: never_calls,
    ContractKind.CALLS_IN_ORDER: calls_in_order,
    ContractKind.ONLY_CALL_SITE: only_call_site,
    ContractKind.CALLED_ONLY_IN: called_only_in,
    ContractKind.GUARDED_BY: guarded_by,
    ContractKind.READS: function_reads,
    ContractKind.WRITES: function_writes,
    ContractKind.READS_ONLY_IN: reads_only_in,
    ContractKind.WRITES_ONLY_IN: writes_only_in,
    ContractKind.SUBCLASS_OF: subclass_of,
    ContractKind.MRO_PROVIDES: mro_provides,
}


def check_contracts(index: Index, file: ContractFile) -> tuple[Outcome, ...]:
    """How the contracts of a file fare in an index, in the order of the file."""
    release = release_of(index.source)
    return tuple(_checked(index, release, file.name, contract) for contract in file.contracts)


def _checked(index: Index, release: Release | None, file: str, contract: Contract) -> Outcome:
    if release and not _speaks_of(contract, release.version):
        return Outcome(contract, Standing.SILENT, (), (), ())
    trial = Trial(index, release, contract, f"{file}/{contract.name}")
    _TRIES[contract.kind](trial)
    meant = tuple({one.id: one for one in trial.meant}.values())
    places = tuple(dict.fromkeys(trial.places))
    if trial.breaches:
        return Outcome(contract, Standing.BROKEN, _each_with_a_key(trial.breaches), places, meant)
    return Outcome(contract, Standing.SILENT if trial.absent and not places else Standing.HOLDS, (), places, meant)


def _speaks_of(contract: Contract, version: Version) -> bool:
    is_after = not contract.since or version >= Version(contract.since)
    return is_after and (not contract.until or version <= Version(contract.until))


def _each_with_a_key(breaches: list[Breach]) -> tuple[Breach, ...]:
    """The breaches in the order found; of those with one key the second and later are numbered."""
    seen: Counter[str] = Counter()
    keyed = []
    for one in breaches:
        seen[one.key] += 1
        keyed.append(replace(one, key=f"{one.key} #{seen[one.key]}") if seen[one.key] > 1 else one)
    return tuple(keyed)
