"""From a recipe and a release to a package: bind, see what is owed, render; or all reasons why not, at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from flowmap.contracts.check import check_contracts
from flowmap.emit.anchors import bound_to, field_at, speaks_of, wanted
from flowmap.emit.ground import Ground
from flowmap.emit.imports import unbound, unreadable
from flowmap.emit.owed import hook_in, idle, key_of, matching, met, not_there
from flowmap.emit.strategy import strategy_for, variant_for
from flowmap.emit.templates import Template, rendered, templates_of
from flowmap.model.contract import ContractFile
from flowmap.model.drift import FIELD
from flowmap.model.emit import (
    Binding,
    Bound,
    BoundKind,
    Discharged,
    Emission,
    Pin,
    Recipe,
    RecipeAnchor,
    RecipeStrategy,
    RecipeVariant,
    Refusal,
)
from flowmap.model.hooks import Candidate, HookPoints, Obligation, ObligationKind
from flowmap.model.problem import ExitCode, FlowmapError, Problem
from flowmap.model.query import Anchor, Name
from flowmap.query.anchors import Found, definitions_at
from flowmap.query.files import QueryFile
from flowmap.query.release import Release

_OF_FIELDS = (ObligationKind.RESULT, ObligationKind.FIELD, ObligationKind.TIMING)
_WHY_OWED = "the hook owes it"


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be emitted: a recipe, with the rows about obligations that the release has; the strategy of the release, its
    templates, the variant; None where nothing is hooked."""

    recipe: Recipe
    strategy: RecipeStrategy
    variant: RecipeVariant | None
    templates: tuple[Template, ...]

    @property
    def variant_name(self) -> str:
        """The name of the variant, "" for none."""
        return self.variant.name if self.variant else ""


@dataclass(frozen=True, slots=True)
class Hooked:
    """What is known of the place where something is hooked: the hook report under the profile of the variant, and the contracts
    that have to hold there, None where the recipe names none."""

    points: HookPoints
    contracts: ContractFile | None


def ordered(recipe: Recipe, file: QueryFile, release: Release, variant: str) -> Order:
    """What a recipe has for a release; `variant` is "" for its first. No templates where it says that nothing can be emitted.

    Errors: FlowmapError when it has nothing for it, or not that variant, or its templates are not there.
    """
    strategy = strategy_for(recipe, release)
    if strategy.refuses:
        return Order(recipe, strategy, None, ())
    chosen = variant_for(recipe, strategy, variant)
    rows = tuple(row for row in recipe.discharges if speaks_of(row, release.version))
    return Order(replace(recipe, discharges=rows), strategy, chosen, templates_of(recipe, strategy, chosen, file))


def emission(ground: Ground, order: Order, hooked: Hooked | None) -> Emission:
    """The package for a release, or why there is none. `hooked` is None where nothing is.

    Errors: FlowmapError when a template is wrong, or the recipe refuses the release and all of its anchors are there.
    """
    anchors = wanted(order.recipe.anchors, ground.release.version, order.variant_name)
    outcomes = [bound_to(ground, anchor) for anchor in anchors]
    if order.strategy.refuses:
        return _refused(ground, order, outcomes)
    refusals = [one for one in outcomes if isinstance(one, Refusal)]
    hook, obligations, unhooked = _owed(ground, order, hooked)
    discharged, unmet = met(order.recipe, order.variant, obligations) if order.variant else ([], [])
    bound = tuple(_serving(_each_once(one for one in outcomes if isinstance(one, Bound)), ground, obligations))
    binding = Binding(ground.source.label, str(ground.release.version), order.variant_name, hook, bound, tuple(discharged))
    refusals += [*unhooked, *unmet, *_of_others(ground, order, hooked), *_broken(ground, hooked)]
    unused = _idle(ground, order, anchors, hooked)
    if refusals:
        return Emission(order.recipe, order.strategy, binding, (), tuple(refusals), unused)
    files = rendered(order.templates, context_of(order, binding, ground))
    modules = frozenset(one.module for one in ground.source.files)
    missing = (*unreadable(files), *not_there(discharged, files), *unbound(files, order.recipe.package, modules, bound))
    return Emission(order.recipe, order.strategy, binding, () if missing else files, missing, unused)


def unanswered(ground: Ground, order: Order, error: FlowmapError) -> Emission:
    """Why there is no package where the release has no hook report, or not the settings of the profile: that, and each anchor
    that moved."""
    anchors = wanted(order.recipe.anchors, ground.release.version, order.variant_name)
    outcomes = [bound_to(ground, anchor) for anchor in anchors]
    moved = [one for one in outcomes if isinstance(one, Refusal)]
    profile = f" under {order.variant.profile}" if order.variant and order.variant.profile else ""
    subject = f"hooks {order.recipe.hooks}{profile}"
    asked = [Refusal(subject, f"{one.where}: {one.what}", None, (one.fix,) if one.fix else ()) for one in error.problems]
    bound = tuple(_each_once(one for one in outcomes if isinstance(one, Bound)))
    binding = Binding(ground.source.label, str(ground.release.version), order.variant_name, "", bound, ())
    return Emission(order.recipe, order.strategy, binding, (), (*asked, *moved))


def _refused(ground: Ground, order: Order, outcomes: Sequence[Bound | Refusal]) -> Emission:
    """Why a recipe has nothing for a release, and which of the anchors that it has for it are not there."""
    recipe, reason, missing = order.recipe, order.strategy.refuses, [one for one in outcomes if isinstance(one, Refusal)]
    if not missing:
        what = f"nothing is emitted for {ground.release}"
        raise FlowmapError(Problem(f"emit {recipe.name}", what, reason), code=ExitCode.FINDING)
    binding = Binding(ground.source.label, str(ground.release.version), "", "", (), ())
    return Emission(recipe, order.strategy, binding, (), (Refusal(str(ground.release), reason, None, ()), *missing))


def context_of(order: Order, binding: Binding, ground: Ground) -> Mapping[str, object]:
    """What templates know: the binding and the recipe, and each anchor by its name."""
    named: dict[str, object] = {one.anchor: one for one in binding.bound if one.anchor.isidentifier()}
    named |= {"binding": binding, "recipe": order.recipe, "package": order.recipe.package, "uncovered": order.strategy.uncovered}
    named |= {"project": ground.release.project, "release": binding.release, "source": binding.source}
    return named | {"variant": binding.variant, "variants": order.strategy.variants, "strategy": order.strategy}


def _owed(ground: Ground, order: Order, hooked: Hooked | None) -> tuple[str, Sequence[Obligation], list[Refusal]]:
    """The symbol of the hook, and what it owes there; a refusal where the report does not have it."""
    if order.variant is None or hooked is None:
        return "", (), []
    found = _hook(ground, order.variant, hooked.points)
    if isinstance(found, Refusal):
        return "", (), [found]
    return found.definition.symbol, found.obligations, []


def _hook(ground: Ground, variant: RecipeVariant, points: HookPoints) -> Candidate | Refusal:
    """The hook point of a variant in the report, or that it is none."""
    assert ground.index is not None, "where something is hooked there is an index"
    hook = variant.hook[0]
    found = definitions_at(ground.index, ground.release, hook)
    symbols = [one.symbol for one in found.meant] if isinstance(found, Found) else []
    under = points.profile or "any configuration"
    what = f"is no hook point of this release under {under}" if symbols else "is not in this release"
    return hook_in(points, symbols) or Refusal(str(hook), what, None, ())


def _of_others(ground: Ground, order: Order, hooked: Hooked | None) -> Iterator[Refusal]:
    """What nobody meets in the other variants under the profile: the package holds their code, too, and can be told to run it."""
    if hooked is None:
        return
    for variant in _known(order):
        found = _hook(ground, variant, hooked.points)
        unmet = [found] if isinstance(found, Refusal) else met(order.recipe, variant, found.obligations)[1]
        if variant != order.variant:
            yield from (replace(one, subject=f"{variant.name}: {one.subject}") for one in unmet)


def _known(order: Order) -> list[RecipeVariant]:
    """The variants of the release under the profile of the one that is asked for; none where nothing is hooked."""
    if order.variant is None:
        return []
    profile = order.variant.profile
    return [one for one in order.recipe.variants if one.name in order.strategy.variants and one.profile == profile]


def _idle(ground: Ground, order: Order, anchors: Iterable[RecipeAnchor], hooked: Hooked | None) -> tuple[str, ...]:
    """What the recipe says of obligations that none of the variants owes; nothing where a hook point is not found."""
    found = {one.name: _hook(ground, one, hooked.points) for one in _known(order)} if hooked else {}
    owed = {name: one.obligations for name, one in found.items() if not isinstance(one, Refusal)}
    return tuple(idle(order.recipe, anchors, owed)) if len(owed) == len(found) else ()


def _broken(ground: Ground, hooked: Hooked | None) -> Iterator[Refusal]:
    """The contracts that do not hold in this release."""
    if hooked is None or hooked.contracts is None or ground.index is None:
        return
    for outcome in check_contracts(ground.index, hooked.contracts):
        for one in outcome.breaches:
            near = ", ".join(each.name for each in one.near)
            told = (f"{one.lead}: {near}" if near else one.lead,) if one.lead else ()
            subject = f"contract {outcome.contract.name}"
            yield Refusal(subject, one.what, one.place, (*told, f"why it has to hold: {outcome.contract.why}"))


def _each_once(bound: Iterable[Bound]) -> list[Bound]:
    """What templates name, under each of its names; then what else is used, without what is there already."""
    everything = list(bound)
    named = [one for one in everything if one.anchor.isidentifier()]
    known = {(one.symbol, one.inside) for one in named}
    used = {(one.symbol, one.inside): one for one in reversed(everything) if (one.symbol, one.inside) not in known}
    return [*named, *reversed(used.values())]


def _serving(bound: Sequence[Bound], ground: Ground, obligations: Sequence[Obligation]) -> Iterator[Bound]:
    """What is bound, each with the obligations that it serves; then the fields that are owed and no anchor names."""
    owed_by_field: dict[str, list[str]] = {}
    for one in obligations:
        if one.kind in _OF_FIELDS:
            owed_by_field.setdefault(one.name, []).append(key_of(one))
    for each in bound:
        own = owed_by_field.pop(each.path, []) if each.kind is BoundKind.FIELD else []
        yield replace(each, discharges=tuple(dict.fromkeys((*own, *matching(each.discharges, obligations)))))
    for name, keys in owed_by_field.items():
        anchor = RecipeAnchor(name, BoundKind.FIELD, Anchor((Name(name),)), _WHY_OWED, Pin.NAME, discharges=tuple(keys))
        found = [one for one in ground.ledger.named(name, [ground.number]) if one.kind == FIELD]
        if len(found) == 1:  # one that its class does not declare has places in the report alone
            yield field_at(ground, found[0], anchor)


def limits_of(discharged: Sequence[Discharged]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The limits among what is said of obligations, each with those that it is about."""
    found: dict[str, list[str]] = {}
    for one in discharged:
        if one.limit:
            found.setdefault(one.limit, []).append(key_of(one.obligation))
    return tuple((limit, tuple(keys)) for limit, keys in found.items())
