"""The domain `flow`: which functions, classes and fields the pages tell about, where, and the roles that link to them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from docutils import nodes
from docutils.nodes import Element
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.builders import Builder
from sphinx.domains import Domain, ObjType
from sphinx.environment import BuildEnvironment
from sphinx.roles import XRefRole
from sphinx.util import logging
from sphinx.util.nodes import make_refnode

from flowmap.model.place import Place
from flowmap.model.problem import FlowmapError
from flowmap.render.text import linked
from flowmap.sphinx.questions import CLASS, FIELD, FUNCTION, Asked, Meant, NameQuestion, digest_of, meant
from flowmap.sphinx.subject import WHOLE, Subject

_LOGGER = logging.getLogger(__name__)
DOMAIN = "flow"
_OBJECTS, _SHOWN, _ASKED = "objects", "shown", "asked"  # what is kept in the data of the domain
IDENTITY, MADE_BY = "identity", "made_by"
_TYPES = {"func": FUNCTION, "class": CLASS, "field": FIELD}


@dataclass(frozen=True, slots=True)
class Told:
    """Where a page tells about something."""

    docname: str
    anchor: str
    meant: Meant


@dataclass(frozen=True, slots=True)
class Shown:
    """A slice of source in a page; the anchor of a line is `PREFIX-LNUMBER`."""

    docname: str
    prefix: str
    lines: range


class FlowRole(XRefRole):
    """A name in a text. What it means is looked up while the page is read, so that a warning names the page and the line."""

    def process_link(
        self, env: BuildEnvironment, refnode: Element, has_explicit_title: object, title: str, target: str
    ) -> tuple[str, str]:
        """The text and the whole name that is linked to."""
        is_short = target.startswith("~")
        name = " ".join(target.removeprefix("~").split())
        shown = title if has_explicit_title else name.rpartition(".")[2] if is_short else name
        domain = flow_domain(env)
        question = NameQuestion(name, _TYPES[refnode["reftype"]])
        try:
            found = meant(domain.subject, question)
        except FlowmapError as error:
            domain.note_asked(env.docname, Asked(question, WHOLE), digest_of(error))
            refnode["problem"] = str(error)
            refnode["refwarn"] = True
            return shown, name
        domain.note_asked(env.docname, Asked(question, WHOLE), digest_of(found))
        refnode["place"] = found.place
        return shown, found.symbol


class FlowDomain(Domain):
    """Functions, classes and fields of a code base, and the questions that each page asks of it."""

    name = DOMAIN
    label = "flow"
    object_types: ClassVar[dict[str, ObjType]] = {
        FUNCTION: ObjType("function", "func"),
        CLASS: ObjType("class", "class", "func"),
        FIELD: ObjType("field", "field"),
    }
    roles: ClassVar[dict[str, Any]] = {name: FlowRole() for name in _TYPES}
    initial_data: ClassVar[dict[str, Any]] = {_OBJECTS: {}, _SHOWN: {}, _ASKED: {}, IDENTITY: "", MADE_BY: ""}
    data_version = 3

    def __init__(self, env: BuildEnvironment) -> None:
        super().__init__(env)
        self.builder: Builder | None = None  # set when Sphinx has one
        self._by_place: dict[Place, Told] | None = None

    @cached_property
    def subject(self) -> Subject:
        """The code base. The configuration is there only after the domain is."""
        return Subject(self.env.config)

    @property
    def told(self) -> dict[tuple[str, str], dict[str, Told]]:
        """By type and symbol: where it is told about, by page."""
        found: dict[tuple[str, str], dict[str, Told]] = self.data[_OBJECTS]
        return found

    @property
    def shown(self) -> dict[str, dict[tuple[str, str], Shown]]:
        """By file: the slices of it that pages show, by page and prefix."""
        found: dict[str, dict[tuple[str, str], Shown]] = self.data[_SHOWN]
        return found

    @property
    def asked(self) -> dict[str, list[tuple[Asked, str]]]:
        """By page: its questions, each with the digest of the answer that it got."""
        found: dict[str, list[tuple[Asked, str]]] = self.data[_ASKED]
        return found

    def note_told(self, told: Told) -> None:
        """A page tells about something."""
        self.told.setdefault((told.meant.type, told.meant.symbol), {}).setdefault(told.docname, told)

    def note_shown(self, file: str, shown: Shown) -> None:
        """A page shows lines of a file."""
        self.shown.setdefault(file, {})[shown.docname, shown.prefix] = shown

    def note_asked(self, docname: str, asked: Asked, answer: str) -> None:
        """A page asks a question; `answer` is the digest."""
        self.asked.setdefault(docname, []).append((asked, answer))

    def forget_places(self) -> None:
        """What the pages tell about has changed."""
        self._by_place = None

    def clear_doc(self, docname: str) -> None:
        """Forget what a page said."""
        self.asked.pop(docname, None)
        for pages in self.told.values():
            pages.pop(docname, None)
        self.data[_OBJECTS] = {key: pages for key, pages in self.told.items() if pages}
        for slices in self.shown.values():
            for key in [key for key in slices if key[0] == docname]:
                del slices[key]

    def merge_domaindata(self, docnames: Set[str], otherdata: dict[str, Any]) -> None:
        """Take over what another process read."""
        self.asked.update({name: asked for name, asked in otherdata[_ASKED].items() if name in docnames})
        for pages in otherdata[_OBJECTS].values():
            for told in pages.values():
                if told.docname in docnames:
                    self.note_told(told)
        for file, slices in otherdata[_SHOWN].items():
            for shown in slices.values():
                if shown.docname in docnames:
                    self.note_shown(file, shown)

    def get_objects(self) -> Iterator[tuple[str, str, str, str, str, int]]:
        """What other projects may link to."""
        for (kind, symbol), pages in sorted(self.told.items()):
            told = _first(pages.values())
            yield symbol, told.meant.shown, kind, told.docname, told.anchor, 1

    def resolve_xref(
        self,
        env: BuildEnvironment,
        fromdocname: str,
        builder: Builder,
        typ: str,
        target: str,
        node: addnodes.pending_xref,
        contnode: Element,
    ) -> nodes.reference | None:
        """The page that tells about it; else where its source can be seen."""
        told = self._told_as(typ, target)
        if told:
            return make_refnode(builder, fromdocname, told.docname, told.anchor, contnode, told.meant.symbol)
        place: Place | None = node.get("place")
        address = self.address(place, fromdocname, builder) if place else ""
        return nodes.reference("", "", contnode, refuri=address, internal=False) if address else None

    def resolve_any_xref(
        self,
        env: BuildEnvironment,
        fromdocname: str,
        builder: Builder,
        target: str,
        node: addnodes.pending_xref,
        contnode: Element,
    ) -> list[tuple[str, nodes.reference]]:
        """What `:any:` finds: objects by their whole names."""
        found: list[tuple[str, nodes.reference]] = []
        for role in _TYPES:
            told = self._told_as(role, target)
            if told and all(other != f"{DOMAIN}:{told.meant.type}" for other, _ in found):
                link = make_refnode(builder, fromdocname, told.docname, told.anchor, contnode, told.meant.symbol)
                found.append((f"{DOMAIN}:{self.role_for_objtype(told.meant.type)}", link))
        return found

    def address(self, place: Place, fromdocname: str, builder: Builder) -> str:
        """Where the source of a place can be seen, "" for nowhere: in a page, else where `flowmap_link` leads."""
        pages = self.shown.get(place.file, {})
        shown = [each for each in pages.values() if place.line in each.lines]
        if shown:
            first = min(shown, key=lambda each: each.docname)
            return self._from(fromdocname, builder, first.docname, f"{first.prefix}-L{place.line}")
        pattern = self.subject.link
        return linked(pattern, place) if pattern else ""

    def address_of_name(self, place: Place, fromdocname: str, builder: Builder) -> str:
        """The page that tells about what is defined at a place; else where its source can be seen."""
        told = self._told_at(place)
        return self._from(fromdocname, builder, told.docname, told.anchor) if told else self.address(place, fromdocname, builder)

    def _from(self, fromdocname: str, builder: Builder, docname: str, anchor: str) -> str:
        page = "" if docname == fromdocname else builder.get_relative_uri(fromdocname, docname)
        return f"{page}#{anchor}"

    def _told_as(self, role: str, symbol: str) -> Told | None:
        for kind in self.objtypes_for_role(role) or ():
            pages = self.told.get((kind, symbol))
            if pages:
                return _first(pages.values())
        return None

    def _told_at(self, place: Place | None) -> Told | None:
        if self._by_place is None:
            told = [_first(pages.values()) for _, pages in sorted(self.told.items())]
            self._by_place = {_line(one.meant.place): one for one in told if one.meant.place and one.meant.type != FIELD}
        return self._by_place.get(_line(place)) if place else None


def flow_domain(env: BuildEnvironment) -> FlowDomain:
    """The domain of an environment."""
    domain = env.get_domain(DOMAIN)
    assert isinstance(domain, FlowDomain), "the extension adds it"
    return domain


def told_as_unknown(app: Sphinx, domain: Domain | None, node: addnodes.pending_xref) -> bool | None:
    """Warn of a name that nothing bears, with the nearest ones. A name that no page tells about is no fault."""
    if node.get("refdomain") != DOMAIN:
        return None
    if "problem" in node:
        _LOGGER.warning(":flow:%s: %s", node["reftype"], node["problem"], location=node, type="flowmap", subtype="name")
    return True


def _first(pages: Iterable[Told]) -> Told:
    """Of several pages that tell about the same thing, the one that links lead to."""
    return min(pages, key=lambda told: told.docname)


def _line(place: Place) -> Place:
    return Place(place.file, place.line)
