"""The node that holds an answer until it is known who writes the page: rich for HTML, else the text that a console shows."""

from __future__ import annotations

import io
from typing import Any

from docutils import nodes
from sphinx.builders import Builder
from sphinx.transforms.post_transforms import SphinxPostTransform

from flowmap.model.place import Place
from flowmap.model.view import View
from flowmap.render.piped import write_piped
from flowmap.sphinx.blocks import blocks_of
from flowmap.sphinx.domain import flow_domain
from flowmap.sphinx.pictures import Picture

_WIDTH = 96


class FlowAnswer(nodes.General, nodes.Element):
    """An answer. Its children are what HTML shows; `twin` is the same as text, `picture` that of a graph or None."""


def answer_of(view: View, picture: Picture | None) -> FlowAnswer:
    """The node of an answer; a picture takes the place of the text, which is then folded away below it."""
    twin = twin_of(view)
    shown = blocks_of(view) if picture is None else [nodes.literal_block(twin, twin, language="text")]
    return FlowAnswer("", *shown, twin=twin, picture=picture, source_of=view.source)


def twin_of(view: View) -> str:
    """A View as a pipe shows it, but for which source it is about."""
    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="\n")
    write_piped(view, stream, _WIDTH)
    stream.seek(0)
    text = stream.read().rstrip("\n")
    return text.removesuffix(f"source: {view.source}").rstrip("\n")


class Unfolding(SphinxPostTransform):
    """Puts what suits the builder in the place of each answer. Stands before links are resolved."""

    default_priority = 5

    def run(self, **kwargs: Any) -> None:
        """Replace all answers of a page."""
        for number, answer in enumerate(list(self.document.findall(FlowAnswer)), start=1):
            if self._builder.format == "html":
                answer.replace_self(self._rich(answer, number))
            else:
                twin = answer["twin"]
                answer.replace_self(nodes.literal_block(twin, twin, language="text"))

    def _rich(self, answer: FlowAnswer, number: int) -> nodes.container:
        picture: Picture | None = answer["picture"]
        if picture is None:
            return nodes.container("", *answer.children, classes=["flow"])
        svg = picture.inline(number, self._address)
        return nodes.container(
            "",
            nodes.raw("", f'<div class="flow-picture">{svg}</div>', format="html"),
            nodes.raw("", "<details class='flow-twin'><summary>The same as text</summary>", format="html"),
            *answer.children,
            nodes.raw("", "</details>", format="html"),
            classes=["flow", "flow-graph"],
        )

    def _address(self, place: Place) -> str:
        return flow_domain(self.env).address(place, self.env.docname, self._builder)

    @property
    def _builder(self) -> Builder:
        builder = flow_domain(self.env).builder
        assert builder is not None, "set before pages are read"
        return builder
