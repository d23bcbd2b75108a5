"""What a change does to fields that are watched."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from flowmap.model.change import Diff
from flowmap.model.contract import ContractFile
from flowmap.model.hooks import HookQuestion
from flowmap.model.query import Anchors, Query
from flowmap.model.review import Watched


def watched_by(
    named: Iterable[str], queries: Iterable[Query], files: Iterable[ContractFile], questions: Iterable[HookQuestion]
) -> dict[str, str]:
    """Every field that is watched, each with who watches it first: the user, a query, a contract, a question about hooks."""
    found = dict.fromkeys(named, "--watch")
    for query in queries:
        _add(
            found, f"query {query.name}", (anchors for find in query.finds for anchors in (find.fields, find.only.with_value_of))
        )
    for file in files:
        for contract in file.contracts:
            _add(found, f"{file.name}/{contract.name}", (contract.fields,))
    for question in questions:
        fields = (question.constants, question.results, *(signal.fields for signal in question.signals))
        _add(found, f"hooks {question.name}", fields)
    return found


def watched(told: Diff, fields: Mapping[str, str]) -> tuple[Watched, ...]:
    """The fields of which something is told, each with what that is."""
    found = (_watched(told, name, why) for name, why in fields.items())
    return tuple(one for one in found if one.renamed or one.fields or one.accesses or one.guards)


def _add(found: dict[str, str], why: str, anchors: Iterable[Anchors]) -> None:
    for each in anchors:
        for name in (name.text for anchor in each for name in anchor.names):
            found.setdefault(name, why)


def _watched(told: Diff, named: str, why: str) -> Watched:
    owner, _, field = named.rpartition(".")
    renamed = tuple(one for one in told.renamed if owner and f".{one.before}".endswith(f".{named}"))
    called = {field, *(one.after.rpartition(".")[2] for one in renamed)}
    accesses = tuple(one for one in told.accesses if one.field in called and _is_of(owner, one.owners))
    functions = {one.function for one in accesses}
    return Watched(
        field=named,
        why=why,
        renamed=renamed,
        fields=tuple(one for one in told.fields if one.field == field and _is_of(owner, (one.owner,))),
        accesses=accesses,
        guards=tuple(
            one
            for one in told.guards
            if any(access.rpartition(" ")[2] in called for access in one.accesses) and one.function not in functions
        ),
    )


def _is_of(wanted: str, owners: Iterable[str]) -> bool:
    """Whether a class is among the owners; any is where none is wanted, or none is known."""
    known = list(owners)
    return not wanted or not known or any(f".{owner}".endswith(f".{wanted}") for owner in known)
