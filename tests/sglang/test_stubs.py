"""A package that only a graphics card can use may be named on a CPU, and not called."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator

import pytest

from tests.sglang.stubs import StubCalledError, install_stubs


@pytest.fixture
def stubbed(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The name of a package that is stubbed for one test."""
    name = "only_on_a_graphics_card"
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path])
    install_stubs((name, "json"))
    yield name
    for module in [each for each in sys.modules if each.startswith(name)]:
        del sys.modules[module]


def test_a_stub_can_be_named_and_not_called(stubbed: str) -> None:
    """Any module of the package, any attribute; what is called raises, so that no answer is made up."""
    kernel = importlib.import_module(f"{stubbed}.sampling").top_k
    with pytest.raises(StubCalledError, match=r"sampling\.top_k"):
        kernel(1)


def test_a_stub_decorates(stubbed: str) -> None:
    """What it decorates stays what it is."""

    def function() -> None: ...

    assert importlib.import_module(stubbed).jit(function) is function


def test_what_is_installed_is_not_stubbed(stubbed: str) -> None:
    """Nor is what nobody named."""
    assert importlib.import_module("json").dumps(stubbed) == f'"{stubbed}"'
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module(f"{stubbed}_of_another_kind")
