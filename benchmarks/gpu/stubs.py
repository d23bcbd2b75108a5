"""Stands in for packages that SGLang imports at its modules' heads and that no scenario runs: a bare machine has none of them.

Availability probes (`importlib.util.find_spec`) are told the truth: absent. flashinfer is not stubbed: SGLang asks for it.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
import types
from collections.abc import Iterator, Sequence
from typing import Any

PACKAGES = frozenset(
    (
        "openai",
        "openai_harmony",
        "compressed_tensors",
        "xgrammar",
        "outlines",
        "outlines_core",
        "llguidance",
        "interegular",
        "gguf",
        "decord",
        "modelscope",
        "torchao",
        "quack",
        "cutlass",
        "IPython",
        "torch_memory_saver",
        "soundfile",
        "av",
        "anthropic",
        "datasets",
        "blobfile",
        "hf_transfer",
        "grpc_health",
        "grpc_reflection",
        "smg_grpc_proto",
        "polars",
        "tvm_ffi",
        "apache_tvm_ffi",
        "kernels",
        "mistral_common",
        "easydict",
        "watchfiles",
        "smg_grpc_servicer",
        "flash_attn",
        "deep_gemm",
        "cuda",
    )
)
PROBE = importlib.util.find_spec.__code__
DEEP = 8  # frames between a probe and a finder


class _NamedClass(type):
    """The class of every name in a stubbed package: whatever is asked of it is another such name."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _named(f"{cls.__name__}.{name}")

    def __getitem__(cls, _key: Any) -> Any:
        return cls

    def __or__(cls, _other: Any) -> Any:
        return cls

    def __ror__(cls, _other: Any) -> Any:
        return cls

    def __iter__(cls) -> Iterator[Any]:
        return iter(())


class _Instance:
    """What a call of such a name gives: a decorator that changes nothing, or something that can be called again."""

    def __new__(cls, *arguments: Any, **named: Any) -> Any:
        if len(arguments) == 1 and callable(arguments[0]) and not named:
            return arguments[0]
        return object.__new__(cls)

    def __init__(self, *_arguments: Any, **_named: Any) -> None:
        """Nothing is kept."""

    def __call__(self, *arguments: Any, **_named: Any) -> Any:
        return arguments[0] if len(arguments) == 1 and callable(arguments[0]) else self

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _named(f"{type(self).__name__}.{name}")

    def __class_getitem__(cls, _key: Any) -> Any:
        return cls

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: Any, _handler: Any) -> Any:
        from pydantic_core import core_schema

        return core_schema.any_schema()


_names: dict[str, Any] = {}


def _named(name: str) -> Any:
    if name not in _names:
        _names[name] = _NamedClass(name, (_Instance,), {})
    return _names[name]


class _StubbedModule(types.ModuleType):
    """A module in which every name is there."""

    def __getattr__(self, name: str) -> Any:
        if name == "__version__":
            return "0.0.0"
        if name.startswith("__"):
            raise AttributeError(name)
        return _named(f"{self.__name__}.{name}")


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds every module of the stubbed packages, last of all finders: what is installed is found before."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The stub of a module; None when it is not stubbed, or when somebody only asks whether it is there."""
        del path, target
        if fullname.partition(".")[0] not in PACKAGES or _is_probe():
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        """A module whose every attribute is there."""
        module = _StubbedModule(spec.name)
        module.__path__ = []
        return module

    def exec_module(self, module: types.ModuleType) -> None:
        """Nothing runs."""


def _is_probe() -> bool:
    frame: types.FrameType | None = sys._getframe(2)
    for _ in range(DEEP):
        if frame is None:
            return False
        if frame.f_code is PROBE:
            return True
        frame = frame.f_back
    return False


def install_stubs() -> None:
    """Stub the packages that are not installed. To be called before anything imports them."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.append(_Finder())
