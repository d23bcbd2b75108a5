"""Files of the repository that are pages of the manual, and links to them as the manual has them."""

from __future__ import annotations

import os
import posixpath
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = {  # file of the repository -> page of the manual
    "README.md": "project/readme",
    "ARCHITECTURE.md": "project/architecture",
    "CONTRIBUTING.md": "project/contributing",
    "CHANGELOG.md": "project/changelog",
    "queries/README.md": "project/queries",
    "tests/cases/README.md": "cases/index",
} | {f"tests/cases/{path.name}": f"cases/{path.stem}" for path in (ROOT / "tests" / "cases").glob("[a-z]*.md")}
_LINK = re.compile(r"\]\((?P<path>[^)\s#:]+)(?P<anchor>#[^)\s]*)?\)")


def with_links_of_the_manual(text: str, written_at: str, shown_at: str) -> str:
    """A text in Markdown whose links to files lead where the manual has them.

    `written_at` is the file that it stands in, `shown_at` the one that Sphinx reads, both as seen from the repository. Links to
    what is no file stay.
    """

    def link(found: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(written_at), found["path"]))
        if not (ROOT / target).is_file():
            return found[0]
        there = f"docs/{PAGES[target]}.md" if target in PAGES else target
        return f"]({posixpath.relpath(there, posixpath.dirname(shown_at))}{found['anchor'] or ''})"

    return _LINK.sub(link, text)


def write_if_changed(path: Path, text: str) -> None:
    """Write a page, but leave it alone where it says the same: it is not read again then."""
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline=os.linesep if os.name == "posix" else "\n")
