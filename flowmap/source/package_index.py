"""The files that package indexes offer for a project: simple pages (PEP 503, PEP 691), and folders of files."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin, urlsplit
from urllib.request import url2pathname

from packaging.utils import (
    InvalidSdistFilename,
    InvalidWheelFilename,
    canonicalize_name,
    parse_sdist_filename,
    parse_wheel_filename,
)
from packaging.version import InvalidVersion, Version

from flowmap.model.problem import FlowmapError, Problem
from flowmap.source.pip import PipSettings
from flowmap.source.web import UnreachableError, read_page

_HASH = re.compile(r"(sha256|sha384|sha512)=([0-9a-f]+)")


@dataclass(frozen=True, slots=True)
class PublishedFile:
    """A wheel or sdist that an index offers. `digest` is "sha256=…", "" where the index names none."""

    name: str
    url: str
    version: Version
    digest: str
    is_yanked: bool

    @property
    def is_wheel(self) -> bool:
        """Whether it is a wheel; else it is an sdist."""
        return self.name.endswith(".whl")

    @property
    def preference(self) -> tuple[bool, bool, bool, bool, str]:
        """Sorts the files of one version, alike on every machine: wheels first, those for any platform before the others."""
        is_pure = self.name.endswith("-none-any.whl")
        return not self.is_wheel, not is_pure, "manylinux" not in self.name, "x86_64" not in self.name, self.name


@dataclass(frozen=True, slots=True)
class Offer:
    """All files of a project that the user's indexes offer, by version and preference.

    `unreachable` says which index did not answer, and why: there may be more than `files` then. "" when all did.
    """

    project: str
    files: tuple[PublishedFile, ...]
    unreachable: str

    def absence(self) -> FlowmapError:
        """The error for what is missed in an offer that is not whole."""
        what = f"is not in the cache, and the index cannot be reached: {self.unreachable}"
        fix = "Check the network and `pip config list`; releases fetched before work without a network."
        return FlowmapError(Problem(f"pypi:{self.project}", what, fix))


def offer_of(project: str, settings: PipSettings) -> Offer:
    """Ask every index of the user for a project. A project that is nowhere has an offer without files."""
    files: list[PublishedFile] = []
    unreachable = []
    for address in _addresses(project, settings):
        try:
            files += _files_at(address, project, settings)
        except UnreachableError as error:
            unreachable.append(str(error))
    by_version = tuple(sorted(files, key=lambda file: (file.version, file.preference)))
    return Offer(project, by_version, unreachable[0] if unreachable else "")


def as_url(text: str) -> str:
    """An address of an index or a file: pip takes plain paths too."""
    return text if "://" in text or text.startswith("file:") else Path(os.path.abspath(os.path.expanduser(text))).as_uri()


def local_path(url: str) -> Path | None:
    """The path that a `file:` address names, None for others."""
    parts = urlsplit(url)
    return Path(url2pathname(parts.path)) if parts.scheme == "file" else None


def _addresses(project: str, settings: PipSettings) -> tuple[str, ...]:
    pages = (f"{as_url(index).rstrip('/')}/{canonicalize_name(project)}/" for index in settings.indexes)
    return (*pages, *map(as_url, settings.find_links))


def _files_at(address: str, project: str, settings: PipSettings) -> tuple[PublishedFile, ...]:
    folder = local_path(address)
    if folder is not None and folder.is_dir() and not (folder / "index.html").is_file():
        links = tuple(_Link(path.as_uri(), path.name, "", False) for path in sorted(folder.iterdir()) if path.is_file())
    elif folder is not None and folder.is_file() and not folder.name.endswith((".html", ".htm")):
        links = (_Link(folder.as_uri(), folder.name, "", False),)
    else:
        page = read_page(address if folder is None or folder.is_file() else (folder / "index.html").as_uri(), settings)
        links = () if page is None else _links(page.url, page.text)
    files = (_published(link, project) for link in links if _is_allowed(link.url, address))
    return tuple(file for file in files if file is not None)


def _is_allowed(url: str, page: str) -> bool:
    """A page from the network may not name files of this machine."""
    scheme = urlsplit(url).scheme
    return scheme in ("http", "https") or (scheme == "file" and urlsplit(page).scheme == "file")


@dataclass(frozen=True, slots=True)
class _Link:
    url: str
    name: str
    digest: str
    is_yanked: bool


def _links(url: str, text: str) -> tuple[_Link, ...]:
    if text.lstrip().startswith("{"):
        return _links_of_json(url, text)
    parser = _SimplePage(url)
    parser.feed(text)
    return tuple(parser.links)


def _links_of_json(url: str, text: str) -> tuple[_Link, ...]:
    try:
        rows = json.loads(text)["files"]
        return tuple(_link_of_row(url, row) for row in rows)
    except (ValueError, KeyError, TypeError, AttributeError):
        raise UnreachableError(f"{urlsplit(url).hostname} does not answer as a package index") from None


def _link_of_row(url: str, row: dict[str, object]) -> _Link:
    hashes = row.get("hashes")
    known = hashes if isinstance(hashes, dict) else {}
    digest = next((f"{kind}={known[kind]}" for kind in ("sha256", "sha384", "sha512") if kind in known), "")
    return _Link(urljoin(url, str(row["url"])), str(row["filename"]), digest, bool(row.get("yanked")))


class _SimplePage(HTMLParser):
    """Collects the links of a simple page."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self._base = url
        self.links: list[_Link] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Notes the page's base and its links."""
        attributes = dict(attrs)
        href = attributes.get("href") or ""
        if tag == "base" and href:
            self._base = urljoin(self._base, href)
        if tag == "a" and href:
            url, fragment = urldefrag(urljoin(self._base, href))
            match = _HASH.search(fragment)
            name = unquote(urlsplit(url).path.rpartition("/")[2])
            self.links.append(_Link(url, name, match[0] if match else "", "data-yanked" in attributes))


def _published(link: _Link, project: str) -> PublishedFile | None:
    """None for what is no file of the project: another project's, an egg, an installer."""
    try:
        if link.name.endswith(".whl"):
            name, version = parse_wheel_filename(link.name)[:2]
        else:
            name, version = parse_sdist_filename(link.name)
    except (InvalidWheelFilename, InvalidSdistFilename, InvalidVersion):
        return None
    if name != canonicalize_name(project):
        return None
    return PublishedFile(link.name, link.url, version, link.digest, link.is_yanked)
