"""F-strings: what they format, and what they may name."""

from __future__ import annotations

import ast

from flowmap.extract.body import NOTHING, Body
from flowmap.extract.lower import lower
from flowmap.extract.strings import Part, joined
from flowmap.model.facts import Op, SiteShape


def formatted(body: Body, node: ast.JoinedStr) -> int:
    return formatted_parts(body, node)[0]


def formatted_parts(body: Body, node: ast.JoinedStr) -> tuple[int, list[Part]]:
    """The node of an f-string, and its parts; its constant parts are kept, since it may name something."""
    parts: list[Part] = []
    site = -1
    for part in node.values:
        match part:
            case ast.FormattedValue():
                value = lower(body, part)
                parts.append(value)
                if value != NOTHING:
                    site = body.site_at(node, SiteShape.OPERATOR, ("__format__", node.lineno), "") if site < 0 else site
                    body.emit(Op.OPERATOR, NOTHING, TEXT_OF.get(part.conversion, FORMATTED), value, NOTHING, site)
            case ast.Constant():
                parts.append(str(part.value))
            case _:
                lower(body, part)
    return joined(body, parts, node.lineno), parts


FORMATTED = ("__format__", "__str__", "__repr__")


TEXT_OF = {ord("s"): ("__str__", "__repr__"), ord("r"): ("__repr__",), ord("a"): ("__repr__",)}


def formatted_value(body: Body, node: ast.FormattedValue) -> int:
    value = lower(body, node.value)
    if node.format_spec is not None:
        lower(body, node.format_spec)
    return value
