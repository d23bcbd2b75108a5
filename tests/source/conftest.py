"""A cache of its own for each test, and a package index on this machine that holds what a test publishes."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import os
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from flowmap.source import pip


@dataclass(slots=True)
class Index:
    """A simple package index. `asked` lists the paths that were asked for."""

    url: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    hashes: dict[str, str] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    password: str = ""  # what `user` must give to get an answer
    speaks_json: bool = False

    def publish(self, name: str, content: bytes) -> str:
        """Offer a file; its sha256 is given back."""
        self.files[name] = content
        self.hashes[name] = hashlib.sha256(content).hexdigest()
        return self.hashes[name]

    @property
    def authorization(self) -> str:
        """What a request must say of the user."""
        return "Basic " + base64.b64encode(f"user:{self.password}".encode()).decode() if self.password else ""

    def content_type(self, path: str) -> str:
        """Of a file or a page."""
        page = "application/vnd.pypi.simple.v1+json" if self.speaks_json else "text/html"
        return "application/octet-stream" if path.startswith("/files/") else page

    def answer(self, path: str) -> bytes | None:
        """The content at a path: a project's page, or a file."""
        self.asked.append(path)
        kind, _, name = path.strip("/").partition("/")
        if kind == "files":
            return self.files.get(name)
        offered = [file for file in self.files if file.lower().replace("_", "-").startswith(f"{name}-")]
        if self.speaks_json:
            rows = [{"filename": file, "url": f"/files/{file}", "hashes": {"sha256": self.hashes[file]}} for file in offered]
            return json.dumps({"meta": {"api-version": "1.0"}, "name": name, "files": rows}).encode() if offered else None
        links = "".join(f'<a href="/files/{file}#sha256={self.hashes[file]}">{file}</a>' for file in offered)
        return f"<!DOCTYPE html><html><body>{links}</body></html>".encode() if offered else None


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache folder of this test, which is not there yet. Nothing of the user's environment names a source."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("FLOWMAP_CACHE", str(folder))
    monkeypatch.delenv("FLOWMAP_SOURCE", raising=False)
    return folder


@pytest.fixture
def index(monkeypatch: pytest.MonkeyPatch) -> Iterator[Index]:
    """An index that pip and flowmap are configured to use, and no other."""
    published = Index()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            is_let_in = self.headers.get("Authorization", "") == published.authorization
            content = published.answer(self.path) if is_let_in else None
            self.send_response((200 if content is not None else 404) if is_let_in else 401)
            self.send_header("Content-Type", published.content_type(self.path))
            self.send_header("Content-Length", str(len(content or b"")))
            self.end_headers()
            self.wfile.write(content or b"")

        def log_message(self, format: str, *args: object) -> None:
            """Stays silent."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        published.url = f"http://127.0.0.1:{server.server_port}/simple"
        use_index(published.url, monkeypatch)
        yield published
        server.shutdown()
        thread.join()
    pip.pip_settings.cache_clear()


def use_index(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Configure pip with this index alone."""
    for name in [name for name in os.environ if name.upper().startswith("PIP_") or name.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_INDEX_URL", url)
    monkeypatch.setenv("PIP_NO_CACHE_DIR", "1")
    pip.pip_settings.cache_clear()


def zipped(files: dict[str, str]) -> bytes:
    """A zip file with these texts."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, text in files.items():
            archive.writestr(zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0)), text)
    return stream.getvalue()


def wheel(name: str, version: str, files: dict[str, str]) -> bytes:
    """A wheel of a project with these files, for whatever platform its file name says."""
    metadata = f"{name}-{version}.dist-info"
    return zipped(
        files
        | {
            f"{metadata}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
            f"{metadata}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
            f"{metadata}/RECORD": "",
        }
    )


def tarred(members: list[tarfile.TarInfo], texts: dict[str, str]) -> bytes:
    """A `.tar.gz` with these members, then these texts as plain files."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        for member in members:
            archive.addfile(member)
        for name, text in texts.items():
            member = tarfile.TarInfo(name)
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
    return stream.getvalue()


def write_tree(folder: Path, files: dict[str, str]) -> Path:
    """Write texts below a folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder
