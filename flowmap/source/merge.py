"""Several sources as one."""

from __future__ import annotations

from flowmap.model.problem import Problem
from flowmap.model.source import OpenedSource, SourceFile
from flowmap.source.identity import digest_of_texts

_N_NAMED = 3  # colliding paths that a message spells out


def merge_sources(opened: tuple[OpenedSource, ...]) -> OpenedSource:
    """One source that holds the files of all, so that calls cross between them. Of files at the same path the first stays.

    Errors: ValueError when there is no source.
    """
    if len(opened) == 1:
        return opened[0]
    if not opened:
        raise ValueError("there must be a source to merge")
    files: dict[str, SourceFile] = {}
    problems = [problem for source in opened for problem in source.problems]
    for source in opened:
        twice = [file.path for file in source.files if file.path in files and files[file.path].digest != file.digest]
        problems += _collisions(source.label, twice)
        files = {file.path: file for file in source.files} | files
    return OpenedSource(
        " + ".join(source.label for source in opened),
        "merged:" + digest_of_texts(source.identity for source in opened),
        tuple(files[path] for path in sorted(files)),
        tuple(sorted({entry for source in opened for entry in source.entry_points})),
        tuple(dict.fromkeys(problems)),
    )


def _collisions(label: str, paths: list[str]) -> list[Problem]:
    if not paths:
        return []
    named = ", ".join(paths[:_N_NAMED]) + (", …" if len(paths) > _N_NAMED else "")
    what = f"{len(paths)} of its files stand in an earlier source too, which is the one that is read: {named}"
    return [Problem(label, what, "Name only one of them, or leave files out with --exclude.")]
