"""Pictures of graphs, each laid out once: its file is named by all that it is made of."""

from __future__ import annotations

from dataclasses import dataclass, field

from flowmap.atlas.folder import Folder
from flowmap.atlas.kept import digest
from flowmap.atlas.page import Drawn
from flowmap.model.graph import CutKind, GraphCut, GraphNode
from flowmap.model.place import Place
from flowmap.model.problem import FlowmapError
from flowmap.model.program import DefinitionKind
from flowmap.render.addresses import Addresses
from flowmap.render.cut_links import with_cut_links
from flowmap.render.dot import dot
from flowmap.render.svg import svg

SECONDS = 10.0  # for one picture; its text twin stands there in any case
_FOLDER = "pictures"
_SECTIONS = {  # of the page of what is cut from: of a function, and of a class
    CutKind.CALLERS: ("who-runs-it", "who-makes-it"),
    CutKind.CALLEES: ("what-it-runs", "what-it-provides"),
    CutKind.SUBCLASSES: ("", "classes-that-it-ends-in"),
    CutKind.HOSTS: ("", "classes-that-it-ends-in"),
}


def address_of_cut(addresses: Addresses, node: GraphNode, cut: GraphCut) -> str:
    """Where what is cut is told: in a section of the page of what it belongs to; else the source of that; "" for nowhere."""
    page = addresses.of_symbol(node.place) if node.place else ""
    if not page:
        return addresses.of_place(node.place) if node.place else ""
    section = _SECTIONS.get(cut.kind, ("", ""))[node.kind is DefinitionKind.CLASS]
    return f"{page}#{section}" if section else page


@dataclass(slots=True)
class Pictures:
    """The pictures of one page; `drawn` are their files."""

    folder: Folder
    drawn: list[str] = field(default_factory=list)

    def draw(self, drawn: Drawn, addresses: Addresses) -> str:
        """The picture, its boxes leading to pages and its lines to the source; "" where none can be made."""

        def address(place: Place | None) -> str:
            return (addresses.of_symbol(place) or addresses.of_place(place)) if place else ""

        laid_out = self._laid_out(dot(drawn.graph, address))
        return with_cut_links(laid_out, drawn.graph, lambda node, cut: address_of_cut(addresses, node, cut))

    def _laid_out(self, text: str) -> str:
        name = f"{_FOLDER}/{digest([text])}.svg"
        self.drawn.append(name)
        kept = self.folder.text(name)
        if kept is not None:
            self.folder.keep(name)
            return kept
        try:
            picture = svg(text, SECONDS).replace(' target="_blank"', "")
        except FlowmapError:
            picture = ""
        self.folder.note(name, picture)
        return picture
