"""The graph of modules: what a file imports and who imports it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from flowmap.model.graph import CutKind, EdgeKind, Graph, GraphCluster, GraphEdge, GraphKind, GraphNode, NodeRole
from flowmap.model.place import Place
from flowmap.model.program import Confidence, DefinitionKind, FileEntry, Import
from flowmap.reports.graph_parts import GraphQuestion, Wing, at, cut_of, stable_id, whole_graph
from flowmap.reports.phrases import count
from flowmap.reports.subjects import find_file, parsed
from flowmap.store.index import Index
from flowmap.store.modules import imports_from, imports_of

_Missing = dict[int, list[str]]
_Imports = dict[tuple[str, str], list[Import]]  # by the files from and to which they lead


def module_graph(index: Index, question: GraphQuestion) -> Graph:
    """The modules that a file imports and those that import it, one step away where nothing else is asked.

    Errors: FlowmapError when no file or several bear the name, or the file gave no facts.
    """
    entry = parsed(find_file(index, question.name))
    levels, near = _levels(index, entry.path, question)
    edges = [_edge(index, ends, found) for ends, found in _drawn(index, levels).items()]
    nodes = [_node(index, path, level, _missing(index, path, levels, near)) for path, level in levels.items()]
    left_out = {each for found in near.values() for each in found} - levels.keys()
    graph = whole_graph(GraphKind.MODULES, f"imports around {entry.module}", nodes, edges, len(left_out))
    packages = sorted({_package(_entry(index, path)) for path in levels} - {""})
    clusters = tuple(GraphCluster(stable_id("c", name), name) for name in packages)
    return Graph(graph.kind, graph.title, graph.nodes, graph.edges, clusters, graph.n_left_out, graph.notes)


def _levels(index: Index, path: str, question: GraphQuestion) -> tuple[dict[str, int], dict[tuple[int, str], tuple[str, ...]]]:
    """How far away each file is that is drawn, importers below 0; and what is next to each file, by wing."""
    signs = {Wing.UP: (-1,), Wing.DOWN: (1,), Wing.BOTH: (-1, 1)}[question.wing]
    found, near = {path: 0}, dict[tuple[int, str], tuple[str, ...]]()
    for number, sign in enumerate(signs, start=1):
        room = len(found) + (question.n_nodes - len(found)) // (len(signs) - number + 1)
        border, level = [path], 0
        while border and level < (question.depth or 1):
            level += 1
            for each in border:
                near[sign, each] = _next(index, each, sign)
            met = dict.fromkeys(other for each in border for other in near[sign, each] if other not in found)
            border = list(met)[: max(room - len(found), 0)]
            found.update(dict.fromkeys(border, sign * level))
    return found, near


def _next(index: Index, path: str, sign: int) -> tuple[str, ...]:
    imports = imports_of(index, path) if sign > 0 else imports_from(index, path)
    files = (each.target if sign > 0 else each.place.file for each in imports)
    return tuple(dict.fromkeys(each for each in files if each and each != path))


def _missing(index: Index, path: str, levels: Mapping[str, int], near: Mapping[tuple[int, str], Sequence[str]]) -> _Missing:
    """The modules next to one that are not drawn, by wing."""
    signs = [sign for sign in (-1, 1) if levels[path] * sign >= 0]
    return {sign: [_entry(index, each).module for each in near.get((sign, path), ()) if each not in levels] for sign in signs}


def _drawn(index: Index, levels: Mapping[str, int]) -> _Imports:
    found: _Imports = {}
    for path in sorted(levels):
        for each in imports_of(index, path):
            if each.target in levels and each.target != path:
                found.setdefault((path, each.target), []).append(each)
    return found


def _node(index: Index, path: str, level: int, missing: Mapping[int, Sequence[str]]) -> GraphNode:
    entry = _entry(index, path)
    package = _package(entry)
    command = f"flowmap module {entry.module}"
    return GraphNode(
        id=stable_id("n", entry.module),
        symbol=entry.module,
        label=entry.module.removeprefix(f"{package}.") or entry.module,
        kind=DefinitionKind.MODULE,
        role=NodeRole.OTHER if level else NodeRole.SUBJECT,
        place=Place(path, 1),
        at=index.short_paths[path],
        cluster=stable_id("c", package) if package else "",
        level=level,
        cuts=(
            *cut_of(CutKind.IMPORTERS, len(missing.get(-1, ())), command, missing.get(-1, ())),
            *cut_of(CutKind.IMPORTED, len(missing.get(1, ())), command, missing.get(1, ())),
        ),
    )


def _edge(index: Index, ends: tuple[str, str], found: Sequence[Import]) -> GraphEdge:
    start, end = (_entry(index, path).module for path in ends)
    names = list(dict.fromkeys(each.name or each.module for each in found))
    return GraphEdge(
        id=stable_id("e", EdgeKind.IMPORT, start, end),
        start=stable_id("n", start),
        end=stable_id("n", end),
        kind=EdgeKind.IMPORT,
        confidence=Confidence.PROVEN,
        label=names[0] if len(names) == 1 else count(len(names), "name"),
        details=tuple(f"{at(index, each.place)}  {_said(each)}" for each in found),
        place=found[0].place,
        at=at(index, found[0].place),
    )


def _said(each: Import) -> str:
    alias = f" as {each.alias}" if each.alias and each.alias != each.name else ""
    return f"from {each.module} import {each.name}{alias}" if each.name else f"import {each.module}{alias}"


def _entry(index: Index, path: str) -> FileEntry:
    return index.files[index.file_ids[path]]


def _package(entry: FileEntry) -> str:
    return entry.module.rpartition(".")[0]
