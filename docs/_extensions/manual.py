"""Makes those pages of the manual that stand elsewhere: the cases, the rules, and what the repository says of itself.

They are written into folders that version control ignores: `cases`, `rules`, `project`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from links import PAGES, ROOT, with_links_of_the_manual, write_if_changed
from rule_pages import Case, case_body, rule_pages
from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

_DOCS = Path(__file__).parents[1]
_MADE = ("cases", "rules", "project")


def setup(app: Sphinx) -> ExtensionMetadata:
    """What Sphinx calls to load the extension."""
    app.connect("config-inited", lambda _app, _config: write_pages())
    app.connect("source-read", _relinked)
    app.connect("html-page-context", _for_everyone, priority=900)  # after the theme
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def _for_everyone(_app: Sphinx, _page: str, _template: str, context: dict[str, Any], _doctree: object) -> None:
    """What the theme leaves out for those who listen or type: the level of captions, code that scrolls by the keyboard."""
    for part in ("body", "furo_navigation_tree"):
        if isinstance(context.get(part), str):
            text = context[part].replace('class="caption" role="heading"', 'class="caption" role="heading" aria-level="2"')
            context[part] = text.replace("<pre>", '<pre tabindex="0">')


def write_pages() -> None:
    """All pages that are made; those that are left of what is gone are removed."""
    pages = {**{page: _of_the_repository(file, page) for file, page in PAGES.items()}, **rule_pages()}
    pages["cases/index"] += _chapters()
    for page, text in pages.items():
        write_if_changed(_DOCS / f"{page}.md", text)
    for path in (path for folder in _MADE for path in (_DOCS / folder).glob("*.md")):
        if path.relative_to(_DOCS).with_suffix("").as_posix() not in pages:
            path.unlink()


def _of_the_repository(file: str, page: str) -> str:
    text = ROOT.joinpath(file).read_text(encoding="utf-8")
    if file.startswith("tests/cases/") and page != "cases/index":
        text = case_body(Case("", "", text))
    return with_links_of_the_manual(text, file, f"docs/{page}.md")


def _chapters() -> str:
    names = sorted(page.partition("/")[2] for page in PAGES.values() if page.startswith("cases/") and page != "cases/index")
    return "\n```{toctree}\n:caption: Chapters\n:maxdepth: 1\n\n" + "\n".join([*names, "known-wrong"]) + "\n```\n"


def _relinked(_app: Sphinx, docname: str, source: list[str]) -> None:
    """Links of the hand-written pages to files of the repository, too, lead where the manual has them."""
    if not docname.startswith(_MADE):
        source[0] = with_links_of_the_manual(source[0], f"docs/{docname}.md", f"docs/{docname}.md")
