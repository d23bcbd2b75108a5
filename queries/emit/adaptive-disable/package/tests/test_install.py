"""The hook gets on every scheduler of a process, when it is set up, and on none where the binding moved."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import pytest

from adaptive_disable import install
from adaptive_disable.compatibility import BindingMoved
from adaptive_disable.config import HookConfig

CONFIG = HookConfig(enabled=True)


class Scheduler:
    """As SGLang's: set up in its constructor, then it serves."""

    def __init__(self, name: str) -> None:
        self.events = [f"{name} is set up"]


@pytest.fixture
def attached(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What the hook was put on."""
    seen: list[Any] = []

    def attach(scheduler: Scheduler, config: HookConfig) -> None:
        assert config is CONFIG
        scheduler.events.append("hooked")
        seen.append(scheduler)

    module: Any = ModuleType("adaptive_disable.attach")
    module.attach = attach
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(install, "check", lambda: None)
    return seen


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """What became of each scheduler of a process that SGLang's own function ran."""
    served: list[list[str]] = []

    def run_scheduler_process(name: str) -> None:
        scheduler = module.Scheduler(name)
        scheduler.events.append("serves")
        served.append(scheduler.events)

    module: Any = ModuleType("sglang.srt.managers.scheduler")
    module.Scheduler, module.run_scheduler_process = Scheduler, run_scheduler_process
    managers: Any = ModuleType("sglang.srt.managers")
    managers.scheduler = module
    for name in ("sglang", "sglang.srt"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, managers.__name__, managers)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return served


def test_the_hook_comes_between_set_up_and_serving(attached: list[Any], served: list[list[str]]) -> None:
    """The arguments of SGLang's function follow the settings."""
    install.run_scheduler_process(CONFIG, "rank 0")
    assert served == [["rank 0 is set up", "hooked", "serves"]]
    assert len(attached) == 1


def test_afterwards_nothing_is_patched() -> None:
    """A scheduler that is made later is as ever."""
    stock = Scheduler.__init__
    seen: list[Scheduler] = []
    with install.schedulers_hooked(Scheduler, seen.append):
        early = Scheduler("early")
    Scheduler("late")
    assert Scheduler.__init__ is stock
    assert seen == [early]


def test_where_the_hook_fails_the_scheduler_does(
    monkeypatch: pytest.MonkeyPatch, attached: list[Any], served: list[list[str]]
) -> None:
    """The server hears of it as of any failure of a scheduler; the class is as it was."""
    stock = Scheduler.__init__

    def fails(_scheduler: object, config: HookConfig) -> None:
        raise OSError(f"port {config.metrics_port} is taken")

    monkeypatch.setattr(sys.modules["adaptive_disable.attach"], "attach", fails)
    with pytest.raises(OSError, match="is taken"):
        install.run_scheduler_process(CONFIG, "rank 0")
    assert Scheduler.__init__ is stock
    assert served == attached == []


def test_where_the_binding_moved_nothing_is_imported_or_patched(
    monkeypatch: pytest.MonkeyPatch, attached: list[Any], served: list[list[str]]
) -> None:
    """It is checked in the very process that is to be patched."""

    def moved() -> None:
        raise BindingMoved((), "sglang 0.0.0")

    monkeypatch.setattr(install, "check", moved)
    with pytest.raises(BindingMoved):
        install.run_scheduler_process(CONFIG, "rank 0")
    assert served == attached == []
