"""Pictures of graphs, each laid out once: its file is named by all that it is made of."""

from __future__ import annotations

from dataclasses import dataclass, field

from flowmap.atlas.folder import Folder
from flowmap.atlas.kept import digest
from flowmap.atlas.page import Drawn
from flowmap.model.place import Place
from flowmap.model.problem import FlowmapError
from flowmap.render.addresses import Addresses
from flowmap.render.dot import dot
from flowmap.render.svg import svg

SECONDS = 10.0  # for one picture; its text twin stands there in any case
_FOLDER = "pictures"


@dataclass(slots=True)
class Pictures:
    """The pictures of one page; `drawn` are their files."""

    folder: Folder
    drawn: list[str] = field(default_factory=list)

    def draw(self, drawn: Drawn, addresses: Addresses) -> str:
        """The picture, its boxes leading to pages and its lines to the source; "" where none can be made."""

        def address(place: Place | None) -> str:
            return (addresses.of_symbol(place) or addresses.of_place(place)) if place else ""

        text = dot(drawn.graph, address)
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
