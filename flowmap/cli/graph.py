"""`flowmap graph`."""

from __future__ import annotations

import dataclasses
import io
import os
from enum import StrEnum
from typing import TYPE_CHECKING

import click

from flowmap.cli.answer import chosen, opened, remark, write
from flowmap.cli.asked import NAME, Asked, Format, takes_confidence, takes_configuration, takes_options_besides_format
from flowmap.cli.commands import Command
from flowmap.cli.output import OutputFile, write_bytes, write_rows
from flowmap.model.graph import Graph, GraphKind
from flowmap.model.problem import FlowmapError
from flowmap.model.program import Confidence
from flowmap.reports.graph_parts import MOST_NODES, Wing

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from flowmap.model.place import Place
    from flowmap.model.view import View
    from flowmap.reports.graph_parts import GraphQuestion
    from flowmap.reports.paths import PathsQuestion
    from flowmap.store.index import Index

_SECONDS = 20.0
_WIDTH = 120
_DEEPEST = 1000
_ONLY_AROUND = ("wing", "kind", "n_nodes")


class Drawing(StrEnum):
    """The formats of a graph."""

    TEXT = "text"
    SVG = "svg"
    PNG = "png"
    DOT = "dot"
    MERMAID = "mermaid"
    JSON = "json"
    HTML = "html"
    MARKDOWN = "md"


_BY_ENDING = {
    "": Drawing.TEXT,
    ".txt": Drawing.TEXT,
    ".svg": Drawing.SVG,
    ".png": Drawing.PNG,
    ".dot": Drawing.DOT,
    ".gv": Drawing.DOT,
    ".json": Drawing.JSON,
    ".mmd": Drawing.MERMAID,
    ".html": Drawing.HTML,
    ".md": Drawing.MARKDOWN,
}


@click.command(cls=Command)
@click.argument("name", type=NAME, metavar="NAME|FILE:LINE|FIELD|QUERY")
@click.option("--up", "wing", flag_value=Wing.UP.value, help="Only what leads to it: callers, bases, importers.")
@click.option("--down", "wing", flag_value=Wing.DOWN.value, help="Only what it leads to: callees, subclasses, what it imports.")
@click.option("--both", "wing", flag_value=Wing.BOTH.value, default=Wing.BOTH.value, help="Both, as when nothing is said.")
@click.option(
    "--depth",
    type=click.IntRange(min=1),
    metavar="N",
    help="How many steps away. Default: 2 calls both ways, 4 up, 3 down; all classes; 1 import; all of a control flow.",
)
@click.option("--to", "end", type=NAME, metavar="OTHER", help="The ways from NAME to OTHER instead.")
@click.option(
    "--kind",
    type=click.Choice([each.value for each in GraphKind if each is not GraphKind.PATHS]),
    help="What is drawn. Default: classes of a class, modules of a file, the state of a field, what a query finds, else calls.",
)
@click.option("--cfg", "kind", flag_value=GraphKind.CONTROL.value, help="Short for --kind control: the blocks of a function.")
@click.option("--field", "kind", flag_value=GraphKind.STATE.value, help="Short for --kind state: NAME is FIELD or CLASS.FIELD.")
@click.option(
    "--nodes",
    "n_nodes",
    type=click.IntRange(2, 2000),
    default=MOST_NODES,
    show_default=True,
    metavar="N",
    help="The most to draw.",
)
@click.option(
    "--format",
    "drawing",
    type=click.Choice([each.value for each in Drawing]),
    help="Default: what the ending of FILE says, else `text`, the twin of every picture.",
)
@click.option("-o", "--output", type=OutputFile(), metavar="FILE", help="Where to write; default: standard output.")
@click.option(
    "--time-limit",
    type=click.FloatRange(min=0, min_open=True),
    default=_SECONDS,
    show_default=True,
    metavar="SECONDS",
    help="How long the layout of a picture may take; after that its text is given.",
)
@takes_confidence
@takes_options_besides_format
@takes_configuration
def graph(
    asked: Asked,
    name: str,
    *,
    wing: str,
    depth: int | None,
    end: str | None,
    kind: str | None,
    n_nodes: int,
    drawing: str | None,
    output: str | None,
    time_limit: float,
    confidence: str,
) -> None:
    """Draw what is around NAME: calls, the ways to OTHER, classes, the hosts of a mixin, imports; the control flow inside it; the
    state of a field, from where its values are made to where they go; or what a question of `flowmap queries` finds.

    The nearest are drawn; what is cut is counted on the node that it leads on from, as `+34 callees`. Every picture has a twin
    in text. SVG and PNG are laid out by graphviz-pure, or by the program that FLOWMAP_DOT names; places are links where the
    configuration has a pattern for them.

    \b
    Examples:
      flowmap graph process_batch                      as text
      flowmap graph process_batch -v                   with every place, all its guards and the evidence
      flowmap graph process_batch --down -o calls.svg
      flowmap graph main --to Worker.forward -o ways.html    to zoom, search and point at
      flowmap graph Scheduler --kind mixins --format mermaid
      flowmap graph scheduler.py --kind modules --up --format dot
      flowmap graph Scheduler.step --cfg -o step.svg     its blocks, with what has to hold between them
      flowmap graph Batch.size -o size.html              who makes, stores, renames and reads a field
      flowmap graph event-loop -o loop.svg               what a question finds
      flowmap graph FILE:120 --cfg                       what stands around a line of a large function first
    """
    from flowmap.reports.graph_parts import GraphQuestion
    from flowmap.reports.paths import PathsQuestion
    from flowmap.reports.phrases import Detail

    strength = Confidence(confidence)
    form = Drawing(drawing) if drawing else _by_ending(output)
    detail = Detail.FULL if form is Drawing.HTML else asked.detail  # a page has room for the evidence
    question: GraphQuestion | PathsQuestion
    if end is None and kind == GraphKind.CONTROL:
        _check_inside()
    if end is None:
        question = GraphQuestion(name, Wing(wing), depth, strength, n_nodes, detail)
    else:
        _check_ways()
        question = PathsQuestion(name, end, strength, (), depth or _DEEPEST, detail)
    _answer(asked, question, _kind(name, kind), _Wanted(form, output, time_limit))


def _check_inside() -> None:
    """Errors: UsageError where a way to look is asked for inside a function."""
    from click.core import ParameterSource
    from click.globals import get_current_context

    context = get_current_context()
    if context.get_parameter_source("wing") is ParameterSource.COMMANDLINE:
        raise click.UsageError(f"--{context.params['wing']}: of no use with the control flow inside a function.")


def _kind(name: str, kind: str | None) -> GraphKind | None:
    """What is drawn, None for what suits the name in the index. No name of Python looks like that of a query."""
    if kind is not None:
        return GraphKind(kind)
    return GraphKind.QUERY if name.endswith(".toml") or ("-" in name and ":" not in name and not name.endswith(".py")) else None


@dataclasses.dataclass(frozen=True, slots=True)
class _Wanted:
    """The format, the file (None for standard output), and how many seconds a layout may take."""

    drawing: Drawing
    output: str | None
    seconds: float


def _check_ways() -> None:
    """Errors: UsageError where options are given that say nothing about ways from one to another."""
    from click.core import ParameterSource
    from click.globals import get_current_context

    context = get_current_context()
    given = [each for each in _ONLY_AROUND if context.get_parameter_source(each) is ParameterSource.COMMANDLINE]
    shown = {"wing": f"--{context.params['wing']}", "kind": "--kind", "n_nodes": "--nodes"}
    if given:
        raise click.UsageError(f"{', '.join(shown[each] for each in given)}: of no use with --to.")


def _by_ending(output: str | None) -> Drawing:
    """The format that the file's name asks for; text without an ending. Errors: UsageError where no format has the ending."""
    ending = os.path.splitext(output or "")[1].lower()
    if ending not in _BY_ENDING:
        known = ", ".join(filter(None, _BY_ENDING))
        raise click.UsageError(f"{output}: no format ends in {ending}; name it {known}, or say --format.")
    return _BY_ENDING[ending]


def _answer(asked: Asked, question: GraphQuestion | PathsQuestion, kind: GraphKind | None, wanted: _Wanted) -> None:
    from flowmap.reports.graph import graph_view

    choice = chosen(asked)
    draw = _queried(question, choice.config) if kind is GraphKind.QUERY else lambda index: _drawn(index, question, kind)
    index = opened(asked, choice)
    drawn = draw(index)
    view = graph_view(index, drawn, asked.detail)
    view = dataclasses.replace(view, source=f"{view.source} ({choice.why})")
    if wanted.drawing in (Drawing.TEXT, Drawing.JSON):
        _write(dataclasses.replace(asked, format=Format(wanted.drawing.value)), view, wanted.output, choice.link)
        return
    try:
        _write_picture(drawn, view, wanted, choice.link)
    except FlowmapError:
        if wanted.output is None or wanted.drawing in (Drawing.SVG, Drawing.PNG, Drawing.HTML):
            write(asked, view, choice.link)
        raise
    remark(asked, *view.notes, f"source: {view.source}")


def _drawn(index: Index, question: GraphQuestion | PathsQuestion, kind: GraphKind | None) -> Graph:
    from flowmap.reports.graph import graph as report
    from flowmap.reports.graph_calls import path_graph
    from flowmap.reports.graph_parts import GraphQuestion

    return report(index, question, kind) if isinstance(question, GraphQuestion) else path_graph(index, question)


def _queried(question: GraphQuestion | PathsQuestion, config: Path | None) -> Callable[[Index], Graph]:
    """What draws a query's answer. Errors: FlowmapError when there is no such query, or something is wrong in it."""
    from flowmap.query.files import query_file
    from flowmap.query.read import read_query
    from flowmap.reports.graph_parts import GraphQuestion
    from flowmap.reports.graph_query import query_graph

    assert isinstance(question, GraphQuestion), "--kind is of no use with --to"
    query = read_query(query_file(question.name, config))
    return lambda index: query_graph(index, query, question)


def _write_picture(drawn: Graph, view: View, wanted: _Wanted, link: str) -> None:
    if wanted.drawing is not Drawing.PNG:
        write_rows(wanted.output, _picture(drawn, view, wanted, link).splitlines())
        return
    from flowmap.render.dot import dot
    from flowmap.render.svg import png

    write_bytes(wanted.output, png(dot(drawn, lambda _: ""), wanted.seconds))


def _picture(drawn: Graph, view: View, wanted: _Wanted, link: str) -> str:
    from flowmap.render.dot import dot
    from flowmap.render.html import html
    from flowmap.render.mermaid import mermaid
    from flowmap.render.svg import svg
    from flowmap.render.text import linked

    def address(place: Place | None) -> str:
        return linked(link, place) if link and place else ""

    if wanted.drawing is Drawing.MERMAID:
        return mermaid(drawn)
    if wanted.drawing is Drawing.MARKDOWN:
        return f"```mermaid\n{mermaid(drawn)}\n```\n\n{_markdown(view, link)}"
    text = dot(drawn, address)
    if wanted.drawing is Drawing.DOT:
        return text
    picture = svg(text, wanted.seconds)
    return html(drawn, picture, _twin(view)) if wanted.drawing is Drawing.HTML else picture


def _markdown(view: View, link: str) -> str:
    from flowmap.render.markdown import Links, write_markdown

    stream = io.StringIO()
    write_markdown(view, stream, Links(link))
    return stream.getvalue()


def _twin(view: View) -> str:
    from flowmap.render.piped import write_piped

    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="\n")
    write_piped(view, stream, _WIDTH)
    stream.seek(0)
    return stream.read()


def _write(asked: Asked, view: View, output: str | None, link: str) -> None:
    if output is None:
        write(asked, view, link)
        return
    if asked.format is Format.TEXT:
        write_rows(output, _twin(view).splitlines())
        return
    from flowmap.render.json import write_json

    stream = io.StringIO()
    write_json(view, stream)
    write_rows(output, stream.getvalue().splitlines())
