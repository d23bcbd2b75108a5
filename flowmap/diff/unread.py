"""The files of which one of two states tells nothing: without a word their definitions would look as if they came or went."""

from __future__ import annotations

from flowmap.store.index import Index


def unread_files(before: Index, after: Index) -> tuple[str, ...]:
    """What is wrong with each file that does not parse, in a sentence; not of those in which the same is wrong in both states."""
    old, new = (frozenset((one.path, one.problem) for one in index.files.values() if one.problem) for index in (before, after))
    told = [(*one, before.source) for one in old - new] + [(*one, after.source) for one in new - old]
    return tuple(
        f"{path} of {source} does not parse, and nothing of it counts: {problem}" for path, problem, source in sorted(told)
    )
