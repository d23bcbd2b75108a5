"""`flowmap emit`: what was emitted and what it is bound to, or every reason why nothing was."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from flowmap.model.emit import Bound, BoundKind, Discharged, Emission, Recipe, Refusal
from flowmap.model.view import Block, Paragraph, Role, Span, Tree, TreeNode, View
from flowmap.reports.phrases import GAP, Detail, blank, count, heading, note

_NOUNS = {
    BoundKind.DEFINITION: ("class or function", "classes and functions"),
    BoundKind.FIELD: ("field", "fields"),
    BoundKind.CALL: ("call site", "call sites"),
}


@dataclass(frozen=True, slots=True)
class BoundRecord:
    """One thing that the package relies on."""

    anchor: str
    kind: BoundKind
    symbol: str
    inside: str
    file: str
    line: int
    signature: str
    digest: str
    why: str
    discharges: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ObligationRecord:
    """One thing that the hook owes: met `by` a function of the package, or left to a named `limit`."""

    obligation: str
    by: str
    limit: str
    how: str


@dataclass(frozen=True, slots=True)
class RefusalRecord:
    """One reason why nothing was emitted. `file` is "" and `line` 0 where nothing is there to be shown."""

    subject: str
    what: str
    file: str
    line: int
    became: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EmitRecord:
    """What came of a recipe. `files` are below `folder`; both are empty where something was refused. `idle`: patterns of the
    recipe that no obligation of its hooks bears."""

    recipe: str
    release: str
    variant: str
    strategy: str
    hook: str
    folder: str
    files: tuple[str, ...]
    bound: tuple[BoundRecord, ...]
    obligations: tuple[ObligationRecord, ...]
    uncovered: tuple[str, ...]
    refusals: tuple[RefusalRecord, ...]
    idle: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RecipeRecord:
    """A recipe, as `--list` gives it."""

    name: str
    file: str
    about: str
    what: str
    variants: tuple[str, ...]


def emit(made: Emission, folder: str, detail: Detail) -> View:
    """The report on an emission that was written to a folder."""
    record = _record(made, folder)
    blocks = [*_binding(made, detail), *_obligations(made, detail), *_uncovered(made)]
    title = (Span(made.recipe.name, Role.SYMBOL), GAP, Span(f"{count(len(made.files), 'file')} in {folder}"), *_variant(made))
    owed = ", and who meets what it owes" if made.binding.discharged else ""
    steps = (*_idle(made), f"{folder}/BINDING.md says what it relies on{owed}")
    more = ("-v shows all that it relies on, and each obligation",) if detail is Detail.BRIEF and made.binding.bound else ()
    return View(title, tuple(blocks), record, made.binding.source, (*steps, *more))


def refused(made: Emission) -> View:
    """The report on an emission that was refused: every reason at once."""
    counted = count(len(made.refusals), "reason")
    title = (
        Span(made.recipe.name, Role.SYMBOL),
        GAP,
        Span(f"nothing is emitted for {made.binding.source}: {counted}", Role.WARNING),
    )
    nodes = tuple(_refusal(made, one) for one in made.refusals)
    notes = (*_idle(made), f"{made.recipe.shown} names the anchors and says who meets which obligation")
    return View(title, (Tree(nodes),), _record(made, ""), made.binding.source, notes)


def listed(recipes: Sequence[Recipe]) -> View:
    """The recipes that have names."""
    nodes = tuple(_listed(one) for one in recipes)
    record = tuple(
        RecipeRecord(one.name, one.shown, one.about, one.what, tuple(each.name for each in one.variants)) for one in recipes
    )
    blocks: tuple[Block, ...] = (Tree(nodes),) if nodes else (Paragraph((note("there is none"),)),)
    return View((note(count(len(recipes), "recipe")),), blocks, record, "the recipes, whatever the source")


def _idle(made: Emission) -> tuple[str, ...]:
    """That the recipe speaks of what nobody owes: it may be a slip of the pen."""
    said = ", ".join(f"`{pattern}`" for pattern in made.idle)
    return (f"{made.recipe.shown} says who meets {said}: nothing of the kind is owed here",) if said else ()


def _variant(made: Emission) -> tuple[Span, ...]:
    return (GAP, note(f"variant {made.binding.variant}")) if made.binding.variant else ()


def _binding(made: Emission, detail: Detail) -> Iterator[Block]:
    yield Paragraph((note(made.strategy.what),))
    yield blank()
    counted = Counter(one.kind for one in made.binding.bound)
    yield heading("It relies on", ", ".join(count(number, *_NOUNS[kind]) for kind, number in counted.items()) or "nothing")
    shown = made.binding.bound if detail is Detail.FULL else ()
    if shown:
        yield Tree(tuple(_bound(one) for one in shown))


def _bound(one: Bound) -> TreeNode:
    inside = (GAP, note(f"called in {one.inside}")) if one.inside else ()
    line = (
        Span(one.symbol.removeprefix(f"{one.module}."), Role.SYMBOL, one.place),
        GAP,
        Span(one.at, Role.PLACE, one.place),
        *inside,
    )
    served = ((Span("  "), note(f"for {', '.join(one.discharges)}")),) if one.discharges else ()
    return TreeNode(line, (), (((Span("  "), Span(one.why))), *served))


def _obligations(made: Emission, detail: Detail) -> Iterator[Block]:
    found = made.binding.discharged
    if not found:
        return
    limits = [one for one in found if one.limit]
    yield blank()
    yield heading(
        "It owes", f"{count(len(found), 'obligation')}: {len(found) - len(limits)} met in code, {len(limits)} within a limit"
    )
    shown = found if detail is Detail.FULL else limits
    if shown:
        yield Tree(tuple(_discharged(one) for one in shown))


def _discharged(one: Discharged) -> TreeNode:
    by = Span(one.by, Role.CODE) if one.by else Span(f"limit: {one.limit}", Role.WARNING)
    return TreeNode((Span(one.key, Role.SYMBOL), GAP, by), (), ((Span("  "), Span(one.how)),) if one.how else ())


def _uncovered(made: Emission) -> Iterator[Block]:
    if made.strategy.uncovered:
        yield blank()
        yield heading("What it does not cover")
        yield Tree(tuple(TreeNode((Span(text),)) for text in made.strategy.uncovered))


def _refusal(made: Emission, one: Refusal) -> TreeNode:
    place = (GAP, Span(str(one.place), Role.PLACE, one.place)) if one.place else ()
    anchor = next((each for each in made.recipe.anchors if each.name == one.subject), None)
    why = ((Span("  "), note(anchor.why)),) if anchor else ()
    return TreeNode(
        (Span(one.subject, Role.SYMBOL), GAP, Span(one.what, Role.WARNING), *place),
        tuple(TreeNode((Span(text),)) for text in one.became),
        why,
    )


def _listed(one: Recipe) -> TreeNode:
    about = (GAP, note(f"about {one.about}")) if one.about else ()
    variants = (GAP, note(", ".join(each.name for each in one.variants))) if one.variants else ()
    return TreeNode((Span(one.name, Role.CODE), *about, *variants), (), ((Span("  "), Span(one.what)),))


def _record(made: Emission, folder: str) -> EmitRecord:
    return EmitRecord(
        recipe=made.recipe.name,
        release=made.binding.release,
        variant=made.binding.variant,
        strategy=made.strategy.what,
        hook=made.binding.hook,
        folder=folder,
        files=tuple(one.path for one in made.files),
        bound=tuple(map(_bound_record, made.binding.bound)),
        obligations=tuple(ObligationRecord(one.key, one.by, one.limit, one.how) for one in made.binding.discharged),
        uncovered=made.strategy.uncovered,
        refusals=tuple(
            RefusalRecord(
                one.subject, one.what, one.place.file if one.place else "", one.place.line if one.place else 0, one.became
            )
            for one in made.refusals
        ),
        idle=made.idle,
    )


def _bound_record(one: Bound) -> BoundRecord:
    return BoundRecord(
        anchor=one.anchor,
        kind=one.kind,
        symbol=one.symbol,
        inside=one.inside,
        file=one.place.file,
        line=one.place.line,
        signature=one.signature,
        digest=one.digest,
        why=one.why,
        discharges=one.discharges,
    )
