"""A package that leans on a code base, emitted for one release of it: the recipe, what it binds to, what it writes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from flowmap.model.hooks import Obligation
from flowmap.model.place import Place
from flowmap.model.query import Anchor, Anchors


class BoundKind(StrEnum):
    """What an anchor of a recipe names."""

    DEFINITION = "definition"  # a class, function or method
    FIELD = "field"
    CALL = "call"  # where something is called


class Pin(StrEnum):
    """What of a bound thing must be as it was when the package was emitted."""

    TEXT = "text"  # every word of it
    SIGNATURE = "signature"  # what it takes; of a class its bases
    NAME = "name"  # that it is there


@dataclass(frozen=True, slots=True)
class RecipeAnchor:
    """One thing that the package relies on. `name` is what templates call it; a CALL stands in the function `inside`.

    `parameters`: what it has to take, "..." for any number of any; () where nothing is said. `discharges`: the obligations that
    it serves, as patterns. It is bound in the releases from `since` to `until`, for these `variants`; () for all.
    `digests`: those of the texts that the templates were written beside; () where any will do.
    """

    name: str
    kind: BoundKind
    of: Anchor
    why: str
    pin: Pin
    inside: Anchor | None = None
    parameters: tuple[str, ...] = ()
    discharges: tuple[str, ...] = ()
    digests: tuple[str, ...] = ()
    variants: tuple[str, ...] = ()
    since: str = ""
    until: str = ""


@dataclass(frozen=True, slots=True)
class RecipeDischarge:
    """How obligations are met. `of`: patterns of `KIND NAME`, in which `*` stands for any text. Either `by`, a function of the
    emitted package, or `limit`, what is not done and why that is right. It counts in the releases from `since` to `until`."""

    of: tuple[str, ...]
    by: str
    limit: str
    how: str
    variants: tuple[str, ...]
    since: str
    until: str


@dataclass(frozen=True, slots=True)
class RecipeVariant:
    """One of the ways in which the package can do its work: the function that it replaces, under a profile. `templates`: folders
    laid over those of the release where this variant is asked for."""

    name: str
    what: str
    hook: Anchors
    profile: str
    templates: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RecipeStrategy:
    """What is emitted for the releases from `since` to `until`: `templates` are folders beside the recipe, a later one replaces
    files of an earlier one. `variants` that exist there; () where nothing is hooked. `uncovered`: what the user should know is
    missing.

    `refuses`: why nothing can be emitted for these releases; "" where something can.
    """

    since: str
    until: str
    what: str
    templates: tuple[str, ...]
    leaves_out: tuple[str, ...]
    variants: tuple[str, ...]
    uncovered: tuple[str, ...]
    refuses: str


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a package is emitted. `hooks` and `contracts` name the question whose report says what is owed, and what must be true
    of a release where something is hooked; "" for none. `written_for`: the release that the recipe was written beside."""

    name: str
    shown: str
    about: str
    what: str
    package: str
    hooks: str
    contracts: str
    written_for: str
    variants: tuple[RecipeVariant, ...]
    strategies: tuple[RecipeStrategy, ...]
    anchors: tuple[RecipeAnchor, ...]
    discharges: tuple[RecipeDischarge, ...]


@dataclass(frozen=True, slots=True)
class Bound:
    """An anchor in one release. `name` is the last part of its `symbol`; of a CALL both are those of what is called, and `inside`
    is the symbol of the caller, which calls it `n_calls` times. `text` is what stands there, `digest` that of it. `parameters`:
    the names of what it takes; of a class its bases.
    """

    anchor: str
    kind: BoundKind
    name: str
    symbol: str
    module: str
    owner: str
    inside: str
    place: Place
    end_line: int
    signature: str
    parameters: tuple[str, ...]
    is_class: bool
    text: str
    digest: str
    n_calls: int
    pin: Pin
    why: str
    discharges: tuple[str, ...]

    @property
    def at(self) -> str:
        """FILE:LINE, as docstrings have it."""
        return str(self.place)

    @property
    def path(self) -> str:
        """Where it stands in its module, `Class.method`: of a call its caller."""
        return (self.inside or self.symbol).removeprefix(f"{self.module}.")


@dataclass(frozen=True, slots=True)
class Discharged:
    """An obligation, and what is done about it: `by` a function of the emitted package, or not, within a named `limit`."""

    obligation: Obligation
    by: str
    limit: str
    how: str

    @property
    def key(self) -> str:
        """The obligation as recipes name it: `result Class.field`."""
        return f"{self.obligation.kind.value} {self.obligation.name}"


@dataclass(frozen=True, slots=True)
class Binding:
    """What a package relies on in one release, and how it meets what it owes there. `hook` is the symbol that it replaces."""

    source: str
    release: str
    variant: str
    hook: str
    bound: tuple[Bound, ...]
    discharged: tuple[Discharged, ...]


@dataclass(frozen=True, slots=True)
class EmittedFile:
    """A file of the emitted package; its path is posix, below the folder of the package."""

    path: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Refusal:
    """One reason why nothing is emitted: an anchor that moved, an obligation that nobody meets. `became`: what is known of where
    it went."""

    subject: str
    what: str
    place: Place | None
    became: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Emission:
    """What came of a recipe in one release: a package, or the reasons why there is none. `idle`: patterns of the recipe that
    speak of obligations which are owed by none of its hooks there."""

    recipe: Recipe
    strategy: RecipeStrategy
    binding: Binding
    files: tuple[EmittedFile, ...]
    refusals: tuple[Refusal, ...]
    idle: tuple[str, ...] = ()
