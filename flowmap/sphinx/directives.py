"""The directives: each reads its options into a question, and puts the answer into the page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective
from sphinx.util.nodes import make_id

from flowmap.model.access import AccessKind
from flowmap.model.graph import GraphKind
from flowmap.model.problem import FlowmapError
from flowmap.model.program import Confidence
from flowmap.model.view import View
from flowmap.reports.flow import FlowQuestion
from flowmap.reports.graph_parts import MOST_NODES, GraphQuestion, Wing
from flowmap.reports.paths import PathsQuestion
from flowmap.reports.phrases import Detail
from flowmap.reports.site_lists import ListQuestion
from flowmap.reports.state import StateQuestion
from flowmap.reports.trace import Direction
from flowmap.sphinx.answers import FlowAnswer, twin_of
from flowmap.sphinx.domain import Shown, Told, flow_domain
from flowmap.sphinx.html import WaitingHtml, html_of, picture_of, source_html
from flowmap.sphinx.questions import (
    CLASS,
    FIELD,
    FUNCTION,
    Asked,
    DrawnQuestion,
    FileQuestion,
    HooksQuestion,
    NameQuestion,
    OrderQuestion,
    Reported,
    SourceQuestion,
    TracedQuestion,
    annotated_source,
    digest_of,
    lines_missing,
    meant,
    reported,
)
from flowmap.sphinx.subject import Assumed

_LOGGER = logging.getLogger(__name__)
_DEEPEST = 1000
_PATHS, _MOST_STEPS = 5, 20_000

Option = Callable[[str], Any]


def _one_of(*values: str) -> Option:
    return lambda text: directives.choice(text, values)


def _lines(text: str) -> tuple[str, ...]:
    """One value a line."""
    return tuple(filter(None, map(str.strip, (text or "").splitlines())))


def _words(text: str) -> tuple[str, ...]:
    return tuple((text or "").replace(",", " ").split())


_FOR_ALL: dict[str, Option] = {
    "profile": directives.unchanged_required,
    "assume": _lines,
    "verbose": directives.flag,
    "no-index": directives.flag,
}
_CONFIDENCE = _one_of(*(each.value for each in Confidence))


class FlowDirective(SphinxDirective):
    """What all have in common: a name is asked about; what is wrong becomes a warning that names the page and the line."""

    required_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar[dict[str, Option]] = _FOR_ALL
    tells: ClassVar[str] = ""  # the type of object that the name is; "" where the answer does not tell about one thing

    def run(self) -> list[nodes.Node]:
        """The answer."""
        domain = flow_domain(self.env)
        question, assumed = self.question(self.name_asked), self.assumed
        try:
            view = reported(domain.subject, question, assumed)
        except FlowmapError as error:
            domain.note_asked(self.env.docname, Asked(question, assumed), digest_of(error))
            self.warn(error, "name")
            return []
        domain.note_asked(self.env.docname, Asked(question, assumed), digest_of(view))
        answer = FlowAnswer("", twin=twin_of(view), html=self.html(view, f"flow{self.env.new_serialno('flow')}"))
        self.set_source_info(answer)
        self._tell(answer)
        return [answer]

    def question(self, name: str) -> Reported:
        """What is asked about a name."""
        raise NotImplementedError

    def html(self, view: View, prefix: str) -> WaitingHtml:
        """What a page shows; the ids in it begin with `prefix`."""
        return html_of(view)

    def names(self) -> tuple[str, ...]:
        """The names that the answer tells about."""
        return (self.arguments[0],)

    @property
    def detail(self) -> Detail:
        """How much is said."""
        return Detail.FULL if "verbose" in self.options else Detail.BRIEF

    @property
    def confidence(self) -> Confidence:
        """The weakest answers to show."""
        return Confidence(self.options.get("confidence", Confidence.INFERRED.value))

    @property
    def name_asked(self) -> str:
        """What the question is about."""
        return " ".join(self.arguments[0].split())

    @property
    def assumed(self) -> Assumed:
        """The configuration that the answer is for."""
        return Assumed(self.options.get("profile", ""), self.options.get("assume", ()))

    def warn(self, error: FlowmapError, kind: str) -> None:
        """Say what is wrong, where it is written."""
        for problem in error.problems:
            _LOGGER.warning("%s: %s", self.name, problem, location=self.get_location(), type="flowmap", subtype=kind)

    def _tell(self, answer: FlowAnswer) -> None:
        """Note what the answer tells about, so that links to it lead here."""
        domain = flow_domain(self.env)
        for name in self.names() if self.tells and "no-index" not in self.options else ():
            try:
                found = meant(domain.subject, NameQuestion(name, self.tells))
            except FlowmapError:  # a place in a file, or the like: told about under no name
                continue
            anchor = make_id(self.env, self.state.document, "flow", found.symbol)
            answer["ids"].append(anchor)
            domain.note_told(Told(self.env.docname, anchor, found))


class TraceDirective(FlowDirective):
    """Where a function is defined, who runs it, and what it runs; with `to`, the ways from it to another."""

    tells = FUNCTION
    option_spec: ClassVar[dict[str, Option]] = {
        **_FOR_ALL,
        "up": directives.flag,
        "down": directives.flag,
        "to": directives.unchanged_required,
        "depth": directives.positive_int,
        "stop-at": _words,
        "watch": _words,
        "confidence": _CONFIDENCE,
    }

    def question(self, name: str) -> Reported:
        """A trace, or the ways to another function."""
        depth, stop_at = self.options.get("depth"), self.options.get("stop-at", ())
        if "to" in self.options:
            return PathsQuestion(name, self.options["to"], self.confidence, stop_at, depth or _DEEPEST, self.detail)
        watched = self.options.get("watch", ())
        return TracedQuestion(name, self._direction(), depth, stop_at, watched, self.confidence, self.detail)

    def _direction(self) -> Direction:
        said = [each for each in (Direction.UP, Direction.DOWN) if each.value in self.options]
        return said[0] if len(said) == 1 else Direction.BOTH


class GraphDirective(FlowDirective):
    """A picture of what is around a name, or of the ways to another; its text below it."""

    option_spec: ClassVar[dict[str, Option]] = {
        **_FOR_ALL,
        "up": directives.flag,
        "down": directives.flag,
        "to": directives.unchanged_required,
        "depth": directives.positive_int,
        "kind": _one_of(*(each.value for each in GraphKind if each is not GraphKind.PATHS)),
        "nodes": directives.positive_int,
        "confidence": _CONFIDENCE,
    }

    def question(self, name: str) -> Reported:
        """What is drawn."""
        depth, end = self.options.get("depth"), self.options.get("to")
        if end:
            return DrawnQuestion(PathsQuestion(name, end, self.confidence, (), depth or _DEEPEST, self.detail), None)
        kind = GraphKind(self.options["kind"]) if "kind" in self.options else None
        n_nodes = self.options.get("nodes", MOST_NODES)
        return DrawnQuestion(GraphQuestion(name, self._wing(), depth, self.confidence, n_nodes, self.detail), kind)

    def html(self, view: View, prefix: str) -> WaitingHtml:
        """The graph. Where it cannot be drawn in time, its text is shown, and a remark says so."""
        shown = picture_of(view, self.config.flowmap_seconds, prefix)
        if shown.fault:
            self.warn(shown.fault, "graph")
        return shown

    def _wing(self) -> Wing:
        said = [each for each in (Wing.UP, Wing.DOWN) if each.value in self.options]
        return said[0] if len(said) == 1 else Wing.BOTH


class StateDirective(FlowDirective):
    """Every access of one field or several, by owner and life stage."""

    tells = FIELD
    option_spec: ClassVar[dict[str, Option]] = {
        **_FOR_ALL,
        "owner": directives.unchanged_required,
        "access": _words,
        "confidence": _CONFIDENCE,
    }

    def question(self, name: str) -> Reported:
        """The accesses."""
        kinds = tuple(AccessKind(directives.choice(each, tuple(AccessKind))) for each in self.options.get("access", ()))
        return StateQuestion(_words(name), self.options.get("owner"), kinds, self.confidence, self.detail)

    def names(self) -> tuple[str, ...]:
        """The fields."""
        owner = self.options.get("owner")
        return tuple(f"{owner}.{each}" if owner and "." not in each else each for each in _words(self.arguments[0]))


class FlowOfValueDirective(FlowDirective):
    """The ways of a value."""

    option_spec: ClassVar[dict[str, Option]] = {
        **_FOR_ALL,
        "to": directives.unchanged_required,
        "limit": directives.positive_int,
        "most-steps": directives.positive_int,
    }

    def question(self, name: str) -> Reported:
        """From where, to where."""
        limit, steps = self.options.get("limit", _PATHS), self.options.get("most-steps", _MOST_STEPS)
        return FlowQuestion(name, self.options.get("to", ""), limit, steps, self.detail)


class HooksDirective(FlowDirective):
    """Where something can be bypassed: the report for a question out of a file, under some profiles."""

    option_spec: ClassVar[dict[str, Option]] = {"profiles": _words, "verbose": directives.flag}

    def question(self, name: str) -> Reported:
        """The question of the file."""
        return HooksQuestion(name, self.options.get("profiles", ()), self.detail)


class OrderDirective(FlowDirective):
    """The order of a class, and which class provides what."""

    tells = CLASS
    option_spec: ClassVar[dict[str, Option]] = {**_FOR_ALL}

    def question(self, name: str) -> Reported:
        """The class."""
        return OrderQuestion(name, self.detail)


class QueryDirective(FlowDirective):
    """The answer to a question that stands in a file."""

    option_spec: ClassVar[dict[str, Option]] = {**_FOR_ALL}

    def question(self, name: str) -> Reported:
        """The question."""
        return FileQuestion(name, self.detail)


class SourceDirective(FlowDirective):
    """A slice of the source, annotated: what is called as links, and marks where watched fields are touched."""

    option_spec: ClassVar[dict[str, Option]] = {**_FOR_ALL, "watch": _words, "confidence": _CONFIDENCE}

    def question(self, name: str) -> Reported:
        """The slice."""
        return SourceQuestion(ListQuestion(name, self.confidence, self.detail), self.options.get("watch", ()))

    def html(self, view: View, prefix: str) -> WaitingHtml:
        """The lines. Places in them lead here."""
        domain, question = flow_domain(self.env), self.question(self.name_asked)
        assert isinstance(question, SourceQuestion), "it is the one above"
        source, text = annotated_source(domain.subject, question, self.assumed, view)
        missing = lines_missing(view)
        if missing:
            self.warn(missing, "lines")
        if "no-index" not in self.options:
            lines = range(source.lines[0].number, source.lines[-1].number + 1)
            domain.note_shown(source.file, Shown(self.env.docname, prefix, lines))
        return source_html(view, source, text, prefix)


DIRECTIVES: dict[str, type[FlowDirective]] = {
    "flowmap-trace": TraceDirective,
    "flowmap-graph": GraphDirective,
    "flowmap-state": StateDirective,
    "flowmap-flow": FlowOfValueDirective,
    "flowmap-mro": OrderDirective,
    "flowmap-query": QueryDirective,
    "flowmap-source": SourceDirective,
    "flowmap-hooks": HooksDirective,
}
