"""A graph as SVG or PNG: laid out by a program that reads Graphviz's language, within a time limit; SVG is light or dark as the
reader's page.

The program is `graphviz-pure`, which comes with pip; a `dot` of the system where it is missing, or whatever `FLOWMAP_DOT` names.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sysconfig
import time
from pathlib import Path

from flowmap.model.graph import Drawer
from flowmap.model.problem import ExitCode, FlowmapError, Problem

CHOICE = "FLOWMAP_DOT"
_PURE, _SYSTEM = "graphviz-pure", "dot"
_FIX = "pip install graphviz-pure, or install Graphviz; --format text, dot, json and mermaid need neither."
_LESS = "Draw less with --nodes or --depth, or wait longer with --time-limit; --format text needs no layout."
_PNG = b"\x89PNG"
_DOTS_PER_INCH = 144  # twice what a screen of old had
_WAYS = ((), ("-Gclusterrank=none",))  # without the frames of modules where it fails with them
_STYLE = """<style>
svg { background: #ffffff; color-scheme: light dark; }
text { font-family: Arial, Helvetica, "Liberation Sans", "DejaVu Sans", sans-serif; }
.node text, .graph > g > a > text { font-size: 11.5px; }
.cluster text { font-size: 10.5px; }
.edge text { font-size: 9px; }
.rows text { font-size: 10px; fill: #57606a; }
.rows text[font-family^="Courier"] { font-size: 10.5px; fill: #1b1f24;
  font-family: "DejaVu Sans Mono", Menlo, Consolas, "Liberation Mono", "Courier New", monospace; }
a:focus-visible { outline: 2px solid #0b5cad; }
.edge:hover path, .node:hover polygon, .node:hover path { stroke-width: 3; }
@media (prefers-color-scheme: dark) {
  svg { background: #14181d; }
  text { fill: #e6edf3; }
  .graph > text, .cluster text, .edge text, .rows text { fill: #a8b3bf; }
  .rows text[font-family^="Courier"] { fill: #e6edf3; }
  .node polygon, .node path, .node polyline, .node ellipse { fill: #20262d; stroke: #8b96a2; }
  .node.subject polygon, .node.subject path { fill: #4a3a10; stroke: #f0d58a; }
  .node.entry polygon, .node.entry path { fill: #12304d; }
  .cluster path, .cluster polygon { stroke: #4b5661; }
  .edge path { stroke: #d5dde5; }
  .edge polygon, .edge polyline { stroke: #d5dde5; fill: #d5dde5; }
  .edge ellipse { stroke: #d5dde5; fill: none; }
  .edge.inherits polygon, .edge.part polygon { fill: none; }
  .edge.inferred path, .edge.inferred polygon { stroke: #79b8ff; }
  .edge.possible path, .edge.possible polygon { stroke: #ffb77a; }
  .edge.again path, .edge.again polygon { stroke: #79b8ff; fill: #79b8ff; }
  .edge.raises path, .edge.raises polygon, .edge.later path, .edge.later polygon { stroke: #ffb77a; fill: #ffb77a; }
  .edge.again path, .edge.raises path, .edge.later path { fill: none; }
}
</style>
"""


def find_drawer() -> Drawer | None:
    """The program that draws, None when there is none. Errors: FlowmapError when `FLOWMAP_DOT` names none."""
    asked = os.environ.get(CHOICE, "")
    if asked:
        found = shutil.which(asked)
        if not found:
            raise FlowmapError(Problem(f"{CHOICE}={asked}", "is no program", f"Unset {CHOICE}, or name one: {CHOICE}=dot"))
        return Drawer(Path(found), CHOICE)
    beside = shutil.which(_PURE, path=sysconfig.get_path("scripts")) or shutil.which(_PURE)
    if beside:
        return Drawer(Path(beside), _PURE)
    system = shutil.which(_SYSTEM)
    return Drawer(Path(system), "the system's Graphviz") if system else None


def svg(text: str, seconds: float) -> str:
    """The picture of a graph that is given in Graphviz's language.

    Errors: FlowmapError when there is no program that draws, it fails, or it needs longer than `seconds`.
    """
    return styled(_drawn(text, seconds, "-Tsvg").decode("utf-8", "replace"))


def png(text: str, seconds: float) -> bytes:
    """The same as a picture of dots, on white. Errors: as `svg`."""
    return _drawn(text, seconds, "-Tpng", "-Gbgcolor=white", f"-Gdpi={_DOTS_PER_INCH}")


def _drawn(text: str, seconds: float, *form: str) -> bytes:
    drawer = find_drawer()
    if drawer is None:
        raise FlowmapError(Problem("graph", "nothing is installed that draws", _FIX))
    deadline = time.monotonic() + seconds
    said = ""
    for options in _WAYS:
        try:
            left = max(deadline - time.monotonic(), 0.001)
            done = _run(drawer, (*form, *options), text, left)
        except subprocess.TimeoutExpired as late:
            what = f"the layout took longer than {seconds:g} s"
            raise FlowmapError(Problem("graph", what, _LESS), code=ExitCode.FINDING) from late
        said = _error(done)
        if not said:
            return done.stdout
    raise FlowmapError(Problem(str(drawer.program), f"could not draw the graph: {said}", _LESS), code=ExitCode.FINDING)


def _run(drawer: Drawer, options: tuple[str, ...], text: str, seconds: float) -> subprocess.CompletedProcess[bytes]:
    command = [str(drawer.program), "-Kdot", *options]
    try:
        return subprocess.run(command, input=text.encode(), capture_output=True, timeout=seconds, check=False)
    except OSError as error:
        raise FlowmapError(Problem(str(drawer.program), f"cannot be run: {error.strerror}", _FIX)) from error


def _error(done: subprocess.CompletedProcess[bytes]) -> str:
    """What went wrong, "" when nothing did: an edge that could not be drawn is an error, too."""
    lines = done.stderr.decode("utf-8", "replace").splitlines()
    errors = [line for line in lines if line.lower().startswith("error")]
    if errors:
        return errors[0]
    is_drawn = b"<svg" in done.stdout or done.stdout.startswith(_PNG)
    return "" if done.returncode == 0 and is_drawn else f"it ended with {done.returncode}"


def styled(picture: str) -> str:
    """The picture without the head that only old readers need, with the styles of both colour schemes."""
    body = picture[picture.index("<svg") :]
    body = re.sub(r"<!--.*?-->\n?", "", body, flags=re.DOTALL)
    head, _, rest = body.partition(">")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{head} role="img">\n{_STYLE}{rest.lstrip()}'
