"""The extension for Sphinx: `extensions = ["flowmap.sphinx"]` in `conf.py` puts what flowmap knows of a code base into pages.

The directives answer questions with the reports of the command line; `:flow:func:`, `:flow:class:` and `:flow:field:` link to
where a function, a class or a field is told about.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Literal

from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.util.typing import ExtensionMetadata

from flowmap.sphinx.answers import FlowAnswer, Unfolding
from flowmap.sphinx.directives import DIRECTIVES
from flowmap.sphinx.domain import FlowDomain, flow_domain, told_as_unknown
from flowmap.sphinx.outdated import note_identity, outdated_pages

_STATIC = (
    *(Path(str(files("flowmap.atlas").joinpath("static", name))) for name in ("answers.css", "atlas.js")),
    Path(__file__).parent / "static",
)


@dataclass(frozen=True, slots=True)
class Setting:
    """A name that `conf.py` may set. A change of what `rebuild` says "env" of has all pages read again."""

    name: str
    default: object
    types: tuple[type, ...]
    description: str
    rebuild: Literal["", "env"] = "env"


SETTINGS = (
    Setting("flowmap_source", "", (str, list, tuple), "What is asked about, as behind `--source`; several in a list."),
    Setting("flowmap_exclude", (), (list, tuple), "Globs of files that are left out."),
    Setting("flowmap_profile", "", (str,), "The profile that answers are for."),
    Setting(
        "flowmap_link",
        "",
        (str,),
        "Where source can be seen, with `{path}`, `{line}` and `{version}`; without it what an atlas of the project says.",
    ),
    Setting("flowmap_seconds", 20.0, (float, int), "How long the layout of a graph may take."),
    Setting("flowmap_folder", "", (str,), "From where sources are seen; without it the folder of `conf.py`.", ""),
)


def setup(app: Sphinx) -> ExtensionMetadata:
    """What Sphinx calls to load the extension."""
    for each in SETTINGS:
        app.add_config_value(each.name, each.default, each.rebuild, frozenset(each.types), each.description)
    app.add_domain(FlowDomain)
    app.add_node(FlowAnswer)
    app.add_post_transform(Unfolding)
    for name, directive in DIRECTIVES.items():
        app.add_directive(name, directive)
    for style in ("answers.css", "flowmap.css"):
        app.add_css_file(style)
    app.add_js_file("atlas.js", loading_method="defer")
    app.connect("config-inited", _at_home)
    app.connect("builder-inited", _ready)
    app.connect("env-get-outdated", outdated_pages)
    app.connect("env-updated", note_identity)
    app.connect("warn-missing-reference", told_as_unknown)
    return {"version": version("flowmap-py"), "env_version": 1, "parallel_read_safe": True, "parallel_write_safe": True}


def _at_home(app: Sphinx, config: Config) -> None:
    """Sources are named as seen from the folder of `conf.py`."""
    config.flowmap_folder = str(Path(app.confdir, config.flowmap_folder).resolve())


def _ready(app: Sphinx) -> None:
    flow_domain(app.env).builder = app.builder
    app.config.html_static_path += map(str, _STATIC)
