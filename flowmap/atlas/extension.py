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

_SIDEBARS = ("brand", "atlas-search", "scroll-start", "navigation", "scroll-end")


def setup(app: Sphinx) -> ExtensionMetadata:
    """What Sphinx calls to load the extension."""
    app.connect("config-inited", _configure)
    app.connect("builder-inited", _with_static_files)
    app.connect("html-collect-pages", source_pages)
    for script in ("atlas-names.js", "atlas.js"):
        app.add_js_file(script, loading_method="defer")
    for style in ("answers.css", "atlas.css"):
        app.add_css_file(style)
    return {"version": version("flowmap-py"), "parallel_read_safe": True, "parallel_write_safe": True}


def _configure(_app: Sphinx, config: Config) -> None:
    config.html_theme = "furo"
    config.templates_path = ["_templates"]
    config.exclude_patterns = ["_static", "_templates", "pictures", "source_pages"]
    config.html_sidebars = {"**": [f"sidebar/{name}.html" for name in _SIDEBARS]}
    config.html_use_index = False
    config.html_domain_indices = False
    config.html_copy_source = False
    config.html_show_sourcelink = False
    config.html_show_copyright = False
    config.html_permalinks = False


def _with_static_files(app: Sphinx) -> None:
    """The sources may lie in the folder of the site, from where Sphinx itself takes no static files."""
    shutil.copytree(Path(app.srcdir, "_static"), Path(app.outdir, "_static"), dirs_exist_ok=True)


def source_pages(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """The annotated files: pages that are no documents, since nothing in them is for Sphinx to read."""
    folder = Path(app.srcdir)
    for one in json.loads((folder / "source_pages" / "all.json").read_text(encoding="utf-8")):
        body = (folder / one["file"]).read_text(encoding="utf-8")
        parents = [{"link": _up(one["page"]), "title": "Source"}]
        yield one["page"], {"title": one["title"], "body": body, "parents": parents, "toc": "", "display_toc": False}, "page.html"


def _up(page: str) -> str:
    return "../" * (page.count("/") - 1) + "index.html"
