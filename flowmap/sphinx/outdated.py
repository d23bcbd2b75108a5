"""Which pages have to be written anew because the code base has changed: those whose answers have."""

from __future__ import annotations

from collections.abc import Set

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from flowmap.kept import open_subject
from flowmap.model.problem import FlowmapError
from flowmap.model.progress import SilentProgress
from flowmap.sphinx.domain import IDENTITY, FlowDomain, flow_domain
from flowmap.sphinx.questions import digest


def outdated_pages(app: Sphinx, env: BuildEnvironment, added: Set[str], changed: Set[str], removed: Set[str]) -> list[str]:
    """The pages of which an answer is another one than when they were read. No question is asked where nothing has changed."""
    domain = flow_domain(env)
    waiting = {name: asked for name, asked in domain.asked.items() if name not in (added | changed | removed)}
    if not waiting or domain.data[IDENTITY] == _identity(domain):
        return []
    return [name for name, asked in waiting.items() if any(digest(domain.subject, one) != was for one, was in asked)]


def note_identity(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """All pages have been read: remember which content they speak of. No further page has to be written for that."""
    domain = flow_domain(env)
    domain.forget_places()
    if domain.asked:
        domain.data[IDENTITY] = _identity(domain)
    return []


def _identity(domain: FlowDomain) -> str:
    """Changes with the content of the code base; "" where it cannot be read, which the pages say."""
    try:
        return open_subject(domain.subject.choice(), SilentProgress()).identity
    except FlowmapError:
        return ""
