"""How Sphinx builds the manual: `make docs`."""

from __future__ import annotations

import sys
from pathlib import Path

_HERE = Path(__file__).parent
sys.path[:0] = [str(_HERE.parent), str(_HERE / "_extensions")]

project = "flowmap"
copyright = "the flowmap authors"
extensions = ["manual", "flowmap.sphinx", "myst_parser", "sphinx_design", "sphinx_copybutton"]
exclude_patterns = ["_build", "evidence", "example"]
html_theme = "furo"
html_title = "flowmap"
html_static_path = ["_static"]
html_css_files = ["manual.css"]
html_js_files = ["tables.js"]
html_copy_source = False
html_show_search_summary = False  # a page opened from a disk may not fetch others
html_show_sourcelink = False
html_theme_options = {"navigation_with_keys": True}

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4
copybutton_prompt_text = "$ "  # what is copied is what is typed
copybutton_only_copy_prompt_lines = True
copybutton_line_continuation_character = "\\"

flowmap_source = "example/shop"
