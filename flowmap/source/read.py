"""The text of a file of the subject, as bytes."""

from __future__ import annotations

import hashlib
from pathlib import Path

from flowmap.model.problem import FlowmapError, Problem
from flowmap.model.source import SourceFile


def read_bytes(file: SourceFile) -> bytes:
    """The content whose digest `file` carries.

    Errors: FlowmapError when the file cannot be read, or no longer has that content: what is derived from it is kept
    under the digest, so other content must never pass.
    """
    try:
        content = Path(file.location).read_bytes()
    except OSError as error:
        fix = f"See {file.location}; if that lies in the cache, run `flowmap cache prune`."
        raise FlowmapError(Problem(file.path, f"cannot be read: {error.strerror}", fix)) from error
    if digest_of(content) != file.digest:
        raise FlowmapError(Problem(file.path, "changed while it was being read", f"Run the command again ({file.location})."))
    return content


def digest_of(content: bytes) -> str:
    """The digest under which facts about this content are kept: 32 hexadecimal digits."""
    return hashlib.blake2b(content, digest_size=16).hexdigest()
