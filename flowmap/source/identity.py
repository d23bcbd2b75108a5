"""What tells one content of a source from another."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

from flowmap.model.source import SourceFile

_CHUNK = 2**20


def identity_of(files: tuple[SourceFile, ...]) -> str:
    """Follows from the files' paths and contents alone."""
    return "files:" + digest_of_texts(f"{file.path}\0{file.digest}" for file in files)


def digest_of_texts(texts: Iterable[str]) -> str:
    """A sha256 over texts in their order."""
    digest = hashlib.sha256()
    for text in texts:
        digest.update(text.encode("utf-8", "surrogatepass") + b"\n")
    return digest.hexdigest()


def sha256_of(path: Path) -> str:
    """The sha256 of a file. Errors: OSError."""
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
