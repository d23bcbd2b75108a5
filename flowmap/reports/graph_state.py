"""The graph of a field's state: the functions that make, store, rename and read its value, each with the lines where it does, and
the fields between them. What leads to the next iteration of a loop, to a later call or into another process is a line of its own.
"""

from __future__ import annotations

from flowmap.follow.search import Following
from flowmap.follow.slices import slice_of
from flowmap.follow.world import World
from flowmap.model.flow import What
from flowmap.model.graph import Graph
from flowmap.reports.fields import accesses_asked, asked_field
from flowmap.reports.flow_subjects import value
from flowmap.reports.graph_parts import GraphQuestion, Wing
from flowmap.reports.state_drawing import COMMANDS, StateDrawing
from flowmap.store.index import Index

_DEPTH = 7  # steps away
_MOST_STEPS = 3_000  # of each search
_MOST_MEMBERS = 400
_WINGS = {Following.ORIGIN: (Wing.UP, Wing.BOTH), Following.VALUE: (Wing.DOWN, Wing.BOTH)}


def state_graph(index: Index, question: GraphQuestion) -> Graph:
    """Who touches a field (`FIELD` or `CLASS.FIELD`), where its values come from (wing up), and where they go (down), up to
    `question.depth` steps away.

    Errors: FlowmapError when the field or class is unknown, or the class does not have the field.
    """
    asked = asked_field(index, question.name, None)
    accesses = accesses_asked(index, [asked], question.confidence)
    drawing = StateDrawing(World(index), question)
    for access in accesses:
        drawing.access(access)
    drawing.iterations(accesses)
    wings = [each for each, wings in _WINGS.items() if question.wing in wings]
    named = value(drawing.world, question.name.strip())
    slices = {each: slice_of(drawing.world, named, each, _MOST_MEMBERS, _MOST_STEPS) for each in wings}
    members = [(member, following) for following, found in slices.items() for member in found.members]
    drawing.learn(member.step.detail for member, _ in members if member.step.what in (What.STORED, What.LOADED))
    depth = question.depth or _DEPTH
    for member, following in sorted(members, key=lambda each: each[0].distance):
        if member.distance <= depth and member.step.what is not What.CARRIED:
            drawing.member(member, following)
    notes = [
        f"there is more than is drawn: flowmap {COMMANDS[following]} {question.name.strip()}"
        for following, found in slices.items()
        if found.is_bounded or any(member.distance > depth for member in found.members)
    ]
    return drawing.graph(f"state of {question.name.strip()}", notes)
