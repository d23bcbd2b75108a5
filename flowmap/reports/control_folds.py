"""Which parts of a large function are drawn statement by statement, and which are folded into one node each.

A part is what stands below the head of a compound statement. Parts are opened from the outside in, those around the line that was
asked about first, as long as there is room.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from flowmap.model.control import BasicBlock, ControlFlow, Statement


@dataclass(frozen=True, slots=True)
class Part:
    """What is drawn as one node: a block, or all blocks below a head that is not opened. `head`: the number of that statement,
    0 for a block on its own."""

    head: int
    blocks: tuple[BasicBlock, ...]


def parts_of(flow: ControlFlow, line: int, n_parts: int, depth: int | None) -> tuple[Part, ...]:
    """The blocks with statements, in the order of the text, as at most `n_parts` parts where folding can do that; `depth` is how
    deep in compound statements is looked at most."""
    blocks = [each for each in flow.blocks if each.statements]
    ways = _ways(blocks)
    below = _below(ways.values())
    opened: set[int] = {0}
    n_now = below[0].n_parts if 0 in below else 0
    for head in _ranked(below, _around(blocks, line, ways)):
        following = n_now + below[head].n_parts - 1
        if below[head].parent in opened and following <= n_parts and (depth is None or below[head].level <= depth):
            opened.add(head)
            n_now = following
    return _parts(blocks, _folded(ways, opened))


def _ways(blocks: Sequence[BasicBlock]) -> dict[int, tuple[int, ...]]:
    """For each block the heads around it, outermost first. What stands below an `elif` stands below the `if`, too, so that a long
    chain can be opened test by test; an `else` at its end is taken to stand below the last `elif`."""
    others: dict[int, list[int]] = {}
    for statement in (one for block in blocks for one in block.statements if one.text.startswith("elif ")):
        others.setdefault(statement.inside[-1], []).append(statement.number)
    return {block.number: tuple(_way(block.statements[0], others)) for block in blocks}


def _way(first: Statement, others: Mapping[int, Sequence[int]]) -> Iterator[int]:
    for head, following in zip(first.inside, (*first.inside, first.number)[1:], strict=True):
        yield head
        chain = others.get(head, ())
        before = [each for each in chain if each < following]
        if before and following not in chain:
            yield before[-1]


@dataclass(slots=True)
class _Below:
    """What stands below a head: how many parts it has right below it; how deep it stands itself, and below which head."""

    level: int
    parent: int
    n_parts: int = 0


def _below(ways: Iterable[tuple[int, ...]]) -> dict[int, _Below]:
    """For each head; 0 is the whole."""
    found: dict[int, _Below] = {}
    for way in ways:
        whole = (0, *way)
        for level, head in enumerate(whole):
            if head not in found:
                found[head] = _Below(level, whole[level - 1] if level else -1)
                if level:
                    found[whole[level - 1]].n_parts += 1
        found[whole[-1]].n_parts += 1
    return found


def _around(blocks: Sequence[BasicBlock], line: int, ways: Mapping[int, tuple[int, ...]]) -> frozenset[int]:
    """The heads around a line."""
    here = [(block, one) for block in blocks for one in block.statements if one.start[0] <= line <= one.end[0]]
    return frozenset(number for block, one in here[-1:] for number in (*ways[block.number], *one.inside, one.number))


def _ranked(below: Mapping[int, _Below], around: frozenset[int]) -> list[int]:
    """The heads in the order in which they are opened: those around the line that was asked about, those right below them, then
    from the outside in."""
    ranks = {head: 0 if head in around else 1 if one.parent in around else 2 for head, one in below.items()}
    return sorted((head for head in below if head), key=lambda head: (ranks[head], below[head].level, head))


def _folded(ways: Mapping[int, tuple[int, ...]], opened: set[int]) -> dict[tuple[int, int], list[int]]:
    """For each part (its head, or 0 and the block) the numbers of its blocks."""
    found: dict[tuple[int, int], list[int]] = {}
    for number, way in ways.items():
        head = next((each for each in way if each not in opened), 0)
        found.setdefault((head, 0 if head else number), []).append(number)
    return found


def _parts(blocks: Sequence[BasicBlock], folded: Mapping[tuple[int, int], Sequence[int]]) -> tuple[Part, ...]:
    by_number = {each.number: each for each in blocks}
    return tuple(Part(head, tuple(by_number[number] for number in numbers)) for (head, _), numbers in folded.items())
