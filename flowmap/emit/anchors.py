"""Binds the anchors of a recipe to a release: each to one thing, or the reason why not."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from packaging.version import Version

from flowmap.contracts.parameters import names_in, parts_in
from flowmap.contracts.shapes import is_like
from flowmap.contracts.trial import is_within
from flowmap.emit.ground import Ground, digest_of, several
from flowmap.model.drift import FIELD, Whereabouts
from flowmap.model.emit import Bound, BoundKind, Pin, RecipeAnchor, RecipeDischarge, Refusal
from flowmap.model.place import Place
from flowmap.model.program import Confidence, Definition, DefinitionKind, Site, SiteKind
from flowmap.model.query import Anchor
from flowmap.query.anchors import Found, definitions_at
from flowmap.store.sites import sites_running


def wanted(anchors: Iterable[RecipeAnchor], version: Version, variant: str) -> tuple[RecipeAnchor, ...]:
    """The anchors that a release and a variant have, "" for none."""
    return tuple(one for one in anchors if speaks_of(one, version) and (not one.variants or variant in one.variants))


def speaks_of(row: RecipeAnchor | RecipeDischarge, version: Version) -> bool:
    """Whether a row of a recipe is about a release."""
    return not (row.since and version < Version(row.since)) and not (row.until and version > Version(row.until))


def bound_to(ground: Ground, anchor: RecipeAnchor) -> Bound | Refusal:
    """What an anchor is in a release, or why it is nothing there that the templates can be used with."""
    found = _found(ground, anchor)
    if isinstance(found, Refusal) or not anchor.digests or found.digest in anchor.digests:
        return found
    what = f"says something else than what the templates were written beside: its digest is {found.digest}"
    return Refusal(anchor.name, what, found.place, ())


def _found(ground: Ground, anchor: RecipeAnchor) -> Bound | Refusal:
    if anchor.kind is BoundKind.CALL:
        return _call(ground, anchor)
    is_field = anchor.kind is BoundKind.FIELD
    found = ground.fields(anchor.of) if is_field else ground.definitions(anchor.of)
    if not found:
        return Refusal(
            anchor.name, f"nothing is called {anchor.of}" if not is_field else f"no field is called {anchor.of}", None, ()
        )
    if len(found) > 1:
        return Refusal(anchor.name, f"{anchor.of} may be {several(found)}: the recipe has to write more of its name", None, ())
    return field_at(ground, found[0], anchor) if is_field else _definition(ground, found[0], anchor)


def field_at(ground: Ground, at: Whereabouts, anchor: RecipeAnchor) -> Bound:
    """A field, as it is first declared or assigned in its class."""
    text = ground.text(at.file).between(at.line, at.line).strip()
    return _bound(anchor, at, Place(at.file, at.line), (at.line, text))


def _definition(ground: Ground, at: Whereabouts, anchor: RecipeAnchor) -> Bound | Refusal:
    text, place = ground.text(at.file), Place(at.file, at.line)
    taken = names_in(at.signature)
    if anchor.parameters and not is_like(list(taken), list(anchor.parameters)):
        what = f"{at.symbol.removeprefix(f'{at.module}.')} takes ({', '.join(taken)}), not ({', '.join(anchor.parameters)})"
        return Refusal(anchor.name, what, place, ())
    end = text.ends.get(at.symbol, at.line)
    return _bound(anchor, at, place, (end, text.between(at.line, end)))


def parameters_in(at: Whereabouts) -> tuple[str, ...]:
    """The names of what a function takes; of a class its bases, as they are written; of a field nothing."""
    if at.kind == FIELD:
        return ()
    return parts_in(at.signature) if at.kind == DefinitionKind.CLASS else names_in(at.signature)


def _bound(anchor: RecipeAnchor, at: Whereabouts, place: Place, text: tuple[int, str]) -> Bound:
    return Bound(
        anchor=anchor.name,
        kind=anchor.kind,
        name=at.name,
        symbol=at.symbol,
        module=at.module,
        owner=at.owner,
        inside="",
        place=place,
        end_line=text[0],
        signature=at.signature,
        parameters=parameters_in(at),
        is_class=at.kind == DefinitionKind.CLASS,
        text=text[1],
        digest=digest_of(text[1]),
        n_calls=0,
        pin=anchor.pin,
        why=anchor.why,
        discharges=anchor.discharges,
    )


def _call(ground: Ground, anchor: RecipeAnchor) -> Bound | Refusal:
    """Where a function is called by another: as the index resolves it, or without one, by name."""
    index = ground.index
    if index is None:
        return _call_by_name(ground, anchor)
    assert anchor.inside is not None, "a call stands in a function"
    ends = [(each, definitions_at(index, ground.release, each)) for each in (anchor.of, anchor.inside)]
    for each, one in ends:
        if not isinstance(one, Found):
            return Refusal(anchor.name, f"nothing is called {each}", None, ())
    called, inside = (one.meant for _, one in ends if isinstance(one, Found))
    sites = sites_running(index, called, Confidence.INFERRED)
    own = [site for site in sites if site.kind is SiteKind.CALL and is_within(site.caller.symbol, inside)]
    if not own:
        return _not_called(anchor, sites, inside)
    return _site(anchor, own, called[0])


def _call_by_name(ground: Ground, anchor: RecipeAnchor) -> Bound | Refusal:
    """Where a name is called in the text of a function."""
    assert anchor.inside is not None, "a call stands in a function"
    callers, called = ground.definitions(anchor.inside), ground.definitions(anchor.of)
    for each, found in ((anchor.inside, callers), (anchor.of, called)):
        if not found:
            return Refusal(anchor.name, f"nothing is called {each}", None, ())
    caller, name = callers[0], called[0].name
    text = ground.text(caller.file)
    last = text.ends.get(caller.symbol, caller.line)
    is_call = re.compile(rf"\b{re.escape(name)}\(")
    lines = [line for line in range(caller.line + 1, last + 1) if is_call.search(text.between(line, line))]
    if not lines:
        what = f"{caller.symbol.removeprefix(f'{caller.module}.')} does not call {name}"
        return Refusal(anchor.name, what, Place(caller.file, caller.line), ())
    bound = _bound(anchor, called[0], Place(caller.file, lines[0]), (lines[0], text.between(lines[0], lines[0]).strip()))
    return replace(bound, module=caller.module, inside=caller.symbol, is_class=False, n_calls=len(lines), pin=Pin.NAME)


def _not_called(anchor: RecipeAnchor, sites: Sequence[Site], inside: Sequence[Definition]) -> Refusal:
    callers = list(dict.fromkeys(site.caller.short for site in sites))
    elsewhere = f"it is called in {', '.join(callers)}" if callers else "it is called nowhere"
    place = next((one.place for one in inside if one.place), None)
    return Refusal(anchor.name, f"{inside[0].short} does not call {anchor.of}", place, (elsewhere,))


def _site(anchor: RecipeAnchor, own: Sequence[Site], called: Definition) -> Bound:
    first = own[0]
    text = " ".join(first.expr.split())
    return Bound(
        anchor=anchor.name,
        kind=anchor.kind,
        name=written_name(text) or called.name,
        symbol=called.symbol.removeprefix("ext:"),
        module=first.caller.module,
        owner=called.owner,
        inside=first.caller.symbol,
        place=Place(first.place.file, first.place.line),
        end_line=first.place.line,
        signature=called.signature,
        parameters=names_in(called.signature),
        is_class=False,
        text=text,
        digest=digest_of(text),
        n_calls=len(own),
        pin=anchor.pin,
        why=anchor.why,
        discharges=anchor.discharges,
    )


def written_name(call: str) -> str:
    """The name under which something is called: `verify` of `self.worker.verify(batch)`; "" where that is no name."""
    depth = 0
    for position in range(len(call) - 1, -1, -1):
        depth += (call[position] == ")") - (call[position] == "(")
        if depth == 0:
            name = call[:position].rpartition(".")[2].strip()
            return name if name.isidentifier() else ""
    return ""


def names_of(anchor: RecipeAnchor) -> tuple[Anchor, ...]:
    """All that an anchor names."""
    return (anchor.of,) if anchor.inside is None else (anchor.of, anchor.inside)
