"""Has SGLang's own registry of plugins put the emitted hook on schedulers, and decides in its place."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Sequence
from typing import Any

from tests.adaptive.script import Script, Scripted


class Relay:
    """Does what the script of the moment does."""

    def __init__(self) -> None:
        self.script = Script(())

    def put_on(self, script: Script) -> Callable[[], None]:
        """Have a script decide. Returns what ends that: the hook stays where the registry put it, and all steps speculate."""
        self.script = script

        def take_off() -> None:
            self.script = Script(())

        return take_off

    def decide(self, batch_size: int, queue_length: int, context: int) -> Scripted:
        """As the script does."""
        return self.script.decide(batch_size, queue_length, context)

    def observe_speculated(self, accepted: Sequence[int]) -> None:
        """As the script does."""
        self.script.observe_speculated(accepted)

    def observe_plain(self, n_requests: int, foreseen: int | None = None) -> None:
        """As the script does."""
        self.script.observe_plain(n_requests, foreseen)


def is_plugin() -> bool:
    """Whether the emitted package is one for SGLang's registry."""
    return importlib.util.find_spec("adaptive_disable.plugin") is not None


def plug_in(variant: str) -> Relay:
    """Load plugins as a scheduler process does. The hook of each scheduler that is made then asks the relay.

    The package must be installed: SGLang finds plugins by the entry points of distributions.
    """
    os.environ.update(
        ADAPTIVE_DISABLE_ENABLED="1", ADAPTIVE_DISABLE_MODE="threshold", ADAPTIVE_DISABLE_VARIANT=variant, SGLANG_PLUGINS=""
    )
    from adaptive_disable import attach
    from sglang.srt.plugins import load_plugins

    relay = Relay()
    attach.controller_for = lambda *_settings, **_named: relay
    load_plugins()
    return relay


def expect_hooked(scheduler: Any) -> None:
    """Raises `AssertionError` where the registry has not put the hook on: it only logs what fails."""
    step = scheduler.model_worker.forward_batch_generation
    assert type(step.__self__).__module__ == "adaptive_disable.hook", f"no hook on the worker: {step}"
