"""Where things stand on a site, as seen from the page that links to them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from html import escape

from flowmap.model.place import Place
from flowmap.model.program import Definition
from flowmap.render.untrusted import plain


@dataclass(frozen=True, slots=True)
class Addresses:
    """Each gives the address of a thing, "" where the site has no page of it."""

    of_place: Callable[[Place], str]
    of_definition: Callable[[Definition], str]
    of_field: Callable[[str], str]
    of_page: Callable[[str], str]
    of_symbol: Callable[[Place], str]  # the page of what is defined at a place


def nowhere(_: object) -> str:
    """No address."""
    return ""


NO_ADDRESSES = Addresses(nowhere, nowhere, nowhere, nowhere, nowhere)


def told(text: str) -> str:
    """A text of the indexed code as HTML that is text: no markup, no control character, on one line."""
    return escape(plain(text))


def linked(address: str, text: str, attributes: str = "") -> str:
    """A text as a link; as itself where there is no address. `attributes` are written by us and begin with a blank."""
    return f'<a href="{escape(address)}"{attributes}>{told(text)}</a>' if address else told(text)
