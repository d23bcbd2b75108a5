"""All accesses of fields of a solved program, in one pass over its rows.

What is no field of the indexed code stays out: names of modules, methods and properties, attributes of functions and
containers. A field whose receiver is unknown, or an object from outside, is kept without owners where some indexed class
has a field of that name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import groupby, islice
from typing import NamedTuple

from flowmap.flow.by_name import ANY_PART, METHODS, ByName, Method, Named
from flowmap.flow.constructors import Constructors
from flowmap.flow.field_owners import FieldOwners
from flowmap.flow.items import ANY_NUMBER, METHODS_OF_KEYED, ByItem, unpackings
from flowmap.flow.marks import AUGWRITE, BORN, DECLARED, DROPPED, LOADED, MUTATE, POSSIBLE, READ, UPDATED, WRITE
from flowmap.flow.receivers import Receiver, Receivers
from flowmap.flow.stages import Stages
from flowmap.model.facts import CASE, Op, Row, SiteShape
from flowmap.solve.state import PROVEN, Found, State

Cut = Callable[[str, tuple[int, int], tuple[int, int]], str]  # path, start, end → the text between
STORES = (Op.SETATTR, Op.CALL)
TOUCHES = frozenset((Op.ATTR, Op.METHOD, Op.SETATTR, Op.DELATTR, Op.CALL))
ITEMS = frozenset((Op.GETITEM, Op.SETITEM, Op.ELEMENT))
STAGES = {SiteShape.AUGWRITE: UPDATED, SiteShape.DECLARE: DECLARED}
N_OF_SETATTR = 3  # arguments
N_OF_A_PLACE = 4  # numbers


class FieldAccess(NamedTuple):
    """One access. `guards` are indexes into those of its file; `expr` is "" where it is `via`, a dot and the field.

    The field of an access by a computed name is a pattern: `*` stands for what is computed.
    """

    file: int
    line: int
    col: int
    end_line: int
    end_col: int
    field: str
    kind: int
    function: int
    stage: int
    confidence: int
    owners: tuple[int, ...]
    via: str
    expr: str
    guards: tuple[int, ...]  # those of the three kinds


def accesses(state: State, cut: Cut) -> Iterator[FieldAccess]:
    """Every access of a field, by file, line and column."""
    receivers = Receivers(state)
    owners = FieldOwners(state, receivers)
    names = ByName(state, receivers)
    find_outside_stores(state, owners, names)
    items = ByItem(state, receivers)
    parts = Parts(state, receivers, owners, names, items, Constructors(state), known_fields(state, owners))
    for file in range(len(state.layout.files)):
        found = FileAccesses(parts, file, cut).all()
        found.sort()
        yield from (one for one, _ in groupby(found))  # what an augmented assignment reads and writes was read twice


class Parts(NamedTuple):
    """What the accesses of all files are read with."""

    state: State
    receivers: Receivers
    owners: FieldOwners
    names: ByName
    items: ByItem
    constructors: Constructors
    fields: frozenset[str]  # names of all fields of the indexed code


def find_outside_stores(state: State, owners: FieldOwners, names: ByName) -> None:
    """Tells the owners of fields that no class declares or assigns: code outside does."""
    layout = state.layout
    for file, facts in enumerate(layout.files):
        base = layout.node_base[file]
        for scope, rows in enumerate(facts.ops, layout.scope_base[file]):
            for row in [row for row in rows if row[0] in STORES]:
                if row[0] == Op.SETATTR:
                    note_store(owners, names.receivers.at(scope, row[1] + base), row[2])
                elif len(row[3]) == N_OF_SETATTR:
                    for named in names.of_call(scope, row, base):
                        if named.kind == WRITE and ANY_PART not in named.field:
                            note_store(owners, named.receiver, named.field)


def note_store(owners: FieldOwners, receiver: Receiver, name: str) -> None:
    """A store on a receiver, none of whose classes has the field."""
    if receiver.classes and not owners.of(receiver, name):
        owners.store_outside(receiver.classes, name)


def known_fields(state: State, owners: FieldOwners) -> frozenset[str]:
    """The names of all fields of the indexed code."""
    classes = state.program.classes.order
    own = (name for cls in classes for name in (*state.layout.scopes[cls].assigned, *owners.body(cls)))
    return frozenset((*own, *owners.outside))


class Touched(NamedTuple):
    """A field that is touched, before its owners are known."""

    field: str
    kind: int
    stage: int
    receiver: Receiver


class FileAccesses:
    """The accesses of one file."""

    def __init__(self, parts: Parts, file: int, cut: Cut) -> None:
        layout = parts.state.layout
        self.parts = parts
        self.file = file
        self.facts = layout.files[file]
        self.cut = cut
        self.found: list[FieldAccess] = []
        self.scope = -1  # the scope that is read, its rows, and their stages once they are asked for
        self.rows: tuple[Row, ...] = ()
        self.known_stages: Stages | None = None
        self.asked: dict[int, Method] = {}  # by the node of what is called
        self.base = layout.node_base[file]
        self.first_scope = layout.scope_base[file]
        self.sites = layout.sites(file)
        self.places = self.facts.arguments
        self.first_place = self.places.first()
        self.literals = frozenset(row[1] for rows in islice(self.facts.ops, 1) for row in rows if row[0] == Op.LITERAL)

    def all(self) -> list[FieldAccess]:
        """All of them, in the order of scopes."""
        self.declarations()
        for scope, rows in enumerate(self.facts.ops, self.first_scope):
            self.of_scope(scope, rows)
        return self.found

    def declarations(self) -> None:
        """What class bodies declare or assign."""
        for site in self.sites:
            cls = site[0] + self.first_scope
            if site[6] == SiteShape.DECLARE and not site[7].startswith("__") and cls in self.parts.state.program.classes.order:
                touched = Touched(site[7], WRITE, DECLARED, Receiver((cls,), PROVEN, True))
                self.add(site, touched, (cls,), (self.parts.state.layout.scopes[cls].name, self.text_of(site)))

    def of_scope(self, scope: int, rows: tuple[Row, ...]) -> None:
        """What the rows of one scope access."""
        self.scope, self.rows, self.known_stages = scope, rows, None
        for row in [row for row in rows if row[0] in TOUCHES and row[-1] >= 0]:  # what has no site is no access of its own
            match row[0]:
                case Op.ATTR:
                    self.read(row)
                case Op.METHOD:
                    self.callable(row)
                case Op.SETATTR:
                    self.store(row)
                case Op.DELATTR:
                    self.attribute(row[1:], DROPPED)
                case _:
                    self.call(row)
        items = [row for row in rows if row[0] in ITEMS]
        if items:
            self.items(items)

    def stages(self) -> Stages:
        """The stages of the scope that is read, found when first asked for."""
        if self.known_stages is None:
            self.known_stages = Stages(self.parts.state, self.rows, self.base, (self.literals, self.facts.labels))
        return self.known_stages

    def read(self, row: Row) -> None:
        """`base.name`. Rows (op, dst, base, name, site)."""
        _, _, base, name, site = row
        receiver = self.parts.receivers.at(self.scope, base + self.base)
        owners = self.owners(receiver, name)
        if owners or self.may_be_field(receiver, name):
            if self.sites[site][6] == SiteShape.MUTATE:
                touched = Touched(name, MUTATE, UPDATED, receiver)
            else:
                touched = Touched(name, READ, self.stages().of_read(row), receiver)
            self.add(self.sites[site], touched, owners, self.texts(site, name))

    def callable(self, row: Row) -> None:
        """`base.name(...)`: a method, unless a class has such a field. Rows (op, dst, base, name, site)."""
        _, dst, base, name, site = row
        if name in METHODS or name in METHODS_OF_KEYED:
            self.asked[dst] = Method(base, name)
        receiver = self.parts.receivers.at(self.scope, base + self.base)
        owners = self.owners(receiver, name) if receiver.classes else ()
        if owners:
            self.add(self.sites[site], Touched(name, READ, LOADED, receiver), owners, self.texts(site, name))

    def store(self, row: Row) -> None:
        """`base.name = src`. Rows (op, base, name, src, site)."""
        _, base, name, src, site = row
        shape = self.sites[site][6]
        stage = STAGES[shape] if shape in STAGES else self.stages().of_write(src)
        if stage == DROPPED and self.parts.state.layout.scopes[self.scope].name == "__init__":
            stage = BORN  # there was nothing before
        self.attribute((base, name, site), stage)

    def attribute(self, row: Row, stage: int) -> None:
        """An attribute that is written or deleted. Rows (base, name, site)."""
        base, name, site = row
        receiver = self.parts.receivers.at(self.scope, base + self.base)
        owners = self.owners(receiver, name)
        if owners or self.may_be_field(receiver, name):
            kind = AUGWRITE if stage == UPDATED else WRITE
            self.add(self.sites[site], Touched(name, kind, stage, receiver), owners, self.texts(site, name))

    def owners(self, receiver: Receiver, name: str) -> tuple[int, ...]:
        """The owners of a field of a receiver."""
        owners = self.parts.owners
        return owners.of(receiver, name) or owners.stored_outside(receiver.classes, name)

    def may_be_field(self, receiver: Receiver, name: str) -> bool:
        """Whether a field without owners may be one of the indexed code by its name."""
        if not receiver.is_object or name not in self.parts.fields:
            return False
        return not any(self.parts.owners.defines(cls, name) for cls in receiver.classes)

    def texts(self, site: int, name: str) -> tuple[str, str]:
        """The expression that an attribute is read off; "" for the whole, which follows."""
        row = self.sites[site]
        text: str = row[8] or self.text_of(row)
        if text.startswith(CASE):
            return text, f"{name}={self.text_of(row)}"
        written: str = row[7]  # a private name without its class
        return text.removesuffix(written).rstrip().removesuffix("."), "" if written == name else text

    def call(self, row: Row) -> None:
        """What a call accesses: fields named by a string or a keyword, and arguments that become fields."""
        for named in self.named_by(row):
            touched = Touched(named.field, named.kind, named.stage, named.receiver)
            self.named(row[5], touched, named.keyword)
        made = self.parts.state.made.get(row[5] + self.parts.state.layout.site_base[self.file])
        if made and (row[3] or row[4]):
            self.constructed(row, made)

    def named_by(self, row: Row) -> Iterator[Named]:
        """The fields that a call names."""
        if row[3]:
            yield from self.parts.names.of_call(self.scope, row, self.base)
        method = self.asked.get(row[2])
        if method is not None:
            names = self.parts.names if method.name in METHODS else self.parts.items
            yield from names.of_method(self.scope, row, self.base, method)

    def items(self, rows: list[Row]) -> None:
        """What `x[key]`, unpacking and class patterns touch. Rows of `ITEMS`, in their order."""
        stored = {row[4] for row in rows if row[0] == Op.SETITEM}
        got = {row[5] for row in rows if row[0] == Op.GETITEM} & stored  # changed in place: read and written
        for row in rows:
            if row[0] == Op.SETITEM:
                self.item(row, row[4], AUGWRITE if row[4] in got else WRITE)
            elif row[0] == Op.GETITEM and row[5] >= 0 and row[5] not in got:
                self.item(row, row[5], READ)
        for site, parts in unpackings(rows):
            n_parts = ANY_NUMBER if any(isinstance(part[3], tuple) for part in parts) else len(parts)
            for part in parts:
                self.item(part, site, READ, n_parts)

    def item(self, row: Row, site: int, kind: int, n_parts: int = ANY_NUMBER) -> None:
        """An item that is read or stored at a site, with others where something is taken apart."""
        for item in self.parts.items.of_row((self.scope, self.base), row, n_parts):
            owners = self.owners(item.receiver, item.field)
            if owners:
                touched = Touched(item.field, kind, self.stage_of_item(row, kind), item.receiver)
                self.add(self.sites[site], touched, owners, self.texts_of_item(site, row))

    def stage_of_item(self, row: Row, kind: int) -> int:
        """The stage of an item that is read or stored."""
        if kind == READ:
            return self.stages().of_read((Op.ATTR, row[1], row[2], "", row[5]))
        return UPDATED if kind == AUGWRITE else self.stages().of_write(row[3])

    def texts_of_item(self, site: int, row: Row) -> tuple[str, str]:
        """What an item is read off, and the whole expression."""
        given: str = self.sites[site][8]
        text = self.text_of(self.sites[site])
        if given.startswith(CASE):
            return given, text
        if row[0] == Op.GETITEM and row[5] < 0:
            return self.facts.labels.get(row[2], ""), text
        return text.rpartition("[")[0], text

    def named(self, site: int, touched: Touched, keyword: int) -> None:
        """A field that a call names. A computed name may be that of any field of the receiver."""
        owners = touched.receiver.classes if ANY_PART in touched.field else self.owners(touched.receiver, touched.field)
        if owners or self.may_be_field(touched.receiver, touched.field):
            row = self.sites[site] if keyword < 0 else self.argument(site, keyword)
            self.add(row, touched, owners, (called(self.sites[site]), self.text_of(row)))

    def constructed(self, row: Row, made: dict[int, Found]) -> None:
        """The arguments of a constructor that become fields."""
        found: dict[tuple[int, str], tuple[list[int], int]] = {}
        for cls, how in made.items():
            for position, field in self.parts.constructors.arguments(cls, row, self.base):
                owners, stage = found.get((position, field), ([], PROVEN))
                found[position, field] = ([*owners, cls], max(stage, how.stage))
        nodes = (*row[3], *(node for _, node in row[4]))
        for (position, field), (classes, stage) in found.items():
            receiver = Receiver(tuple(sorted(classes)), stage, True)
            touched = Touched(field, WRITE, of_argument(self.stages().of_write(nodes[position])), receiver)
            place = self.argument(row[5], position)
            text = self.text_of(place)
            whole = text if position >= len(row[3]) or text.startswith("*") else f"{field}={text}"
            self.add(place, touched, self.owners(receiver, field), (called(self.sites[row[5]]), whole))

    def argument(self, site: int, position: int) -> Row:
        """The row of a call's site, moved to one of its arguments."""
        row = self.sites[site]
        start = self.first_place[site] + position * N_OF_A_PLACE
        line, col, end_line, end_col = self.places.numbers[start : start + N_OF_A_PLACE]
        return (row[0], line, line, col, end_line, end_col, *row[6:])

    def text_of(self, row: Row) -> str:
        """The text of a site or argument."""
        return self.cut(self.facts.path, (row[1], row[3]), (row[4], row[5]))

    def add(self, site: Row, touched: Touched, owners: tuple[int, ...], texts: tuple[str, str]) -> None:
        """One access at a site."""
        scope, line, _, col, end_line, end_col, _, _, _, *guards = site
        confidence = touched.receiver.stage if owners and ANY_PART not in touched.field else POSSIBLE
        self.found.append(
            FieldAccess(
                self.file,
                line,
                col,
                end_line,
                end_col,
                touched.field,
                touched.kind,
                scope + self.first_scope,
                touched.stage,
                confidence,
                owners,
                *texts,
                tuple(guards),
            )
        )


def called(site: Row) -> str:
    """What a call calls, without its arguments."""
    text: str = site[8]
    head, depth = text.partition("(")[0], 0
    if site[7] and head.endswith(site[7]):
        return head
    for position in range(len(text) - 1, -1, -1):
        depth += (text[position] in ")]}") - (text[position] in "([{")
        if depth == 0:
            return text[:position]
    return text


def of_argument(stage: int) -> int:
    """The stage of a constructor's argument: nothing was there before."""
    return BORN if stage == DROPPED else stage
