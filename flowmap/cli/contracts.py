"""Contracts as commands need them: the files that are meant, those of them that are about a source, the baseline."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from flowmap.model.problem import ExitCode, FlowmapError, Problem

if TYPE_CHECKING:
    from flowmap.contracts.baseline import Baseline
    from flowmap.model.contract import ContractFile
    from flowmap.query.files import QueryFile
    from flowmap.reports.check import Checked
    from flowmap.store.index import Index

_FIX = "Write some in queries/contracts/NAME.toml beside flowmap.toml, or name a file."


@dataclass(frozen=True, slots=True)
class Wanted:
    """The files of contracts that are meant; `is_named`: the user named them."""

    files: tuple[ContractFile, ...]
    is_named: bool


def wanted_contracts(names: Sequence[str], config: Path | None) -> Wanted:
    """The files that are named, else all that have names.

    Errors: FlowmapError with all that is wrong with all of them.
    """
    from flowmap.query.files import CONTRACTS, file_on, files_on

    found = [file_on(CONTRACTS, name, config) for name in names] or files_on(CONTRACTS, config).values()
    return Wanted(read_all({file.path: file for file in found}.values()), bool(names))


def read_all(files: Iterable[QueryFile]) -> tuple[ContractFile, ...]:
    """The contracts of many files. Errors: FlowmapError with all that is wrong with all of them."""
    from flowmap.contracts.read import read_contracts

    read: list[ContractFile] = []
    problems: list[Problem] = []
    for file in files:
        try:
            read.append(read_contracts(file))
        except FlowmapError as error:
            problems += error.problems
    if problems:
        raise FlowmapError(*problems)
    return tuple(read)


def checked_against(index: Index, wanted: Wanted) -> tuple[Checked, ...]:
    """How the contracts fare that are about the source of an index.

    Errors: FlowmapError when there are none, or a named file is about another project.
    """
    from flowmap.contracts.check import check_contracts
    from flowmap.reports.check import Checked

    files = those_about(index, wanted)
    if not files:
        raise no_contracts(index.source, wanted)
    return tuple(Checked(file, check_contracts(index, file)) for file in files)


def no_contracts(source: str, wanted: Wanted) -> FlowmapError:
    """Says that there is nothing to be checked, which must not look as if all were well."""
    others = ", ".join(sorted({file.about for file in wanted.files}))
    what = f"none is about {source}; there are some about {others}" if others else "there are none"
    return FlowmapError(Problem("contracts", what, _FIX))


def those_about(index: Index, wanted: Wanted) -> tuple[ContractFile, ...]:
    """The files that are about the source of an index. Of a source whose project is not known, such as a folder, those that are
    about any, and those that are named.

    Errors: FlowmapError when a named file is about another project.
    """
    from flowmap.query.release import is_of_another, release_of

    release = release_of(index.source)
    elsewhere = [file for file in wanted.files if is_of_another(file.about, release)]
    if elsewhere and wanted.is_named:
        raise FlowmapError(*(_about_another(file, index.source) for file in elsewhere))
    is_asked = wanted.is_named or release is not None
    return tuple(file for file in wanted.files if file not in elsewhere and (is_asked or not file.about))


def _about_another(file: ContractFile, source: str) -> Problem:
    return Problem(
        file.shown, f"is about {file.about}, and this is {source}", f"--source pypi:{file.about}==VERSION checks that."
    )


def baseline_at(path: str | None) -> Baseline:
    """What a file accepts; nothing for no file. Errors: FlowmapError when it cannot be read."""
    from flowmap.contracts.baseline import Baseline, baseline_in

    if path is None:
        return Baseline()
    try:
        return baseline_in(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        fix = "It holds the key of a finding a line: make an empty file, and add keys with --accept KEY."
        raise FlowmapError(Problem(path, f"cannot be read: {reason}", fix)) from None


def accepted_too(baseline: Baseline, keys: Sequence[str], found: Sequence[str]) -> Baseline:
    """The baseline with some keys more. Errors: FlowmapError when nothing that was found has such a key."""
    from flowmap.contracts.baseline import accepting

    unknown = [key for key in keys if key not in found]
    if unknown:
        raise FlowmapError(*(_unknown_key(key, found) for key in unknown), code=ExitCode.USAGE)
    return accepting(baseline, keys) if keys else baseline


def _unknown_key(key: str, found: Sequence[str]) -> Problem:
    from difflib import get_close_matches

    near = get_close_matches(key, found, 1)
    known = "\n    ".join(("These have:", *found)) if found else "Nothing is broken."
    return Problem(f"--accept {key}", "no finding has this key", f"Did you mean `{near[0]}`?" if near else known)
