"""`flowmap module`: the dossier of one file. What it imports and who imports it, its classes and functions, its tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from flowmap.model.place import Place
from flowmap.model.program import Definition, DefinitionKind, Import, TableRow
from flowmap.model.view import Block, Line, Paragraph, Role, Span, Tree, TreeNode, View
from flowmap.reports.heads import inherited_call, signature_span
from flowmap.reports.phrases import GAP, Detail, blank, count, heading, note, part_note, place_span, short_name, symbol_span
from flowmap.reports.records import FunctionRecord, function_record
from flowmap.reports.refused import refusal_lines, refusal_texts
from flowmap.reports.subjects import find_file, parsed
from flowmap.store.classes import hosts, orders, part_of
from flowmap.store.index import Index
from flowmap.store.modules import definitions_in, entry_reasons, imports_from, imports_of, table_rows

_N_IMPORTERS = 12
_N_SUBCLASSES = 6


@dataclass(frozen=True, slots=True)
class ImportRecord:
    """An import. `name` is "" for the module itself, `target` the file it leads to, "" outside the index."""

    file: str
    line: int
    module: str
    name: str
    alias: str
    target: str


@dataclass(frozen=True, slots=True)
class ClassRecord:
    """A class of the file, its whole order, the classes in whose order it stands, and why Python would refuse it, if it would."""

    definition: FunctionRecord
    order: tuple[str, ...]
    subclasses: tuple[str, ...]
    refused: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TableRowRecord:
    """A row of a table from a key to classes or functions."""

    table: str
    key: str
    line: int
    targets: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ModuleRecord:
    """A file's dossier."""

    file: str
    module: str
    n_lines: int
    classes: tuple[ClassRecord, ...]
    definitions: tuple[FunctionRecord, ...]
    imports: tuple[ImportRecord, ...]
    imported_by: tuple[ImportRecord, ...]
    tables: tuple[TableRowRecord, ...]


def module(index: Index, name: str, detail: Detail) -> View:
    """The dossier of a file, named by the end of its path or of its module's name.

    Errors: FlowmapError when no file or several bear the name, or the file gave no facts.
    """
    entry = parsed(find_file(index, name))
    found = [each for each in definitions_in(index, entry.path) if each.kind is not DefinitionKind.LAMBDA]
    own, incoming, tables = imports_of(index, entry.path), imports_from(index, entry.path), table_rows(index, entry.path)
    classes = tuple(_class(index, each) for each in found if each.kind is DefinitionKind.CLASS)
    head = (Span(entry.path, Role.HEADING), GAP, note(f"{entry.module}, {count(entry.n_lines, 'line')}"))
    blocks = [
        *(Paragraph((note(each.doc),)) for each in found if each.kind is DefinitionKind.MODULE and each.doc),
        *_definitions(index, found, detail),
        *_tables(index, entry.path, tables),
        *_imports(own),
        *_importers(index, incoming, detail),
    ]
    record = ModuleRecord(
        file=entry.path,
        module=entry.module,
        n_lines=entry.n_lines,
        classes=classes,
        definitions=tuple(map(function_record, found)),
        imports=tuple(map(_import_record, own)),
        imported_by=tuple(map(_import_record, incoming)),
        tables=tuple(
            TableRowRecord(row.table, row.key, row.place.line, tuple(each.symbol for each in row.targets)) for row in tables
        ),
    )
    return View(head, tuple(blocks), record, index.source)


def _class(index: Index, one: Definition) -> ClassRecord:
    order = orders(index, [one]).get(one.id, ())
    return ClassRecord(
        function_record(one),
        tuple(each.symbol for each in order),
        tuple(each.symbol for each in hosts(index, one)),
        refusal_texts(refusal_lines(index, order)),
    )


def _definitions(index: Index, found: Sequence[Definition], detail: Detail) -> Iterator[Block]:
    owned: dict[str, list[Definition]] = {}
    for each in found:
        owned.setdefault(each.owner, []).append(each)
    entries = entry_reasons(index, found)
    top = [each for root in found if root.kind is DefinitionKind.MODULE for each in owned.get(root.symbol, ())]
    for title, kinds in (("Classes", (DefinitionKind.CLASS,)), ("Functions", (DefinitionKind.FUNCTION,))):
        chosen = [each for each in top if each.kind in kinds]
        if chosen:
            yield blank()
            yield heading(title, str(len(chosen)))
            yield Tree(tuple(_definition(index, each, owned, (entries, detail)) for each in chosen))


def _definition(
    index: Index, one: Definition, owned: dict[str, list[Definition]], told: tuple[dict[int, tuple[str, ...]], Detail]
) -> TreeNode:
    entries, detail = told
    name: Line = (Span(one.name, Role.SYMBOL, one.place), signature_span(one))
    name = (*name, *((GAP, note(part_note(one))) if part_of(one) or one.kind is DefinitionKind.PROPERTY else ()))
    place: Line = (GAP, place_span(index, one.place)) if one.place else ()
    entry: Line = (GAP, note(f"▸ entry point: {'; '.join(entries[one.id])}")) if one.id in entries else ()
    inside = owned.get(one.symbol, ())
    if one.kind is not DefinitionKind.CLASS and detail is Detail.BRIEF:
        inside = [each for each in inside if _holds_a_class(each, owned)]
    children = tuple(_definition(index, each, owned, told) for each in inside)
    below = (*inherited_call(index, one), *_subclasses(index, one, detail), *_refusals(index, one))
    return TreeNode((*name, *place, *entry), children, below)


def _holds_a_class(one: Definition, owned: dict[str, list[Definition]]) -> bool:
    """Whether a definition is a class or has one inside: other nested functions are left out in brief."""
    return one.kind is DefinitionKind.CLASS or any(_holds_a_class(each, owned) for each in owned.get(one.symbol, ()))


def _refusals(index: Index, one: Definition) -> tuple[Line, ...]:
    return refusal_lines(index, orders(index, [one]).get(one.id, ())) if one.kind is DefinitionKind.CLASS else ()


def _subclasses(index: Index, one: Definition, detail: Detail) -> tuple[Line, ...]:
    found = hosts(index, one) if one.kind is DefinitionKind.CLASS else ()
    limit = len(found) if detail is Detail.FULL else _N_SUBCLASSES
    names = [short_name(each) for each in found[:limit]]
    rest = [f"{len(found) - limit} more"] if len(found) > limit else []
    return ((note(f"inherited by {', '.join([*names, *rest])}"),),) if found else ()


def _tables(index: Index, path: str, rows: Sequence[TableRow]) -> Iterator[Block]:
    if rows:
        yield blank()
        yield heading("Tables", count(len(rows), "row"))
        named = groupby(rows, key=lambda row: row.table)
        text = index.text_lines(path)
        yield Tree(tuple(_table(index, name, list(together), text) for name, together in named))


def _table(index: Index, name: str, rows: Sequence[TableRow], text: Sequence[str]) -> TreeNode:
    first = rows[0].place
    opens = (
        next((line for line in range(first.line, 0, -1) if name in text[line - 1 : line][0]), first.line) if text else first.line
    )
    place = place_span(index, Place(first.file, opens))
    return TreeNode((Span(name, Role.SYMBOL), GAP, place), tuple(_table_row(index, row) for row in rows))


def _table_row(index: Index, row: TableRow) -> TreeNode:
    targets: list[Span] = []
    for each in row.targets:
        defined: Line = (note(" defined at "), place_span(index, each.place)) if each.place else ()
        targets += [note(" or ") if targets else note(" → "), symbol_span(each), *defined]
    return TreeNode((place_span(index, row.place), GAP, Span(row.key, Role.CODE), *targets))


def _imports(own: Sequence[Import]) -> Iterator[Block]:
    by_module: dict[str, list[Import]] = {}
    for each in own:
        by_module.setdefault(each.module, []).append(each)
    inside = [name for name, found in by_module.items() if any(each.target for each in found)]
    outside = sorted({name.split(".", 1)[0] for name in by_module if name not in inside})
    if own:
        yield blank()
        yield heading("Imports", count(len(by_module), "module"))
        yield Tree(tuple(_module_imported(name, by_module[name]) for name in inside))
    if outside:
        yield Paragraph((note(f"and from outside the index: {', '.join(outside)}"),))


def _module_imported(name: str, found: Iterable[Import]) -> TreeNode:
    names = [each.name + (f" as {each.alias}" if each.alias and each.alias != each.name else "") for each in found if each.name]
    return TreeNode((Span(name, Role.SYMBOL), GAP, note(", ".join(names))))


def _importers(index: Index, incoming: Sequence[Import], detail: Detail) -> Iterator[Block]:
    by_file: dict[str, list[Import]] = {}
    for each in incoming:
        by_file.setdefault(each.place.file, []).append(each)
    yield blank()
    yield heading("Imported by", count(len(by_file), "file"))
    limit = len(by_file) if detail is Detail.FULL else _N_IMPORTERS
    nodes = [TreeNode((place_span(index, found[0].place), GAP, note(_names(found)))) for found in list(by_file.values())[:limit]]
    if len(by_file) > limit:
        nodes.append(TreeNode((note(f"+ {len(by_file) - limit} more, all with -v"),)))
    yield Tree(tuple(nodes))


def _names(found: Sequence[Import]) -> str:
    return ", ".join(dict.fromkeys(each.name or each.module for each in found))


def _import_record(each: Import) -> ImportRecord:
    return ImportRecord(each.place.file, each.place.line, each.module, each.name, each.alias, each.target)
