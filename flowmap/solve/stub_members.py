"""What a stub says of a class, of a function and of the ways to call it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from flowmap.model.facts import Row
from flowmap.model.stubs import Said, StubEntry, StubTree

ANY: StubTree = (Said.ANY,)


SHORT = {
    **{f"builtins.{name}": name for name in ("list", "dict", "set", "tuple")},
    "builtins.frozenset": "set",
    **dict.fromkeys(("typing.Sequence", "typing.MutableSequence", "typing.Collection", "typing.Reversible"), "list"),
    **dict.fromkeys(("typing.AbstractSet", "typing.MutableSet"), "set"),
    **dict.fromkeys(("typing.Mapping", "typing.MutableMapping"), "dict"),
    **{
        f"typing.{name}": "generator"
        for name in ("Iterable", "Iterator", "Generator", "AsyncIterable", "AsyncIterator", "AsyncGenerator")
    },
    **dict.fromkeys(("typing.Coroutine", "typing.Awaitable"), "coroutine"),
}  # the containers that the text itself can make go by a short name


MANY = 1 << 20


@dataclass(frozen=True)
class StubClass:
    """A class: its canonical name, its type variables, its bases as written, and its members."""

    name: str
    parameters: tuple[str, ...]
    bases: tuple[StubTree, ...]
    members: dict[str, StubEntry]


@dataclass(frozen=True)
class Signature:
    """One way to call a function. Parameters: (name, kind, tree, has a default), without the receiver."""

    parameters: tuple[Row, ...]
    result: StubTree
    receiver: StubTree = ANY  # what is said of `self`

    @cached_property
    def most(self) -> int:
        """How many arguments may be given by position."""
        return MANY if self.variadic is not None else sum(1 for _, kind, _, _ in self.parameters if kind in (0, 1))

    @cached_property
    def variadic(self) -> Row | None:
        """The parameter `*args`."""
        return next((one for one in self.parameters if one[1] == 2), None)  # noqa: PLR2004 - VAR_POSITIONAL

    @cached_property
    def names(self) -> frozenset[str]:
        """The names that arguments may be given by; holds "" where any may."""
        return frozenset("" if kind == 4 else name for name, kind, _, _ in self.parameters if kind in (1, 3, 4))  # noqa: PLR2004

    @cached_property
    def is_plain(self) -> bool:
        """Whether calls give nothing but objects of outside classes, and call nothing."""
        calls = any(is_called(tree) for _, _, tree, _ in self.parameters)
        return self.receiver[0] != Said.ITEM and not calls and is_plain(self.result)

    def fits(self, n_positional: int, keywords: frozenset[str]) -> bool:
        """Whether a call with this many arguments by position and these by name is one of this signature."""
        if n_positional > self.most or not ("" in self.names or keywords <= self.names):
            return False
        plain = [one for one in self.parameters if one[1] in (0, 1)][n_positional:]
        alone = [one for one in self.parameters if one[1] == 3]  # noqa: PLR2004 - KEYWORD_ONLY
        return all(has_default or name in keywords for name, _, _, has_default in (*plain, *alone))


@dataclass(frozen=True)
class Member:
    """A function or an attribute, by its canonical name. `said` is the tree of an attribute, and ANY for a function."""

    name: str
    signatures: tuple[Signature, ...]
    said: StubTree
    flags: int

    @cached_property
    def is_plain(self) -> bool:
        """Whether calls give nothing but the same objects of outside classes, whatever they are given."""
        return all(one.is_plain for one in self.signatures)

    @cached_property
    def calls(self) -> bool:
        """Whether something that is given may be called."""
        return any(is_called(tree) for one in self.signatures for _, _, tree, _ in one.parameters)

    @cached_property
    def has_literals(self) -> bool:
        """Whether texts that are given tell which signature is meant."""
        return any(tree[0] == Said.LITERAL for one in self.signatures for _, _, tree, _ in one.parameters)

    @cached_property
    def things(self) -> tuple[str, ...]:
        """The classes of what a plain function gives."""
        return tuple(dict.fromkeys(name for one in self.signatures for name in names_in(one.result)))


def is_plain(tree: StubTree) -> bool:
    """Whether a tree names classes without arguments, and nothing else."""
    if tree[0] == Said.UNION:
        return all(is_plain(part) for part in tree[1])
    return tree[0] in (Said.NONE, Said.LITERAL) or (tree[0] == Said.NAME and tree[1] not in SHORT)


def is_called(tree: StubTree) -> bool:
    """Whether what is given for a tree may be called."""
    return tree[0] == Said.CALLABLE or (tree[0] == Said.UNION and any(is_called(part) for part in tree[1]))


def names_in(tree: StubTree) -> tuple[str, ...]:
    """The names in a plain tree."""
    if tree[0] == Said.UNION:
        return tuple(name for part in tree[1] for name in names_in(part))
    if tree[0] == Said.LITERAL:
        return ("builtins.str",)
    return (tree[1],) if tree[0] == Said.NAME else ()
