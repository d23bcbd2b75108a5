"""The solved program as the evaluator asks for it: by places in the text."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from flowmap.link.program import Classes
from flowmap.model.facts import Binding, Op, Row, ScopeKind, SiteShape
from flowmap.model.literals import Position
from flowmap.model.outline import Outline
from flowmap.solve.bounds import ANYTHING
from flowmap.solve.install import Frame
from flowmap.solve.state import Found, State
from flowmap.solve.values import Kind

READERS = (Op.ATTR, Op.METHOD)


class Outlined(Protocol):
    """The outlines of one file, which `extract` makes."""

    def module(self) -> Outline:
        """The outline of the module's own statements."""

    def at(self, line: int, col: int) -> Outline | None:
        """The outline of the scope that begins there."""


@dataclass(frozen=True, slots=True)
class Reached:
    """A site that runs a scope."""

    site: int
    scope: int  # where it stands
    at: Position
    shape: int
    found: Found


class World:
    """What the solver knows, by file and place. Scopes, sites and classes go by their program numbers."""

    def __init__(self, state: State, outlines: Callable[[str], Outlined]) -> None:
        self.state = state
        self.layout = state.layout
        self._outlines_of = outlines
        self._outlines: dict[int, Outlined] = {}
        self._sites: dict[int, dict[tuple[Position, int], int]] = {}
        self._rows: dict[int, dict[int, tuple[int, Row]]] = {}
        self._places: dict[int, tuple[Position, ...]] = {}

    # ---------------------------------------------------------------- places

    def outline(self, scope: int) -> Outline | None:
        """The outline of a scope."""
        file = self.layout.scope_file[scope]
        if file not in self._outlines:
            self._outlines[file] = self._outlines_of(self.layout.files[file].path)
        row = self.layout.scopes[scope]
        found = self._outlines[file]
        return found.module() if row.kind == ScopeKind.MODULE else found.at(row.line, row.col)

    def site(self, scope: int, at: Position, shape: int) -> int:
        """The site of a shape at a place of the file that a scope stands in, -1 where there is none."""
        file = self.layout.scope_file[scope]
        if file not in self._sites:
            rows = enumerate(self.layout.sites(file))
            self._sites[file] = {((row[1], row[3], row[4], row[5]), row[6]): index for index, row in rows}
        index = self._sites[file].get((at, shape), -1)
        return index if index < 0 else index + self.layout.site_base[file]

    def row(self, site: int) -> tuple[int, Row] | None:
        """The scope and the value-flow row of a site: the one that reads, calls or subscripts there."""
        file, index = self.layout.site_at(site)
        if file not in self._rows:
            self._rows[file] = self._rows_of(file)
        return self._rows[file].get(index)

    def _rows_of(self, file: int) -> dict[int, tuple[int, Row]]:
        found: dict[int, tuple[int, Row]] = {}
        base = self.layout.scope_base[file]
        for scope, rows in enumerate(self.layout.files[file].ops):
            for row in rows:
                if row[0] in SITE_AT:
                    found[row[SITE_AT[row[0]]]] = (scope + base, row)
        return found

    # ---------------------------------------------------------------- values

    def values(self, scope: int, node: int) -> Iterator[int]:
        """The values at a node of a scope's file, in all activations of the scope."""
        number = node + self.layout.node_base[self.layout.scope_file[scope]]
        points = self.state.points
        places = dict.fromkeys((number, *(frame.place(number) for frame in self._frames.get(scope, ()))))
        yield from dict.fromkeys(value for place in places for value in points[place] or ())

    @cached_property
    def _frames(self) -> defaultdict[int, list[Frame]]:
        found: defaultdict[int, list[Frame]] = defaultdict(list)
        activations = self.state.activations
        for scope, frame in zip(activations.scopes, activations.frames, strict=True):
            found[scope].append(frame)
        return found

    def base_values(self, site: int) -> list[int]:
        """The values of what a site reads from, stores to, or subscripts."""
        found = self.row(site)
        if found is None:
            return []
        scope, row = found
        return list(self.values(scope, row[BASE_AT[row[0]]]))

    def receivers(self, site: int) -> tuple[list[int], list[int], bool]:
        """What a site reads from: classes of instances, classes themselves, and whether that is all.

        An object of which nothing at all is known says nothing beside those that are known: it may well be one of them.
        """
        kinds, payloads = self.state.values.kinds, self.state.values.payloads
        each = self.state.families.each
        values = list(dict.fromkeys(one for value in self.base_values(site) for one in each(value)))
        values = [value for value in values if (kinds[value], payloads[value]) != (Kind.THING, ANYTHING)]
        instances = [self.base_class(payloads[value]) for value in values if kinds[value] == Kind.INSTANCE]
        classes = [payloads[value] for value in values if kinds[value] == Kind.CLASS]
        return instances, classes, bool(values) and len(instances) + len(classes) == len(values)

    def base_class(self, cls: int) -> int:
        """The class itself, of a class or one of its variants."""
        return self.state.variants.base(cls)

    def targets(self, site: int) -> dict[int | str, Found]:
        """What a site runs."""
        return self.state.targets.get(site, {})

    # ---------------------------------------------------------------- inverse

    @cached_property
    def reached(self) -> dict[int, list[Reached]]:
        """For each scope the sites that run it. What only runs behind a border (sites beyond those of the text) has callers that
        are not known."""
        found: dict[int, list[Reached]] = {}
        for site, targets in sorted((site, what) for site, what in self.state.targets.items() if site < self.layout.n_sites):
            for what, how in targets.items():
                if isinstance(what, int):
                    file, index = self.layout.site_at(site)
                    row = self.layout.sites(file)[index]
                    at = (row[1], row[3], row[4], row[5])
                    scope = row[0] + self.layout.scope_base[file]
                    found.setdefault(what, []).append(Reached(site, scope, at, row[6], how))
        return found

    @cached_property
    def readers(self) -> dict[str, dict[int, None]]:
        """For each attribute the scopes that read it."""
        found: dict[str, dict[int, None]] = {}
        for scope, row in self._all_rows():
            if row[0] in READERS:
                found.setdefault(row[3], {})[scope] = None
        return found

    @cached_property
    def stores(self) -> dict[str, list[tuple[int, int]]]:
        """For each attribute the (scope, site) of what assigns it."""
        found: dict[str, list[tuple[int, int]]] = {}
        for scope, row in self._all_rows():
            if row[0] == Op.SETATTR:
                base = self.layout.site_base[self.layout.scope_file[scope]]
                found.setdefault(row[2], []).append((scope, row[4] + base))
        return found

    def _all_rows(self) -> Iterator[tuple[int, Row]]:
        for file, facts in enumerate(self.layout.files):
            base = self.layout.scope_base[file]
            for scope, rows in enumerate(facts.ops):
                for row in rows:
                    yield scope + base, row

    def place(self, site: int) -> Position:
        """Where a site stands."""
        file, index = self.layout.site_at(site)
        if file not in self._places:
            self._places[file] = tuple((row[1], row[3], row[4], row[5]) for row in self.layout.sites(file))
        return self._places[file][index]

    def is_direct(self, reached: Reached) -> bool:
        """Whether a site calls what stands there, and not what that hands its arguments on to."""
        found = self.row(reached.site)
        if found is None:
            return False
        scope, row = found
        node = row[2] + self.layout.node_base[self.layout.scope_file[scope]]
        origin: int = self.state.origin(reached.found.node)[0]
        return bool(origin == node)

    def is_plain_call(self, reached: Reached) -> bool:
        """Whether a site calls a function or a bound method, so that it gives what that returns; a class gives an instance."""
        kind: int = self.state.values.kinds[reached.found.value]
        return kind in (Kind.FUNCTION, Kind.BOUND)

    def is_property(self, cls: int, name: str) -> bool:
        """Whether a class gives a name as a function, which an attribute read runs or binds."""
        found = self.program_classes.provides[cls].get(name)
        return found is not None and any(
            kind == Binding.DEFINITION for kind, *_ in self.layout.scopes[found].bindings.get(name, ())
        )

    @property
    def program_classes(self) -> Classes:
        """The classes of the program, their variants included."""
        return self.state.variants.classes

    def is_bound(self, cls: int, name: str) -> bool:
        """Whether the body of a class gives a name a value."""
        return name in self.layout.scopes[cls].bindings

    def declaring(self, cls: int, name: str) -> int:
        """The class of the order that declares a field; the class itself where none does."""
        inside = (one for one in self.program_classes.order[cls] if isinstance(one, int))
        return next((one for one in inside if name in self.layout.scopes[one].declared), cls)

    def classes_named(self, name: str) -> Sequence[int]:
        """The classes whose symbol ends in a dotted name."""
        return [number for number in self._classes if ends_in(self.layout.symbol(number), name)]

    @cached_property
    def _classes(self) -> list[int]:
        return [number for number, row in enumerate(self.layout.scopes) if row.kind == ScopeKind.CLASS]


SITE_AT = {Op.ATTR: 4, Op.METHOD: 4, Op.SETATTR: 4, Op.CALL: 5, Op.GETITEM: 5}
BASE_AT = {Op.ATTR: 2, Op.METHOD: 2, Op.SETATTR: 1, Op.CALL: 2, Op.GETITEM: 2}
READ, WRITE, CALL, ITEM = SiteShape.READ, SiteShape.WRITE, SiteShape.CALL, SiteShape.ITEM


def ends_in(symbol: str, name: str) -> bool:
    """Whether a dotted name is the end of a symbol."""
    return symbol == name or symbol.endswith(f".{name}")
