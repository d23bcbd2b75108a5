"""The manual's page about the extension is made from the code; `make goldens` writes it anew."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path

import pytest

from flowmap.sphinx import SETTINGS
from flowmap.sphinx.directives import DIRECTIVES, FlowDirective

pytestmark = pytest.mark.golden
PAGE = Path(__file__).parents[2] / "docs" / "reference" / "sphinx.md"
SHARED = ("profile", "assume", "verbose", "no-index")
MEANS = {
    "profile": "The profile that the answer is for.",
    "assume": "Assumptions as `Class.field=VALUE`, one a line.",
    "verbose": "Everything: evidence, and what is only counted otherwise.",
    "no-index": "Links to what is told about do not lead here.",
    "up": "Only what leads to it.",
    "down": "Only what it leads to.",
    "to": "To what: the ways from NAME to it.",
    "depth": "How many steps away.",
    "stop-at": "Names that are not looked into, `*` and `?` allowed; blanks between them.",
    "watch": "Fields whose accesses are marked; blanks between them.",
    "confidence": "The weakest answers to show: `proven`, `inferred`, `possible`.",
    "kind": "What is drawn: `calls`, `classes`, `mixins`, `modules`, `control`, `state`, `query`. Default: what suits the name.",
    "nodes": "The most to draw.",
    "owner": "Only the fields of this class.",
    "access": "Only these kinds of access; blanks between them.",
    "limit": "At most so many ways.",
    "profiles": "The profiles that the report is for; without any those that the file names.",
    "most-steps": "Where the search stops.",
}
TAKES = {
    "flowmap-trace": "NAME or FILE:LINE",
    "flowmap-graph": "NAME, FILE:LINE, FIELD, or with `:kind: query` what `flowmap-query` takes",
    "flowmap-state": "FIELD or CLASS.FIELD, several with blanks between them",
    "flowmap-flow": "FROM, as `flowmap flow` takes it",
    "flowmap-mro": "CLASS",
    "flowmap-query": "the NAME of a query, or a FILE as seen from the folder of `conf.py`",
    "flowmap-hooks": "a FILE as seen from the folder of `conf.py`, or the NAME of a question about hooks",
    "flowmap-source": "NAME, FILE:A-B, FILE:A or FILE",
}
HEAD = """# The extension for Sphinx

This page is made from the code (`make goldens`). [How to use it](../how-to/put-answers-into-a-manual.md).

## Settings

In `conf.py`, beside `extensions = ["flowmap.sphinx"]`:

| setting | what it says |
|---|---|
"""
ROLES = """## Roles

| role | links to |
|---|---|
| `flow:func` | a function or method, or the construction of a class |
| `flow:class` | a class |
| `flow:field` | a field, as CLASS.FIELD |

A name may be as short as it is unique. The page that a link leads to is one with a `flowmap-trace`, `flowmap-mro` or
`flowmap-state` of that name; of several the first by name, leaving out those that say `no-index`. Without any the link leads to
the source, where `flowmap_link` says where that is.

## Directives

All take these options:
"""


def page() -> str:
    """The whole page."""
    settings = "\n".join(f"| `{each.name}` | {each.description} |" for each in SETTINGS)
    shared = table(SHARED)
    return "\n".join([HEAD + settings + "\n", ROLES, shared, *(part for each in DIRECTIVES.items() for part in section(*each))])


def section(name: str, directive: type[FlowDirective]) -> Iterator[str]:
    """What is said of one directive."""
    yield f"### {name}\n"
    yield f"{inspect.cleandoc(directive.__doc__ or '')} Takes {TAKES[name]}.\n"
    own = tuple(each for each in directive.option_spec if each not in SHARED)
    if own:
        yield table(own)


def table(names: tuple[str, ...]) -> str:
    """A table of options."""
    rows = "\n".join(f"| `{name}` | {MEANS[name]} |" for name in names)
    return f"| option | what it does |\n|---|---|\n{rows}\n"


def test_the_page_is_what_the_code_says(request: pytest.FixtureRequest) -> None:
    """Nothing is told of the extension that it does not do, and nothing is left out."""
    text = page()
    if request.config.getoption("--rewrite-goldens"):
        PAGE.write_text(text, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == text, "see how with: make goldens && git diff docs"
