"""Reads a question about hooks out of its file, or says all that is wrong with it at once.

The form is described in `docs/how-to/find-a-hook.md`.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path

from flowmap.model.hooks import HookQuestion, Signal
from flowmap.model.query import Anchor, Anchors, Name
from flowmap.query.files import HOOKS, QueryFile, file_on
from flowmap.query.page import Page, Table, anchors_of, only_known, read_page, text_of, texts_of
from flowmap.query.read import finds_of

_OF_THINGS = ("bypass", "entries", "work", "records", "acquires", "collectives", "constants", "sizes", "results")
_KEYS = ("question", "about", *_OF_THINGS, "machinery", "profiles", "signals", "find")


def read_question(file: QueryFile) -> HookQuestion:
    """The question of a file.

    Errors: FlowmapError with all problems of the file.
    """
    return read_page(file, partial(_question, file.name))


def _question(name: str, table: Table, page: Page) -> HookQuestion:
    only_known(table, _KEYS, page)
    question = text_of(table, "question", page)
    if not question:
        page.complain("has no question", 'Write `question = "…?"`: what is to be bypassed, in words.')
    if "bypass" not in table:
        page.complain("says not what is to be bypassed", 'Write `bypass = ["Class.method"]`.')
    return HookQuestion(
        name=name,
        question=question,
        about=text_of(table, "about", page),
        bypass=anchors_of(table, "bypass", page),
        entries=anchors_of(table, "entries", page),
        work=anchors_of(table, "work", page),
        machinery=texts_of(table, "machinery", page),
        records=anchors_of(table, "records", page),
        acquires=anchors_of(table, "acquires", page),
        collectives=anchors_of(table, "collectives", page),
        constants=anchors_of(table, "constants", page),
        sizes=anchors_of(table, "sizes", page),
        results=anchors_of(table, "results", page),
        signals=_signals(table, page),
        profiles=texts_of(table, "profiles", page),
        shows=finds_of(table, page) if "find" in table else (),
    )


def _signals(table: Table, page: Page) -> tuple[Signal, ...]:
    rows = table.get("signals", {})
    if isinstance(rows, dict):
        within = page.within("[signals]")
        return tuple(Signal(name, anchors_of(rows, name, within)) for name in rows)
    page.complain("`signals` is no table", 'Write [signals] and below it `"queue length" = ["Class.field"]`.')
    return ()


def question_file(text: str, config: Path | None) -> QueryFile:
    """The question that FILE or NAME means. Errors: FlowmapError when there is none, with the nearest names."""
    return file_on(HOOKS, text, config)


def question_of(bypass: Iterable[str], entries: Iterable[str]) -> HookQuestion:
    """A question that is asked without a file: what is to be bypassed, and from where it is reached."""
    return HookQuestion("", "", "", _things(bypass), entries=_things(entries))


def _things(names: Iterable[str]) -> Anchors:
    return tuple(Anchor((Name(name),)) for name in names)
