"""Statements and the ways between them → basic blocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from flowmap.model.control import BasicBlock, BlockRole, Branch, ControlFlow, Statement, Turn

SPECIAL = (BlockRole.ENTRY, BlockRole.EXIT, BlockRole.RAISED)  # by their numbers


def blocks_of(statements: Sequence[Statement], regions: Sequence[int], ways: Sequence[Branch]) -> ControlFlow:
    """The blocks: a statement goes on the block before it where nothing else leads to it, nothing else goes on from there, and
    the exceptions of both go to the same place. `regions` say that place, for each statement."""
    holding = _blocks(statements, regions, ways)
    branches = _between(ways, holding)
    reached = _reached(branches)
    parts: dict[int, list[Statement]] = {}
    for statement in statements:
        parts.setdefault(holding[statement.number], []).append(statement)
    special = [BasicBlock(number, role, (), number in reached) for number, role in enumerate(SPECIAL)]
    bodies = [BasicBlock(number, BlockRole.BODY, tuple(own), number in reached) for number, own in parts.items()]
    return ControlFlow((*special, *bodies), branches)


def _blocks(statements: Sequence[Statement], regions: Sequence[int], ways: Sequence[Branch]) -> Mapping[int, int]:
    """The block of each node, numbered in the order of the text."""
    arriving: dict[int, list[Branch]] = {}
    leading: dict[int, list[Branch]] = {}
    for way in ways:
        arriving.setdefault(way.end, []).append(way)
        if way.turn is not Turn.RAISES or way.label:
            leading.setdefault(way.start, []).append(way)
    region_of = {statement.number: region for statement, region in zip(statements, regions, strict=True)}
    holding = {number: number for number in range(len(SPECIAL))}
    n_blocks = len(SPECIAL)
    for statement in statements:
        number = statement.number
        match arriving.get(number, []):
            case [Branch(start=before, turn=Turn.NEXT, label="")] if (
                before in region_of and len(leading[before]) == 1 and region_of[before] == region_of[number]
            ):
                holding[number] = holding[before]
            case _:
                holding[number] = n_blocks
                n_blocks += 1
    return holding


def _between(ways: Sequence[Branch], holding: Mapping[int, int]) -> tuple[Branch, ...]:
    """The ways between blocks, each once, by where they start."""
    found = dict.fromkeys(
        Branch(holding[way.start], holding[way.end], way.turn, way.label) for way in ways if _is_kept(way, holding)
    )
    return tuple(sorted(found, key=lambda each: each.start))


def _is_kept(way: Branch, holding: Mapping[int, int]) -> bool:
    """Not the ways inside a block; a statement that leads back to itself is a loop."""
    return holding[way.start] != holding[way.end] or way.turn is Turn.AGAIN or way.start == way.end


def _reached(branches: Sequence[Branch]) -> set[int]:
    leading: dict[int, list[int]] = {}
    for branch in branches:
        leading.setdefault(branch.start, []).append(branch.end)
    seen, waiting = {0}, [0]
    while waiting:
        new = [end for end in leading.get(waiting.pop(), ()) if end not in seen]
        seen.update(new)
        waiting += new
    return seen
