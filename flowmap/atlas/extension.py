"""What makes a site of an atlas's sources with Sphinx: its theme, its search, and the annotated files as pages."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.util.typing import ExtensionMetadata

from flowmap.atlas.domain import AtlasDomain

_CODE = Path(__file__)
_SIDEBARS = ("brand", "atlas-search", "scroll-start", "navigation", "scroll-end")


def setup(app: Sphinx) -> ExtensionMetadata:
    """What Sphinx calls to load the extension."""
    app.add_domain(AtlasDomain)
    app.connect("config-inited", _configure)
    app.connect("builder-inited", _with_static_files)
    app.connect("html-collect-pages", source_pages)
    app.add_js_file("atlas.js", loading_method="defer")
    for style in ("answers.css", "atlas.css"):
        app.add_css_file(style)
    return {"version": version("flowmap-py"), "parallel_read_safe": True, "parallel_write_safe": True}


def _configure(_app: Sphinx, config: Config) -> None:
    config.html_theme = "furo"
    config.templates_path = ["_templates"]
    config.exclude_patterns = ["_static", "_templates", "pictures", "source_pages", "kept"]
    config.html_sidebars = {"**": [f"sidebar/{name}.html" for name in _SIDEBARS]}
    config.html_use_index = False
    config.html_domain_indices = False
    config.html_copy_source = False
    config.html_show_sourcelink = False
    config.html_show_copyright = False
    config.html_permalinks = False
    config.html_show_search_summary = False  # it would load each page that was found, which a folder does not allow


def _with_static_files(app: Sphinx) -> None:
    """The sources may lie in the folder of the site, from where Sphinx itself takes no static files."""
    shutil.copytree(Path(app.srcdir, "_static"), Path(app.outdir, "_static"), dirs_exist_ok=True)


def source_pages(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """The annotated files: pages that are no documents, since nothing in them is for Sphinx to read. One that was written after
    its body and after this code is left as it is."""
    folder = Path(app.srcdir) / "source_pages"
    for one in json.loads((folder / "all.json").read_text(encoding="utf-8")):
        page = one["page"]
        body, made = folder / f"{page}.html", Path(app.outdir) / f"{page}.html"
        sources = (body, _CODE, Path(app.confdir, "conf.py"))
        if made.is_file() and made.stat().st_mtime > max(path.stat().st_mtime for path in sources):
            continue
        yield page, _context(page, one["title"], body.read_text(encoding="utf-8")), "page.html"


def _context(page: str, title: str, body: str) -> dict[str, Any]:
    """What the theme's template is given."""
    home = "../" * (page.count("/") - 1) + "index.html"
    return {"title": title, "body": body, "parents": [{"link": home, "title": "Source"}], "toc": "", "display_toc": False}
