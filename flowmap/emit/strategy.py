"""What a recipe has for a release: the strategy by version, the variant by name."""

from __future__ import annotations

from packaging.version import Version

from flowmap.model.emit import Recipe, RecipeStrategy, RecipeVariant
from flowmap.model.problem import ExitCode, FlowmapError, Problem
from flowmap.query.page import nearest_word
from flowmap.query.release import Release


def strategy_for(recipe: Recipe, release: Release) -> RecipeStrategy:
    """The first strategy whose span holds a release; it may say that nothing can be emitted.

    Errors: FlowmapError when none does.
    """
    found = next((one for one in recipe.strategies if _holds(one, release.version)), None)
    if found is None:
        spans = ", ".join(map(span_of, recipe.strategies))
        what = f"says not what to emit for {release}"
        raise FlowmapError(Problem(f"emit {recipe.name}", what, f"It knows the releases {spans}."), code=ExitCode.FINDING)
    return found


def variant_for(recipe: Recipe, strategy: RecipeStrategy, name: str) -> RecipeVariant | None:
    """The variant of that name, the first where none is named; None where nothing is hooked.

    Errors: FlowmapError when the strategy does not have it.
    """
    if not strategy.variants and not name:
        return None
    wanted = name or strategy.variants[0]
    if wanted not in strategy.variants:
        fix = nearest_word(wanted, strategy.variants) if strategy.variants else f"Leave it out. What is emitted: {strategy.what}"
        raise FlowmapError(Problem(f"--variant {name}", f"there is none of this name {span_of(strategy)}", fix))
    return next(one for one in recipe.variants if one.name == wanted)


def span_of(strategy: RecipeStrategy) -> str:
    """The releases of a strategy, in words."""
    if strategy.since and strategy.until:
        return f"from {strategy.since} to {strategy.until}"
    return f"from {strategy.since} on" if strategy.since else f"up to {strategy.until}" if strategy.until else "of any version"


def _holds(strategy: RecipeStrategy, version: Version) -> bool:
    return not (strategy.since and version < Version(strategy.since)) and not (
        strategy.until and version > Version(strategy.until)
    )
