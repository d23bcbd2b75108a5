"""Makes the site: writes the sources of an atlas beside it, and has Sphinx read them."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.errors import SphinxError
from sphinx.util.docutils import docutils_namespace, patch_docutils

from flowmap.atlas.counted import Counted
from flowmap.atlas.slice import Slice
from flowmap.atlas.sources import write_sources
from flowmap.model.problem import ExitCode, FlowmapError, Problem
from flowmap.model.progress import Progress, SilentProgress
from flowmap.store.index import Index

_SILENT = SilentProgress()
_BESIDE = ".flowmap"  # in the folder of the site: its sources, and what Sphinx keeps to make it again quickly
_MARK = "_static/atlas-names.js"  # in every site, wherever it was copied to


@dataclass(frozen=True, slots=True)
class Site:
    """Where a site is to be made, and by how many processes."""

    folder: Path
    n_jobs: int


def check_folder(folder: Path) -> None:
    """A site is made in a folder that is new, or empty but for hidden files, or holds a site already.

    Errors: FlowmapError when it holds anything else: pages would be written over it.
    """
    if (folder / _BESIDE).is_dir() or (folder / _MARK).is_file() or not folder.is_dir():
        return
    foreign = sorted(path.name for path in folder.iterdir() if not path.name.startswith("."))
    if foreign:
        what = f"holds {foreign[0]}{' and other things' if len(foreign) > 1 else ''}, and is no site that flowmap made"
        raise FlowmapError(Problem(str(folder), what, f"Name a folder of its own: -o {folder / 'atlas'}"))


def build_atlas(index: Index, slice_: Slice, site: Site, progress: Progress = _SILENT) -> Counted:
    """Make the site of a slice.

    Errors: FlowmapError when the folder cannot be written or is another's, the overview cannot be filled in, or Sphinx warns.
    """
    beside = site.folder / _BESIDE
    sources = beside / "sources"
    try:
        check_folder(site.folder)
        sources.mkdir(parents=True, exist_ok=True)
        counted = write_sources(index, slice_, sources, progress)
        progress.start("making the site", 0)
        warnings = _sphinx(sources, site, beside / "doctrees")
    except OSError as error:
        raise FlowmapError(Problem(str(error.filename or site.folder), f"cannot be written: {error.strerror}")) from error
    finally:
        progress.finish()
    if warnings:
        raise FlowmapError(*(Problem("Sphinx", line) for line in warnings), code=ExitCode.FINDING)
    return counted


def _sphinx(sources: Path, site: Site, doctrees: Path) -> list[str]:
    """Run Sphinx, and give what it warns of."""
    said = io.StringIO()
    try:
        with patch_docutils(str(sources)), docutils_namespace():
            app = Sphinx(sources, sources, site.folder, doctrees, "html", status=None, warning=said, parallel=site.n_jobs)
            app.build()
    except SphinxError as error:
        return [f"{error.category}: {error}"]
    return [line for line in said.getvalue().splitlines() if line.strip()]
