"""Stands in for packages that only a graphics card can use, so that code that names them can be imported.

Any attribute of such a package is a class that may be named, used in annotations and as a decorator, and that raises when it is
called otherwise: no wrong answer passes in silence.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
import types
from collections.abc import Iterable, Sequence
from typing import Any


class StubCalledError(RuntimeError):
    """Something that only a graphics card can do was called."""


class _Named(type):
    """The class of every name in a stubbed package."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _named(f"{cls.__qualname__}.{name}")

    def __call__(cls, *arguments: Any, **named: Any) -> Any:
        match arguments:
            case (types.FunctionType() | type() as decorated,) if not named:
                return decorated
        raise StubCalledError(f"stubbed, and called on a CPU: {cls.__qualname__}")

    def __or__(cls, other: Any) -> Any:
        return object

    def __ror__(cls, other: Any) -> Any:
        return object


def _named(name: str) -> Any:
    return _Named(name.rsplit(".", 1)[-1], (), {"__qualname__": name, "__module__": "stub"})


class _StubbedModule(types.ModuleType):
    __path__: list[str] = []  # noqa: RUF012 a module's own attribute

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        full = f"{self.__name__}.{name}"
        if full not in sys.modules:
            setattr(self, name, _named(full))
            return self.__dict__[name]
        return sys.modules[full]


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds every module of the stubbed packages."""

    def __init__(self, packages: frozenset[str]) -> None:
        self.packages = packages

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The stub of a module, None when its package is not stubbed."""
        del path, target
        if fullname.partition(".")[0] not in self.packages:
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        """A module whose every attribute is there."""
        module = _StubbedModule(spec.name)
        module.__dict__.update(__version__="0.0.0+stub", __file__=f"<stub {spec.name}>")
        return module

    def exec_module(self, module: types.ModuleType) -> None:
        """Nothing runs."""


def install_stubs(packages: Iterable[str]) -> None:
    """Stub those of some packages that are not installed. To be called before anything imports them."""
    missing = frozenset(name for name in packages if importlib.util.find_spec(name) is None)
    sys.meta_path.append(_Finder(missing))
