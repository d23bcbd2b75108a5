"""The manual can be built without a warning, and no link inside it leads nowhere."""

from __future__ import annotations

import json
import posixpath
import re
from collections import Counter
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from flowmap.solve.rules import RULES
from tests.cases.reading import all_cases
from tests.manual import ROOT, build_manual

_ANCHORS = re.compile(r'\b(?:id|name)="([^"]+)"')
_LINKS = re.compile(r'\b(?:href|src)="([^"]+)"')


class Page:
    """The anchors of a page, and what it links to. In what a page shows of code the quotes are escaped."""

    def __init__(self, text: str) -> None:
        self.anchors = frozenset(map(unescape, _ANCHORS.findall(text)))
        self.links = tuple(map(unescape, dict.fromkeys(_LINKS.findall(text))))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The manual, built as `make docs` does."""
    return build_manual(tmp_path_factory.mktemp("manual"))


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[str, Page]:
    """All pages by their paths below the site."""
    return {path.relative_to(site).as_posix(): Page(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}


def test_no_link_leads_nowhere(site: Path, pages: dict[str, Page]) -> None:
    """Each names a page or file of the manual, and an anchor that is there."""
    assert [broken for name in pages for broken in broken_links(site, pages, name)] == []


def broken_links(site: Path, pages: dict[str, Page], name: str) -> Iterator[str]:
    """The links of a page to what is not in the manual."""
    for link in pages[name].links:
        address = urlsplit(link)
        if address.scheme or address.netloc:
            continue
        path = posixpath.normpath(posixpath.join(posixpath.dirname(name), unquote(address.path))) if address.path else name
        anchor = unquote(address.fragment)
        there = pages[path].anchors if path in pages else {anchor} if site.joinpath(path).is_file() else ()
        if anchor not in there and (anchor or path not in pages):
            yield f"{name}: {link}"


def test_what_leads_nowhere_is_found() -> None:
    """A missing page, a missing anchor; an anchor that is there, and an address elsewhere, are right."""
    links = ("a.html#here", "https://example.org/x", "a.html#gone", "b.html")
    pages = {"a.html": Page('<p id="here">' + "".join(f'<a href="{link}">x</a>' for link in links))}
    assert list(broken_links(ROOT / "docs", pages, "a.html")) == ["a.html: a.html#gone", "a.html: b.html"]


def test_every_rule_has_a_page_with_a_case(pages: dict[str, Page]) -> None:
    """What a rule knows is shown by a program that needs it."""
    names = {rule.name for rule in RULES}
    assert {f"rules/{name}.html" for name in names} <= set(pages)
    assert names - {name for case in all_cases() for name in case.needs} == set()


def test_every_case_stands_in_its_chapter(pages: dict[str, Page]) -> None:
    """The manual leaves none out."""
    counted = Counter(case.group for case in all_cases())
    assert [group for group, number in counted.items() if len(pages[f"cases/{group}.html"].anchors) < number] == []


def test_the_comparison_says_what_was_measured() -> None:
    """Each row has the figures of the evidence."""
    evidence = json.loads(ROOT.joinpath("docs", "evidence", "beside.json").read_text(encoding="utf-8"))
    page = ROOT.joinpath("docs", "comparison.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\w+) [\d.]+ \| (\w+).*? \| (\d+)/(\d+) = ([\d.]+)% \| ([\d,]+) \|$", page, re.MULTILINE)
    assert len(rows) == sum(len(found) - 1 for found in evidence.values())
    for package, tool, found, ran, share, given in rows:
        known = {name.partition("==")[0]: figures for name, figures in evidence[package].items()}
        assert (int(found), int(given.replace(",", ""))) == (known[tool]["found"], known[tool]["given"])
        assert (int(ran), share) == (known["ran"], f"{100 * int(found) / int(ran):.1f}")
