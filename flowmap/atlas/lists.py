"""The pages that list the others: functions and classes by module, fields by class, queries, files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from flowmap.atlas.names import CLASSES, DRIFT, EMITTED, FIELDS, FUNCTIONS, QUERIES, SOURCE, PageNames
from flowmap.atlas.page import AtlasPage, Section
from flowmap.atlas.slice import Slice
from flowmap.model.annotated import MarkKind
from flowmap.model.program import Definition
from flowmap.model.view import Block, Line, Paragraph, Role, Span, Table, Tree, TreeNode, View
from flowmap.reports.phrases import GAP, count, note, short_name
from flowmap.store.index import Index

LISTS = (FUNCTIONS, CLASSES, FIELDS, QUERIES, EMITTED, SOURCE)  # in the order of the menu; each is the page `index` of its folder


def list_pages(index: Index, slice_: Slice, names: PageNames) -> Iterator[AtlasPage]:
    """All lists that are not empty."""
    functions = _by_module(slice_.functions, names.functions)
    classes = _by_module(slice_.classes, names.classes)
    yield _page(FUNCTIONS, "Functions", count(len(slice_.functions), "function"), functions)
    yield _page(CLASSES, "Classes", count(len(slice_.classes), "class", "classes"), classes)
    if slice_.watch.fields:
        yield _page(FIELDS, "Fields", count(len(slice_.watch.fields), "watched field"), _all(_fields(slice_, names)))
    if slice_.queries:
        yield _page(QUERIES, "Queries", count(len(slice_.queries), "question"), _all(_queries(slice_, names)))
    if slice_.emissions:
        yield _page(EMITTED, "Emitted packages", count(len(slice_.emissions), "package"), _all(_emitted(slice_, names)))
    if slice_.histories:
        sections = tuple(Section(one.title[0].text, tuple(map(_elsewhere, one.blocks))) for one in slice_.histories)
        yield _page(DRIFT, "From release to release", _spans(slice_.histories), sections)
    yield _page(SOURCE, "Source", count(len(slice_.files), "annotated file"), _all(_files(index, slice_, names)))


def _spans(histories: Sequence[View]) -> str:
    """Through which releases what is followed, and what is to be said of that."""
    said = ("".join(span.text for span in one.title[1:]).strip() for one in histories)
    return "; ".join(dict.fromkeys((*said, *(remark for one in histories for remark in one.notes))))


def _elsewhere(block: Block) -> Block:
    """The same without links: the lines of other releases are not those of this source."""
    if not isinstance(block, Table):
        return block
    rows = tuple(tuple(tuple(span._replace(place=None) for span in line) for line in row) for row in block.rows)
    return block._replace(rows=rows)


def _all(table: Table) -> tuple[Section, ...]:
    return (Section("All", (table,)),)


def _page(folder: str, title: str, counted: str, sections: Sequence[Section]) -> AtlasPage:
    return AtlasPage(f"{folder}/index", title, (Paragraph((note(counted),)),), tuple(sections))


def _by_module(definitions: Iterable[Definition], pages: Mapping[str, str]) -> tuple[Section, ...]:
    modules: dict[str, list[Definition]] = {}
    for one in definitions:
        modules.setdefault(one.module, []).append(one)
    return tuple(Section(module, (Tree(tuple(_row(one, pages) for one in modules[module])),)) for module in sorted(modules))


def _row(one: Definition, pages: Mapping[str, str]) -> TreeNode:
    doc: Line = (GAP, note(one.doc)) if one.doc else ()
    return TreeNode((Span(short_name(one), Role.SYMBOL, one.place, pages[one.symbol]), *doc))


def _fields(slice_: Slice, names: PageNames) -> Table:
    lines = (line for marks in slice_.watch.marks.values() for line in marks.values())
    counted = Counter((mark.field, mark.kind) for line in lines for mark in line)
    rows = tuple(
        (
            (Span(field.name, Role.CODE, page=names.fields[field.name]),),
            *((note(str(counted[field.name, kind] or "")),) for kind in MarkKind),
        )
        for field in slice_.watch.fields
    )
    return Table(("Field", *(kind.value for kind in MarkKind)), rows)


def _queries(slice_: Slice, names: PageNames) -> Table:
    rows = tuple(
        ((Span(query.name, Role.CODE, page=names.queries[query.name]),), (Span(query.question),), (note(str(len(answer.hits))),))
        for query, answer in zip(slice_.queries, slice_.answers, strict=True)
    )
    return Table(("Query", "Question", "Answers"), rows)


def _emitted(slice_: Slice, names: PageNames) -> Table:
    rows = tuple(
        (
            (Span(made.recipe.name, Role.CODE, page=names.emitted[made.recipe.name]),),
            (Span(made.recipe.what),),
            (note(str(len(made.binding.bound))),),
        )
        for made in slice_.emissions
    )
    return Table(("Package", "What it does", "Bound to"), rows)


def _files(index: Index, slice_: Slice, names: PageNames) -> Table:
    rows = tuple(
        (
            (Span(path, Role.PLACE, page=names.files[path]),),
            (note(f"{len(index.text_lines(path)):,}"),),
            (note(str(sum(map(len, slice_.watch.marks.get(path, {}).values())) or "")),),
        )
        for path in slice_.files
    )
    return Table(("File", "Lines", "Marks"), rows)
