"""The launcher, on a server that is faked: what starts, what is refused, and what spawned processes are to run."""

from __future__ import annotations

import argparse
import os
import pickle
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import adaptive_disable
from adaptive_disable import launch
from adaptive_disable.compatibility import BindingMoved
from adaptive_disable.install import run_scheduler_process
from adaptive_disable.server_arguments import SECOND_WORKER

ENABLED = "--adaptive-disable-enabled"
EAGLE = ["--speculative-algorithm", "EAGLE3"]


class Server:
    """What was started, and with what."""

    def __init__(self) -> None:
        self.started: list[str] = []
        self.arguments: Any = None
        self.run: Any = None
        self.while_serving: Callable[[], None] = lambda: None

    def launch_server(self, server_args: object, run_scheduler_process_func: object) -> None:
        """SGLang's own, for HTTP."""
        self.started.append("hooked")
        self.arguments, self.run = server_args, run_scheduler_process_func
        self.while_serving()

    def kill_process_tree(self, _pid: int, include_parent: bool) -> None:
        """SGLang's own: ends what the server started."""
        assert not include_parent
        self.started.append("ended")

    def run_server(self, server_args: object) -> None:
        """SGLang's own, of its command."""
        self.started.append("stock")
        self.arguments = server_args


class ServerArgs:
    """As SGLang's: what was named by name in Python, None where nothing was."""

    @staticmethod
    def add_cli_args(parser: argparse.ArgumentParser) -> None:
        """Some of the flags."""
        parser.add_argument("--speculative-algorithm")
        parser.add_argument("--speculative-eagle-topk", type=int)
        parser.add_argument("--speculative-num-steps", type=int)
        parser.add_argument("--speculative-num-draft-tokens", type=int)
        parser.add_argument("--disable-overlap-schedule", action="store_true")
        parser.add_argument("--config")

    @staticmethod
    def from_cli_args(named: argparse.Namespace) -> SimpleNamespace:
        """Resolves nothing."""
        return SimpleNamespace(**vars(named))


class ConfigArgumentMerger:
    """As SGLang's: what a file names goes before what the command line does."""

    def __init__(self, parser: argparse.ArgumentParser) -> None:
        self.parser = parser

    def merge_config_with_args(self, words: list[str]) -> list[str]:
        """The file names a top-k."""
        return ["--speculative-eagle-topk", "4", *words[2:]]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """SGLang is what the binding says, and starts nothing."""
    server = Server()
    fakes: dict[str, dict[str, object]] = {
        "sglang": {},
        "sglang.launch_server": {"run_server": server.run_server},
        "sglang.srt": {},
        "sglang.srt.entrypoints": {},
        "sglang.srt.entrypoints.http_server": {"launch_server": server.launch_server},
        "sglang.srt.server_args": {"ServerArgs": ServerArgs, "prepare_server_args": lambda words: words},
        "sglang.srt.server_args_config_parser": {"ConfigArgumentMerger": ConfigArgumentMerger},
        "sglang.srt.utils": {"kill_process_tree": server.kill_process_tree},
    }
    for name, content in fakes.items():
        module = ModuleType(name)
        vars(module).update(content)
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.delitem(sys.modules, "adaptive_disable.server", raising=False)
    monkeypatch.delattr(adaptive_disable, "server", raising=False)
    monkeypatch.setattr(launch, "check", lambda: None)
    monkeypatch.delenv(SECOND_WORKER, raising=False)
    kept = signal.getsignal(signal.SIGUSR2)
    yield server
    signal.signal(signal.SIGUSR2, kept)
    os.environ.pop(SECOND_WORKER, None)


def test_unless_enabled_the_server_starts_as_by_itself(server: Server) -> None:
    """Nothing is filled in, and no process runs anything of ours."""
    assert launch.main(EAGLE) == 0
    assert server.started == ["stock", "ended"]
    assert server.arguments == EAGLE
    assert SECOND_WORKER not in os.environ


def test_enabled_it_fills_in_what_was_left_open(server: Server) -> None:
    """The second worker, a chain, and a number of steps."""
    assert launch.main([ENABLED, *EAGLE]) == 0
    assert server.started == ["hooked", "ended"]
    assert server.arguments.speculative_eagle_topk == 1
    assert server.arguments.speculative_num_steps == 3
    assert os.environ[SECOND_WORKER] == "1"


def test_spawned_processes_run_our_function_by_its_name(server: Server) -> None:
    """Spawning pickles it, with the settings: a closure would not get there."""
    launch.main([ENABLED, "--adaptive-disable-off-batch", "96", *EAGLE])
    run = pickle.loads(pickle.dumps(server.run))
    assert isinstance(run, partial)
    assert run.func is run_scheduler_process
    assert run.args[0].off_batch == 96


def test_the_signal_makes_the_file_that_all_schedulers_look_at(
    server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A file of this launch where none was named."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    seen: list[bool] = []

    def kill() -> None:
        seen.append(server.run.args[0].kill_file.exists())
        os.kill(os.getpid(), signal.SIGUSR2)
        seen.append(server.run.args[0].kill_file.exists())

    server.while_serving = kill
    launch.main([ENABLED, *EAGLE])
    assert seen == [False, True]


def test_a_kill_file_that_was_named_is_used(server: Server, tmp_path: Path) -> None:
    """By all."""
    launch.main([ENABLED, "--adaptive-disable-kill-file", str(tmp_path / "off"), *EAGLE])
    assert server.run.args[0].kill_file == tmp_path / "off"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([ENABLED], "--speculative-algorithm is missing"),
        ([ENABLED, *EAGLE, "--speculative-eagle-topk", "4"], "--speculative-eagle-topk 4"),
        ([ENABLED, "--config", "server.yaml", *EAGLE], "--speculative-eagle-topk 4"),
        ([ENABLED, *EAGLE, "--disable-overlap-schedule"], "--disable-overlap-schedule"),
        ([ENABLED, "--adaptive-disable-off-batch", "none"], "off_batch"),
        ([ENABLED, *EAGLE, "--speculative-eagle-topk=4"], "--speculative-eagle-topk 4"),
        ([ENABLED, *EAGLE, "--speculative-eagle", "4"], "--speculative-eagle-topk 4"),
        ([ENABLED, *EAGLE, "--adaptive-disable-off", "96"], "--adaptive-disable-off: there is no such flag"),
        ([ENABLED, *EAGLE, "--adaptive-disable-log", "no/such/folder/log"], "there is no folder"),
    ],
)
def test_what_cannot_be_served_starts_nothing(
    server: Server, words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The reason is said, and the exit code is that of a wrong command; a configuration file counts as named."""
    assert launch.main(words) == launch.USAGE_ERROR
    assert said in capsys.readouterr().err
    assert server.started == []


def test_settings_in_the_file_of_the_server_are_refused(
    server: Server, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """They are read before, so those would not count; nobody would know."""
    words = ["--adaptive-disable-off-batch", "96"]
    monkeypatch.setattr(ConfigArgumentMerger, "merge_config_with_args", lambda _self, given: [*words, *given[2:]])
    assert launch.main([ENABLED, "--config", "server.yaml", *EAGLE]) == launch.USAGE_ERROR
    assert "--adaptive-disable-off-batch stands in the file that --config names" in capsys.readouterr().err
    assert server.started == []


def test_without_the_server_it_says_so(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """One line, whatever was asked for."""
    monkeypatch.delitem(sys.modules, "sglang", raising=False)
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    assert launch.main(["--help"]) == launch.USAGE_ERROR
    assert capsys.readouterr().err.startswith("adaptive-disable: sglang is not installed here")


def test_a_signal_that_cannot_make_the_file_ends_nothing(
    server: Server, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The folder is gone meanwhile: it is said, and the server goes on."""
    folder = tmp_path / "switches"
    folder.mkdir()

    def kill() -> None:
        folder.rmdir()
        os.kill(os.getpid(), signal.SIGUSR2)

    server.while_serving = kill
    assert launch.main([ENABLED, "--adaptive-disable-kill-file", str(folder / "off"), *EAGLE]) == 0
    assert "not off, the file of that cannot be made" in caplog.text


def test_another_release_starts_nothing(
    server: Server, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """All that moved is said."""

    def moved() -> None:
        raise BindingMoved((), "sglang 0.0.0")

    monkeypatch.setattr(launch, "check", moved)
    assert launch.main([ENABLED, *EAGLE]) == launch.USAGE_ERROR
    assert "sglang 0.0.0" in capsys.readouterr().err
    assert server.started == []


def test_help_shows_both_sorts_of_flags(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    """And starts nothing."""
    assert launch.main(["--help"]) == 0
    told = capsys.readouterr().out
    assert ENABLED in told
    assert "--speculative-algorithm" in told
    assert server.started == []
