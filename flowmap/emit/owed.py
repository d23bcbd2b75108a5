"""What a hook owes, and who meets it: each obligation of the hook point in the emitted code, or as a limit with its reason."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase

from flowmap.extract.sketch import sketch_file
from flowmap.model.emit import Discharged, EmittedFile, Recipe, RecipeAnchor, RecipeDischarge, RecipeVariant, Refusal
from flowmap.model.hooks import Candidate, HookPoints, Obligation
from flowmap.model.source import SourceFile

_PYTHON = ".py"


def key_of(obligation: Obligation) -> str:
    """An obligation as recipes name it: `result Class.field`."""
    return f"{obligation.kind.value} {obligation.name}"


def hook_in(points: HookPoints, symbols: Iterable[str]) -> Candidate | None:
    """The candidate that is one of some functions; None where the report has none of them."""
    wanted = set(symbols)
    return next((one for one in points.candidates if one.definition.symbol in wanted), None)


def met(recipe: Recipe, variant: RecipeVariant, obligations: Iterable[Obligation]) -> tuple[list[Discharged], list[Refusal]]:
    """What the recipe says of each obligation of a variant: the first row about it counts. Where there is none, a refusal."""
    rows = [row for row in recipe.discharges if not row.variants or variant.name in row.variants]
    found: list[Discharged] = []
    refusals: list[Refusal] = []
    for one in obligations:
        row = next((row for row in rows if speaks_of(row, one)), None)
        if row is None:
            places = (*one.reads, *one.writes)
            refusals.append(Refusal(key_of(one), "nobody meets this obligation", places[0] if places else None, _depends(one)))
        else:
            found.append(Discharged(one, f"{recipe.package}.{row.by}" if row.by else "", row.limit, row.how))
    return found, refusals


def idle(recipe: Recipe, anchors: Iterable[RecipeAnchor], owed: Mapping[str, Sequence[Obligation]]) -> Iterator[str]:
    """The patterns of a recipe that no obligation bears, each once: a slip of the pen, or nothing of the kind is owed any more.

    `owed` has the obligations by variant, and what the recipe says of other variants is left alone.
    """
    rows = [(row.of, row.variants) for row in recipe.discharges]
    rows += [(one.discharges, one.variants) for one in anchors]
    told: set[str] = set()
    for patterns, variants in rows:
        known = [one for variant, obligations in owed.items() if variant in (variants or owed) for one in obligations]
        unused = [pattern for pattern in patterns if not matching((pattern,), known)]
        if any(variant in owed for variant in variants or owed):
            yield from (pattern for pattern in dict.fromkeys(unused) if pattern not in told)
            told.update(unused)


def speaks_of(row: RecipeDischarge, obligation: Obligation) -> bool:
    """Whether a row of the recipe is about an obligation."""
    return any(fnmatchcase(key_of(obligation), pattern) for pattern in row.of)


def matching(patterns: Sequence[str], obligations: Iterable[Obligation]) -> tuple[str, ...]:
    """The obligations that some patterns name."""
    return tuple(key_of(one) for one in obligations if any(fnmatchcase(key_of(one), pattern) for pattern in patterns))


def _depends(obligation: Obligation) -> tuple[str, ...]:
    if not obligation.reads:
        return ()
    return (
        (f"{len(obligation.reads)} places outside depend on it",)
        if len(obligation.reads) > 1
        else ("one place outside depends on it",)
    )


def not_there(discharged: Iterable[Discharged], files: Iterable[EmittedFile]) -> Iterator[Refusal]:
    """The functions that are said to meet obligations and are not in the emitted package, each once."""
    symbols = set(symbols_in(files))
    for name in dict.fromkeys(one.by for one in discharged if one.by and one.by not in symbols):
        owed = [key_of(one.obligation) for one in discharged if one.by == name]
        yield Refusal(name, "is not in the emitted package", None, (f"it is said to meet {', '.join(owed)}",))


def symbols_in(files: Iterable[EmittedFile]) -> Iterator[str]:
    """The functions and classes of emitted files."""
    for file in files:
        if file.path.endswith(_PYTHON):
            module = file.path.removesuffix(_PYTHON).removesuffix("/__init__").replace("/", ".")
            source = SourceFile(file.path, module, file.path.endswith("/__init__.py"), False, "", file.path)
            yield from (one.symbol for one in sketch_file(source, file.content).sketches)
