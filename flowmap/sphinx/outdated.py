"""Which pages have to be written anew because the code base has changed: those whose answers have."""

from __future__ import annotations

import hashlib
from collections.abc import Set
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from flowmap.kept import open_subject
from flowmap.model.problem import FlowmapError
from flowmap.model.progress import SilentProgress
from flowmap.sphinx.domain import IDENTITY, MADE_BY, FlowDomain, flow_domain
from flowmap.sphinx.questions import digest
from flowmap.warm import own_files

_OWN = Path(__file__).parents[1]


def outdated_pages(app: Sphinx, env: BuildEnvironment, added: Set[str], changed: Set[str], removed: Set[str]) -> list[str]:
    """The pages of which an answer is another one than when they were read: all that ask, where another flowmap answers.

    No question is asked where nothing has changed.
    """
    domain = flow_domain(env)
    waiting = {name: asked for name, asked in domain.asked.items() if name not in (added | changed | removed)}
    if domain.data[MADE_BY] != _own_code():
        return list(waiting)
    if not waiting or domain.data[IDENTITY] == _identity(domain):
        return []
    return [name for name, asked in waiting.items() if any(digest(domain.subject, one) != was for one, was in asked)]


def note_identity(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """All pages have been read: remember which content they speak of. No further page has to be written for that."""
    domain = flow_domain(env)
    domain.forget_places()
    if domain.asked:
        domain.data[MADE_BY] = _own_code()
        domain.data[IDENTITY] = _identity(domain)
    return []


def _own_code() -> str:
    """Changes with the code of flowmap: another one may understand a question otherwise, and answer otherwise."""
    names = sorted(path.name for path in _OWN.iterdir() if path.is_dir() or path.suffix == ".py")
    return hashlib.blake2b(repr(own_files(_OWN, names)).encode(), digest_size=16).hexdigest()


def _identity(domain: FlowDomain) -> str:
    """Changes with the content of the code base; "" where it cannot be read, which the pages say."""
    try:
        return open_subject(domain.subject.choice(), SilentProgress()).identity
    except FlowmapError:
        return ""
