"""What in the language led from a line to a function that the index does not give there: the groups of missing calls."""

from __future__ import annotations

from enum import StrEnum

from flowmap.model.program import DefinitionKind, SiteKind
from flowmap.reports.phrases import callee_text
from flowmap.reports.recall import Judged, Way


class Construct(StrEnum):
    """The groups."""

    CONTEXT = "context manager"
    STANDARD = "callback through the standard library"
    OUTSIDE = "callback through other code"
    IMPORT = "runs on import"
    PROPERTY = "property or descriptor"
    ATTRIBUTE = "attribute hook"
    METACLASS = "class creation"
    CONSTRUCTOR = "constructor"
    CALLABLE = "instance that is called"
    ITERATION = "iteration"
    OPERATOR = "operator or protocol"
    DECORATOR = "decorator"
    WRAPPER = "what a decorator put in its place"
    LAMBDA = "lambda"
    SUPER = "super()"
    COMPUTED = "getattr or computed name"
    CONTAINER = "taken out of a container"
    RESULT = "result of a call that is called"
    METHOD = "method by its name"
    NAME = "function by its name"
    RENAMED = "by another name: a variable, a parameter, a field"
    CALLBACK = "callback through code in C"


_ATTRIBUTE_HOOKS = {"__getattr__", "__getattribute__", "__setattr__", "__delattr__", "__get__", "__set__", "__delete__"}
_CLASS_HOOKS = {"__init_subclass__", "__set_name__", "__prepare__", "__class_getitem__", "mro"}
_BY_NAME = {
    **dict.fromkeys(_ATTRIBUTE_HOOKS, Construct.ATTRIBUTE),
    **dict.fromkeys(_CLASS_HOOKS, Construct.METACLASS),
    **dict.fromkeys(("__enter__", "__exit__", "__aenter__", "__aexit__"), Construct.CONTEXT),
    **dict.fromkeys(("__iter__", "__next__", "__aiter__", "__anext__"), Construct.ITERATION),
    **dict.fromkeys(("__init__", "__new__", "__post_init__"), Construct.CONSTRUCTOR),
    "__call__": Construct.CALLABLE,
}


def construct_of(missing: Judged) -> Construct:
    """The group of a missing call."""
    name, kind = missing.callee.name, missing.callee.kind
    if missing.way is Way.OUTSIDE:
        return Construct.OUTSIDE
    if missing.way is Way.STANDARD:
        return Construct.CONTEXT if missing.edge.through == ("contextlib",) else Construct.STANDARD
    if kind is DefinitionKind.PROPERTY:
        return Construct.PROPERTY
    if _says_super(missing):
        return Construct.SUPER
    if name in _BY_NAME:
        return _BY_NAME[name]
    if name.startswith("__") and name.endswith("__") and not _called_name(missing, name):
        return Construct.OPERATOR
    return _of_the_call(missing)


def _of_the_call(missing: Judged) -> Construct:
    name = missing.callee.name
    if _called_name(missing, name):
        return Construct.METHOD if missing.callee.kind is DefinitionKind.METHOD else Construct.NAME
    if any(site.kind is SiteKind.DECORATOR for site in missing.sites):
        return Construct.DECORATOR
    if missing.callee.kind is DefinitionKind.LAMBDA:
        return Construct.LAMBDA
    callees = [callee_text(site.expr) for site in missing.sites if site.kind is SiteKind.CALL]
    return _of_the_text(missing, callees)


def _of_the_text(missing: Judged, callees: list[str]) -> Construct:
    if any("getattr(" in site.expr for site in missing.sites):
        return Construct.COMPUTED
    if any(text.endswith(")") for text in callees):
        return Construct.RESULT
    if any(text.endswith("]") for text in callees):
        return Construct.CONTAINER
    if "<locals>" in missing.callee.symbol:
        return Construct.WRAPPER
    return Construct.RENAMED if callees else Construct.CALLBACK


def _called_name(missing: Judged, name: str) -> bool:
    """Whether a site on the line calls something by the name of the function that ran."""
    return any(callee_text(site.expr).rpartition(".")[2] == name for site in missing.sites if site.kind is SiteKind.CALL)


def _says_super(missing: Judged) -> bool:
    return any(callee_text(site.expr).startswith("super(") for site in missing.sites)
