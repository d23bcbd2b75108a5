"""Pages and files from the network, with the certificate, proxy and credentials that the user's pip is configured with."""

from __future__ import annotations

import base64
import hashlib
import netrc
import os
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import unquote, urlsplit, urlunsplit
from urllib.request import HTTPSHandler, OpenerDirector, ProxyHandler, Request, build_opener

from flowmap.model.problem import FlowmapError, Problem
from flowmap.model.progress import Progress
from flowmap.source.pip import PipSettings

_ACCEPT = "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1, */*;q=0.01"
_TIMEOUT = 30.0  # seconds
_CHUNK = 2**18
_MAX_PAGE_BYTES = 256 * 2**20


class UnreachableError(Exception):
    """A page or file that could not be had. The text names the host and the reason, and no credentials."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page and the address that it came from in the end."""

    url: str
    text: str


def read_page(url: str, settings: PipSettings) -> Page | None:
    """A page, None when the server says that there is none. Errors: UnreachableError."""
    try:
        with _open(url, settings) as answer:
            content = answer.read(_MAX_PAGE_BYTES)
            return Page(answer.geturl(), content.decode("utf-8", "replace"))
    except _MissingError:
        return None


def fetch_file(url: str, digest: str, target: Path, settings: PipSettings, progress: Progress) -> None:
    """Save a file, and verify it by its digest ("sha256=…"). Only a file of this machine may come without one.

    Errors: FlowmapError when it cannot be had or has another digest; then nothing is left at `target`.
    """
    kind, _, expected = digest.partition("=")
    if not digest and urlsplit(url).scheme != "file":
        what = "the index names no hash for it, so it cannot be verified"
        raise FlowmapError(Problem(target.name, what, "Use another index."))
    found = hashlib.new(kind or "sha256")
    try:
        with _open(url, settings) as answer, target.open("wb") as stream:
            for chunk in _chunks(answer, target.name, progress):
                found.update(chunk)
                stream.write(chunk)
    except (UnreachableError, _MissingError) as error:
        fix = "Check the network and `pip config list`."
        raise FlowmapError(Problem(target.name, f"cannot be fetched: {error}", fix)) from None
    if expected and found.hexdigest() != expected.lower():
        target.unlink()
        what = f"has another {kind} than the index says"
        raise FlowmapError(Problem(target.name, what, "Try again, or check the index's mirror."))


def _chunks(answer: Any, name: str, progress: Progress) -> Iterator[bytes]:
    progress.start(f"fetching {name}", int(answer.headers.get("Content-Length") or 0))
    try:
        while chunk := answer.read(_CHUNK):
            progress.advance(len(chunk))
            yield chunk
    finally:
        progress.finish()


class _MissingError(Exception):
    """The server answered that there is no such page."""


@contextmanager
def _open(url: str, settings: PipSettings) -> Iterator[Any]:
    parts = urlsplit(url)
    bare = urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))
    request = Request(bare, headers={"Accept": _ACCEPT, "User-Agent": "flowmap"})
    if authorization := _authorization(url, settings):
        request.add_unredirected_header("Authorization", authorization)  # never passed on to another host
    try:
        with _opener(parts.hostname or "", settings).open(request, timeout=_TIMEOUT) as answer:
            yield answer
    except HTTPError as error:
        if error.code in (404, 410):
            raise _MissingError("there is no such file") from None
        raise UnreachableError(f"{parts.hostname} answers {error.code} {error.reason}") from None
    except URLError as error:
        if isinstance(error.reason, FileNotFoundError) or (parts.scheme == "file" and not Path(parts.path).exists()):
            raise _MissingError("there is no such file") from None
        raise UnreachableError(f"{parts.hostname or parts.path}: {error.reason}") from None
    except (OSError, HTTPException) as error:
        raise UnreachableError(f"{parts.hostname or parts.path}: {error}") from None


def _opener(host: str, settings: PipSettings) -> OpenerDirector:
    proxy = ProxyHandler({"http": settings.proxy, "https": settings.proxy}) if settings.proxy else ProxyHandler()
    return build_opener(proxy, HTTPSHandler(context=_tls(host, settings)))


def _tls(host: str, settings: PipSettings) -> ssl.SSLContext:
    if any(trusted.partition(":")[0] == host for trusted in settings.trusted_hosts):
        return ssl._create_unverified_context()
    if not settings.certificate:
        return ssl.create_default_context()
    if os.path.isdir(settings.certificate):
        return ssl.create_default_context(capath=settings.certificate)
    return ssl.create_default_context(cafile=settings.certificate)


def _authorization(url: str, settings: PipSettings) -> str:
    """Credentials for this very host: from the address, from an index's address on the same host, or from the user's netrc."""
    asked = urlsplit(url)
    host = asked.hostname
    for address in (url, *settings.indexes, *settings.find_links):
        parts = urlsplit(address)
        if parts.username and (parts.scheme, parts.hostname, parts.port) == (asked.scheme, host, asked.port):
            return _basic(unquote(parts.username), unquote(parts.password or ""))
    try:
        known = netrc.netrc().authenticators(host or "")
    except (OSError, netrc.NetrcParseError):
        return ""
    return _basic(known[0], known[2] or "") if known else ""


def _basic(user: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()
