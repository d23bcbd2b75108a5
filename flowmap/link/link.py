"""Links the facts of all files into one program."""

from __future__ import annotations

from collections.abc import Iterable

from flowmap.link.classes import order_classes
from flowmap.link.names import NameTable
from flowmap.link.program import Program, lay_out
from flowmap.model.facts import FileFacts


def link(facts: Iterable[FileFacts]) -> Program:
    """The program that these files make together. Independent of the order in which they come."""
    layout = lay_out(facts)
    return Program(layout, order_classes(layout, NameTable(layout)))
