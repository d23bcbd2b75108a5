"""The node that holds an answer until it is known who writes the page: HTML with links, else the text that a console shows."""

from __future__ import annotations

import io
from html import escape

from docutils import nodes
from sphinx.builders import Builder
from sphinx.transforms.post_transforms import SphinxPostTransform

from flowmap.model.view import View
from flowmap.render.piped import write_piped
from flowmap.sphinx.domain import flow_domain
from flowmap.sphinx.html import WaitingHtml

_WIDTH = 96


class FlowAnswer(nodes.General, nodes.Element):
    """An answer: `html` is a WaitingHtml, `twin` the same as text."""


def twin_of(view: View) -> str:
    """A View as a pipe shows it, but for which source it is about."""
    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="\n")
    write_piped(view, stream, _WIDTH)
    stream.seek(0)
    text = stream.read().rstrip("\n")
    return text.removesuffix(f"source: {view.source}").rstrip("\n")


class Unfolding(SphinxPostTransform):
    """Puts what suits the builder in the place of each answer."""

    default_priority = 5

    def run(self, **kwargs: object) -> None:
        """Replace all answers of a page."""
        builder = flow_domain(self.env).builder
        assert builder is not None, "set before pages are read"
        for answer in list(self.document.findall(FlowAnswer)):
            answer.replace_self(self._html(answer, builder) if builder.format == "html" else self._text(answer))

    def _html(self, answer: FlowAnswer, builder: Builder) -> nodes.raw:
        domain, waiting, page = flow_domain(self.env), answer["html"], self.env.docname
        assert isinstance(waiting, WaitingHtml), "the directives make it"
        text = waiting.filled(
            lambda place: domain.address(place, page, builder), lambda place: domain.address_of_name(place, page, builder)
        )
        anchors = "".join(f'<span id="{escape(anchor)}"></span>' for anchor in answer["ids"])
        return nodes.raw("", anchors + text, format="html")

    def _text(self, answer: FlowAnswer) -> nodes.literal_block:
        return nodes.literal_block(answer["twin"], answer["twin"], language="text", ids=answer["ids"])
