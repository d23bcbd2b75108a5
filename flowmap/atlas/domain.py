"""What other manuals may link to: every page of a site under the name of what it tells about, in the site's `objects.inv`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Set
from pathlib import Path
from typing import Any, ClassVar

from sphinx.domains import Domain, ObjType

from flowmap.atlas.names import PageNames
from flowmap.atlas.slice import Slice
from flowmap.reports.phrases import short_name

OBJECTS = "objects.json"  # in the folder of the sources
FUNCTION, CLASS, FIELD, QUERY, FILE = "function", "class", "field", "query", "file"
_PRIORITY = 1


def objects_of(slice_: Slice, names: PageNames) -> str:
    """The list of objects as it is kept: name, how it is shown, type, page. Types and whole names are those that
    `flowmap.sphinx` gives, so that its roles find them."""
    fields = {  # of two that watch the same, the first
        f"{owner.symbol}.{access.field}": field.name
        for field in reversed(slice_.watch.fields)
        for access in field.accesses
        for owner in access.owners
    }
    rows = [
        *((one.symbol, short_name(one), FUNCTION, names.functions[one.symbol]) for one in slice_.functions),
        *((one.symbol, short_name(one), CLASS, names.classes[one.symbol]) for one in slice_.classes),
        *((symbol, name, FIELD, names.fields[name]) for symbol, name in fields.items()),
        *((one.name, one.question, QUERY, names.queries[one.name]) for one in slice_.queries),
        *((path, path, FILE, names.files[path]) for path in slice_.files),
    ]
    return json.dumps(sorted(rows), indent=0)


class AtlasDomain(Domain):
    """The objects of a site. Its pages link among themselves without it: it serves those who link from elsewhere."""

    name = "flow"
    label = "flow"
    object_types: ClassVar[dict[str, ObjType]] = {
        FUNCTION: ObjType("function", "func"),
        CLASS: ObjType("class", "class", "func"),
        FIELD: ObjType("field", "field"),
        QUERY: ObjType("query", "query"),
        FILE: ObjType("file", "file"),
    }

    def get_objects(self) -> Iterator[tuple[str, str, str, str, str, int]]:
        """All objects of the site; each has a page of its own."""
        kept = Path(self.env.srcdir) / OBJECTS
        for symbol, shown, kind, page in json.loads(kept.read_text(encoding="utf-8")):
            yield symbol, shown, kind, page, "", _PRIORITY

    def merge_domaindata(self, docnames: Set[str], otherdata: dict[str, Any]) -> None:
        """Nothing is kept of what is read."""
