"""Reads a recipe out of its file, or says all that is wrong with it at once.

The form is described in `docs/reference/recipes.md`.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from functools import partial
from keyword import iskeyword
from typing import TypeVar

from flowmap.model.emit import BoundKind, Pin, Recipe, RecipeAnchor, RecipeDischarge, RecipeStrategy, RecipeVariant
from flowmap.model.query import Anchor, Anchors
from flowmap.query.files import QueryFile
from flowmap.query.page import Page, Table, anchors_of, nearest_word, only_known, read_page, text_of, texts_of, twice, version_of

_OF_FILE = ("about", "what", "package", "hooks", "contracts", "written_for", "variant", "release", "anchor", "uses", "obligation")
_OF_USES = ("definitions", "fields", "pin", "why", "variants", "since", "until")
_OF_VARIANT = ("name", "what", "hook", "profile", "templates")
_OF_RELEASE = ("since", "until", "what", "templates", "leaves_out", "variants", "uncovered", "refuses")
_OF_ANCHOR = (
    "name",
    "in",
    "parameters",
    "pin",
    "why",
    "discharges",
    "digests",
    "variants",
    "since",
    "until",
    *(kind.value for kind in BoundKind),
)
_OF_OBLIGATION = ("of", "by", "limit", "how", "variants", "since", "until")
_TAKEN = (  # what templates know besides
    *("binding", "package", "project", "release", "source", "variant", "variants", "recipe", "strategy", "uncovered"),
)
Row = TypeVar("Row")
Word = TypeVar("Word", bound=StrEnum)


def read_recipe(file: QueryFile) -> Recipe:
    """The recipe of a file.

    Errors: FlowmapError with all problems of the file.
    """
    return read_page(file, partial(_recipe, file))


def _recipe(file: QueryFile, table: Table, page: Page) -> Recipe:
    only_known(table, _OF_FILE, page)
    package = _said(table, "package", page)
    if package and (not package.isidentifier() or iskeyword(package)):
        page.complain(f"`package = {package!r}` is no name of a package", 'Write it as it is imported: `package = "my_hook"`.')
    recipe = Recipe(
        name=file.name,
        shown=file.shown,
        about=text_of(table, "about", page),
        what=_said(table, "what", page),
        package=package,
        hooks=text_of(table, "hooks", page),
        contracts=text_of(table, "contracts", page),
        written_for=version_of(table, "written_for", page),
        variants=_rows(table, "variant", _variant, page),
        strategies=_rows(table, "release", _strategy, page),
        anchors=(
            *_rows(table, "anchor", _anchor, page),
            *(one for anchors in _rows(table, "uses", _uses, page) for one in anchors),
        ),
        discharges=_rows(table, "obligation", _discharge, page),
    )
    _check(recipe, page)
    return recipe


def _rows(table: Table, key: str, read: Callable[[Table, Page], Row], page: Page) -> tuple[Row, ...]:
    """The tables of a list, each read, with its name or number said in front of what is wrong with it."""
    rows = table.get(key, [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        page.complain(f"`{key}` is not a list of tables", f"Write [[{key}]] and its keys below it.")
        return ()
    return tuple(read(row, page.within(f"[[{key}]] {row.get('name', number)}")) for number, row in enumerate(rows, start=1))


def _said(table: Table, key: str, page: Page) -> str:
    text = text_of(table, key, page)
    if not text and isinstance(table.get(key, ""), str):
        page.complain(f"says no {key}", f'Write `{key} = "…"`.')
    return text


def _variant(row: Table, page: Page) -> RecipeVariant:
    only_known(row, _OF_VARIANT, page)
    if "hook" not in row:
        page.complain("says not which function it replaces", 'Write `hook = "Class.method"`.')
    return RecipeVariant(
        name=_said(row, "name", page),
        what=_said(row, "what", page),
        hook=_one(row, "hook", page),
        profile=text_of(row, "profile", page),
        templates=texts_of(row, "templates", page),
    )


def _one(row: Table, key: str, page: Page) -> Anchors:
    """One thing: a name, a table with one, or a list with all the names that it has had."""
    return anchors_of({key: [row[key]]}, key, page) if key in row else ()


def _strategy(row: Table, page: Page) -> RecipeStrategy:
    only_known(row, _OF_RELEASE, page)
    templates, refuses = texts_of(row, "templates", page), text_of(row, "refuses", page)
    if bool(templates) == bool(refuses):
        page.complain("says not what is emitted", 'Write `templates = ["FOLDER"]`, or why nothing is: `refuses = "…"`.')
    return RecipeStrategy(
        since=version_of(row, "since", page),
        until=version_of(row, "until", page),
        what=_said(row, "what", page),
        templates=templates,
        leaves_out=texts_of(row, "leaves_out", page),
        variants=texts_of(row, "variants", page),
        uncovered=texts_of(row, "uncovered", page),
        refuses=refuses,
    )


def _anchor(row: Table, page: Page) -> RecipeAnchor:
    only_known(row, _OF_ANCHOR, page)
    name, kinds = _said(row, "name", page), [kind for kind in BoundKind if kind.value in row]
    if name and (not name.isidentifier() or name in _TAKEN):
        page.complain(f"`{name}` is no name that a template can use", "Write a word of letters, digits and `_`, such as `step`.")
    if len(kinds) != 1:
        page.complain(
            "names nothing that can be bound", 'Write one of `definition = "NAME"`, `field = "CLASS.FIELD"`, `call = "NAME"`.'
        )
    kind = kinds[0] if kinds else BoundKind.DEFINITION
    if (kind is BoundKind.CALL) != ("in" in row):
        page.complain("a call stands in a function, and nothing else does", 'Write `call = "CALLED"` with `in = "CALLER"`.')
    return RecipeAnchor(
        name=name,
        kind=kind,
        of=_names(row, kind.value, page),
        inside=_names(row, "in", page) if "in" in row else None,
        parameters=texts_of(row, "parameters", page),
        pin=_word(row, "pin", Pin, page),
        why=_said(row, "why", page),
        discharges=texts_of(row, "discharges", page),
        digests=texts_of(row, "digests", page),
        variants=texts_of(row, "variants", page),
        since=version_of(row, "since", page),
        until=version_of(row, "until", page),
    )


def _uses(row: Table, page: Page) -> tuple[RecipeAnchor, ...]:
    """Things that no template names, which have to be there all the same: an anchor each, called as it is."""
    only_known(row, _OF_USES, page)
    if not any(key in row for key in ("definitions", "fields")):
        page.complain("names nothing that is used", 'Write `fields = ["CLASS.FIELD"]` or `definitions = ["NAME"]`.')
    why, variants = _said(row, "why", page), texts_of(row, "variants", page)
    since, until = (version_of(row, key, page) for key in ("since", "until"))
    pin = _word(row, "pin", Pin, page) if "pin" in row else Pin.NAME
    kinds = ((BoundKind.DEFINITION, "definitions"), (BoundKind.FIELD, "fields"))
    return tuple(
        RecipeAnchor(str(one), kind, one, why, pin, variants=variants, since=since, until=until)
        for kind, key in kinds
        for one in (anchors_of(row, key, page) if key in row else ())
    )


def _names(row: Table, key: str, page: Page) -> Anchor:
    return next(iter(_one(row, key, page)), Anchor(()))


def _word(row: Table, key: str, words: type[Word], page: Page) -> Word:
    """The member of an enumeration that a key names; the first where it is not there."""
    text, known = text_of(row, key, page), {word.value: word for word in words}
    if text and text not in known:
        page.complain(f"`{key}` knows no `{text}`", nearest_word(text, known))
    return known.get(text, next(iter(words)))


def _discharge(row: Table, page: Page) -> RecipeDischarge:
    only_known(row, _OF_OBLIGATION, page)
    by, limit = text_of(row, "by", page), text_of(row, "limit", page)
    if not row.get("of"):
        page.complain("says not of which obligations", 'Write `of = ["result Class.field"]`; `*` stands for any text.')
    if bool(by) == bool(limit):
        page.complain(
            "says not how they are met", 'Write `by = "MODULE.FUNCTION"` of the package, or `limit = "…"` with the reason.'
        )
    return RecipeDischarge(
        of=texts_of(row, "of", page),
        by=by,
        limit=limit,
        how=text_of(row, "how", page),
        variants=texts_of(row, "variants", page),
        since=version_of(row, "since", page),
        until=version_of(row, "until", page),
    )


def _check(recipe: Recipe, page: Page) -> None:
    """What no table can say alone: names that are there twice, variants that are not there."""
    if not recipe.strategies:
        page.complain("says not what is emitted for which releases", 'Write [[release]] and `templates = ["FOLDER"]`.')
    for noun, names in (("anchors", [one.name for one in recipe.anchors]), ("variants", [one.name for one in recipe.variants])):
        for name in twice(names):
            page.complain(f"two {noun} are called `{name}`", "Give each a name of its own.")
    known = [one.name for one in recipe.variants]
    named = [(one.variants, "[[release]]") for one in recipe.strategies]
    named += [(one.variants, f"[[anchor]] {one.name}") for one in recipe.anchors]
    named += [(one.variants, "[[obligation]]") for one in recipe.discharges]
    for variants, part in named:
        for name in variants:
            if name not in known:
                page.within(part).complain(
                    f"there is no variant `{name}`", nearest_word(name, known) if known else "Write [[variant]]."
                )
    if any(one.variants for one in recipe.strategies) and not recipe.hooks:
        page.complain("hooks something, and says not by which question", 'Write `hooks = "NAME"`: one of `flowmap hooks --list`.')
