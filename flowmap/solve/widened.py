"""Where flow was let go because more came together than is followed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from flowmap.model.program import StepKind
from flowmap.solve.makers import Makers
from flowmap.solve.state import State
from flowmap.solve.steps import Steps

WidenedRow = tuple[int | None, int, int, int, str]  # id of the site or None, file, line, step, name


class Widened:
    """The nodes and calls beyond a bound, as rows."""

    def __init__(self, state: State, makers: Makers, steps: Steps) -> None:
        self.state = state
        self.makers = makers
        self.steps = steps

    def rows(self, ids: Mapping[int, int]) -> list[WidenedRow]:
        """The rows of all nodes, then those of the calls that read such a node or exceed a bound themselves. `ids`: by site."""
        by_place = dict.fromkeys(self.row(None, node) for node in sorted(self.state.widened))
        nodes = sorted(by_place, key=lambda row: row[1:])
        return [*nodes, *sorted(dict.fromkeys(self.site_rows(ids)), key=lambda row: (row[0] or 0, row[1:]))]

    def row(self, site: int | None, node: int) -> WidenedRow:
        """One row."""
        step = self.steps.of(node)
        return (site, step.file, step.line, int(step.kind), step.name)

    def site_rows(self, ids: Mapping[int, int]) -> Iterator[WidenedRow]:
        """The calls that are concerned."""
        for site in sorted(self.state.widened_sites):
            callee = self.makers.callee(site) if site in ids else None  # what a call hands over has no site in the text
            if callee is not None:
                step = self.steps.of(callee)
                yield (ids[site], step.file, step.line, int(StepKind.LET_GO), step.name)
        origins: dict[int, int] = {}
        for node in sorted(self.state.widened):
            origins.setdefault(self.state.origin(node)[0], node)
        for file in sorted({self.makers.place(node)[0] for node in origins}):
            for site in self.makers.calling(file):
                if site in ids:
                    yield from self.reading(site, ids[site], origins)

    def reading(self, site: int, number: int, origins: Mapping[int, int]) -> Iterator[WidenedRow]:
        """The rows of a call whose callee, or what that is read off, is beyond the bound."""
        callee = self.makers.callee(site)
        assert callee is not None, "a calling site has a callee"
        read = self.makers.read(callee)
        for node in (callee, *(() if read is None else (read[0],))):
            if node in origins:
                yield self.row(number, origins[node])
