"""A View as one page of HTML that needs nothing else: texts of the indexed code are never markup, nothing runs or is fetched."""

from __future__ import annotations

from html import escape
from typing import TextIO

from flowmap.model.view import View
from flowmap.render.addresses import NO_ADDRESSES, Addresses, nowhere
from flowmap.render.fragment import fragment, line_html
from flowmap.render.text import linked
from flowmap.render.untrusted import plain

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 1rem/1.5 system-ui, sans-serif; max-width: 62rem; margin: 0 auto; padding: 1rem; overflow-wrap: anywhere; }}
h1 {{ font-size: 1.4rem; }}
p {{ margin: .3rem 0; }}
p:has(> .fm-heading:first-child) {{ margin-top: 1.5rem; }}
.fm-heading {{ font-weight: 600; font-size: 1.1rem; }}
.fm-symbol, .fm-place, .fm-code, .fm-guard {{ font-family: ui-monospace, monospace; font-size: .9em; }}
.fm-note, .fm-guard, .fm-below {{ opacity: .85; }}
.fm-warning, .fm-confidence {{ font-weight: 600; }}
.fm-tree, .fm-tree ul {{ list-style: none; padding-left: 1.2rem; margin: .3rem 0; }}
.fm-tree > li {{ border-left: 2px solid GrayText; padding-left: .7rem; margin: .6rem 0; }}
.fm-below {{ padding-left: 1rem; }}
.fm-wide {{ overflow-x: auto; }}
.fm-table {{ border-collapse: collapse; }}
.fm-table th, .fm-table td {{ border: 1px solid GrayText; padding: .2rem .5rem; text-align: left; vertical-align: top; }}
.fm-listing {{ overflow-x: auto; }}
</style>
</head>
<body>
<main>
<h1>{heading}</h1>
{content}
</main>
<footer>
{notes}
</footer>
</body>
</html>
"""


def write_document(view: View, stream: TextIO, link: str) -> None:
    """Write a View as a page. `link` is a pattern with {path} and {line} for places, "" for no links."""
    addresses = Addresses(lambda place: linked(link, place), nowhere, nowhere, nowhere, nowhere) if link else NO_ADDRESSES
    notes = (*view.notes, f"source: {view.source}")
    stream.write(
        _PAGE.format(
            title=escape(plain("".join(span.text for span in view.title))),
            heading=line_html(view.title, addresses),
            content=fragment(view.blocks, addresses),
            notes="\n".join(f"<p>{escape(plain(note))}</p>" for note in notes),
        )
    )
