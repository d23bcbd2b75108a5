"""The pages of the resolution rules: what each knows, out of the code, and the cases that need it."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from links import ROOT

from flowmap.solve.rules import RULES, Rule
from flowmap.solve.values import Kind

_SECTION = re.compile(r"^## (?P<heading>.+)\n(?P<body>(?:(?!^## ).*\n?)*)", re.MULTILINE)
_NEEDS = re.compile(r"^Needs: (.+)\.$", re.MULTILINE)
_NOTES = re.compile(r"(?:^(?:Shows|Denies|Needs|Assume): .+\n)+", re.MULTILINE)  # a paragraph of their own
_KNOWN_WRONG = "[known-wrong: "
_HEAD = """# The rules

What flowmap knows of Python stands in {n_rules} rules. A rule knows one thing, *what a kind of value means at a kind of place*,
and answers or stays silent; it only adds, so the order in which they are asked does not matter. [How the engine asks
them](../project/architecture.md) and [how to add one](../project/contributing.md).

Each page shows the programs that would be answered otherwise without the rule. They are tests: the answers under the carets
are held to be exactly those that flowmap gives, and what a program claims happens when it runs
([how to read them](../cases/index.md)).
"""
_ALONE = "---\norphan: true\n---\n\n"  # a page that every page lists costs each of them time
_WRONG = """# Known to be wrong

What flowmap answers wrongly, and knows: in each of these programs the answer before the mark is what it gives today, the one in
the mark is the right one. A test holds each of them, and fails when it is mended.
"""


@dataclass(frozen=True, slots=True)
class Case:
    """A case as it is written."""

    group: str
    heading: str
    body: str


def cases() -> tuple[Case, ...]:
    """All cases, as they are written."""
    files = sorted((ROOT / "tests" / "cases").glob("[a-z]*.md"))
    texts = {path.stem: path.read_text(encoding="utf-8") for path in files}
    return tuple(Case(group, each["heading"], each["body"]) for group, text in texts.items() for each in _SECTION.finditer(text))


def rule_pages() -> Mapping[str, str]:
    """The pages about rules, by name below the manual."""
    needing: dict[str, list[Case]] = {}
    for case in cases():
        for name in _needed(case.body):
            needing.setdefault(name, []).append(case)
    groups = _groups()
    pages = {
        f"rules/{name}": _page(name, rules, needing.get(name, ())) for found in groups.values() for name, rules in found.items()
    }
    pages |= {f"rules/{_group_page(group)}": _group(group, found) for group, found in groups.items()}
    return pages | {"rules/index": _index(groups), "cases/known-wrong": _known_wrong()}


def _needed(body: str) -> list[str]:
    return [name for line in _NEEDS.findall(body) for name in re.split(r",\s*", line)]


_Groups = Mapping[str, Mapping[str, Sequence[Rule]]]


def _groups() -> _Groups:
    """The rules by the file that they stand in and by name: one may stand in several rows."""
    groups: dict[str, dict[str, list[Rule]]] = {}
    for rule in RULES:
        groups.setdefault(_group_of(rule), {}).setdefault(rule.name, []).append(rule)
    return dict(sorted(groups.items()))


def _group_page(group: str) -> str:
    return f"about-{group.replace('_', '-')}"


def _index(groups: _Groups) -> str:
    n_rules = sum(len(found) for found in groups.values())
    rows = (f"[{_words(group)}]({_group_page(group)}.md) | {len(found)} | {_about(group)}" for group, found in groups.items())
    contents = "\n".join(map(_group_page, groups))
    return f"{_HEAD.format(n_rules=n_rules)}\n{_table('about | rules |', rows)}\n```{{toctree}}\n:hidden:\n\n{contents}\n```\n"


def _group(group: str, found: Mapping[str, Sequence[Rule]]) -> str:
    rows = (f"[`{name}`]({name}.md) | {_first_line(rules[0])}" for name, rules in found.items())
    return f"# Rules: {_words(group)}\n\n{_about(group)}\n\n{_table('rule | knows', rows)}"


def _table(head: str, rows: Iterable[str]) -> str:
    rule = "|".join("---" for _ in head.split("|"))
    return "\n".join(f"| {row} |" for row in (head, rule, *rows)).replace("| ---", "|---") + "\n"


def _page(name: str, rules: Sequence[Rule], needing: Sequence[Case]) -> str:
    rows = (f"{rule.place} | {', '.join(map(_kind, rule.kinds))}" for rule in rules)
    told, group = inspect.cleandoc(rules[0].apply.__doc__ or ""), _group_of(rules[0])
    file = Path(inspect.getfile(rules[0].apply)).relative_to(ROOT).as_posix()
    above = f"A rule of those [about {_words(group)}]({_group_page(group)}.md); it stands in `{file}`."
    about = _table("at the place | for values that are", rows)
    return "\n".join([f"{_ALONE}# `{name}`\n", f"{told}\n\n{above}\n", about, "## Cases that need it\n", *map(_case, needing)])


def _kind(kind: Kind) -> str:
    return kind.name.lower().replace("_", " ")


def _group_of(rule: Rule) -> str:
    """The file of rules that it stands in."""
    return rule.apply.__module__.rpartition(".")[2]


def _case(case: Case) -> str:
    return f"### {case.heading}\n\n{case_body(case)}\n[In its chapter](../cases/{case.group}.md#{slug(case.heading)}).\n"


def case_body(case: Case) -> str:
    """The text of a case for the manual: what it says of itself for the tests becomes links."""
    body = _NOTES.sub(r"\n\g<0>\n", case.body)
    return _NEEDS.sub(lambda found: f"Needs: {', '.join(map(_linked, _needed(found[0])))}.", body)


def _linked(rule: str) -> str:
    return f"[`{rule}`](../rules/{rule}.md)"


def _known_wrong() -> str:
    wrong = [case for case in cases() if _KNOWN_WRONG in case.body]
    return "\n".join([_WRONG, *(_case(case).replace("### ", "## ", 1) for case in wrong)])


def slug(heading: str) -> str:
    """The anchor of a heading, as Markdown on the web makes it."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def _words(group: str) -> str:
    return group.replace("_", " ")


def _about(group: str) -> str:
    """The first line of what the file of rules says of itself."""
    module = next(inspect.getmodule(rule.apply) for rule in RULES if rule.apply.__module__.endswith(f".{group}"))
    return (inspect.getdoc(module) or "").split("\n", 1)[0] if module else ""


def _first_line(rule: Rule) -> str:
    return (inspect.getdoc(rule.apply) or "").split("\n", 1)[0].replace("|", "\\|")
