"""The user's pip: it fetches wheels, and says with which settings the index is reached."""

from __future__ import annotations

import functools
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from flowmap.model.problem import FlowmapError, Problem

_QUIET = ("--disable-pip-version-check", "--no-input")
_SETTING = re.compile(r"(:env:|global|download)\.([\w-]+)=(['\"])(.*)\3")
_DEFAULT_INDEX = re.compile(r"--index-url <url>.*?\(default\s+(\S+?)\)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class PipSettings:
    """How the user reaches package indexes. Addresses may hold credentials: they are never shown."""

    indexes: tuple[str, ...]
    find_links: tuple[str, ...]
    certificate: str
    proxy: str
    trusted_hosts: tuple[str, ...]


def download_wheel(project: str, version: str, folder: Path) -> Path | None:
    """The wheel that pip picks for this platform, verified by pip and saved into an empty folder; None when pip finds none.

    pip is not allowed anything but wheels: to prepare an sdist, it would run the project's code.
    """
    requirement = f"{project}=={version}"
    wheels_only = ("--no-deps", "--only-binary=:all:")
    _run_pip("download", *wheels_only, "--retries=1", "--progress-bar=off", "--dest", str(folder), requirement)
    return next(iter(sorted(folder.glob("*.whl"))), None)


@functools.cache
def pip_settings() -> PipSettings:
    """What the user's configuration files and PIP_* variables say, read by pip itself."""
    listed = _run_pip("config", "list").stdout
    found = {(match[1], match[2]): _unquoted(match[4]) for match in map(_SETTING.fullmatch, listed.splitlines()) if match}

    def setting(*names: str) -> str:
        keys = ((place, name) for place in (":env:", "download", "global") for name in names)
        return next((found[key] for key in keys if key in found), "")

    uses_index = setting("no-index").lower() not in ("1", "true", "yes", "on")
    indexes = (setting("index-url", "pypi-url") or _default_index(), *setting("extra-index-url").split()) if uses_index else ()
    return PipSettings(
        indexes, tuple(setting("find-links").split()), setting("cert"), setting("proxy"), tuple(setting("trusted-host").split())
    )


def _default_index() -> str:
    """pip's own, as its manual page prints it."""
    match = _DEFAULT_INDEX.search(_run_pip("download", "--help").stdout)
    if match is None:
        raise FlowmapError(Problem("pip", "does not say which index it uses", "Set PIP_INDEX_URL."))
    return match[1]


def _run_pip(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run pip. -P keeps Python from taking a `pip` folder of the current folder for pip."""
    command = [*_pip(), *arguments, *_QUIET]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", errors="replace", check=False)


@functools.cache
def _pip() -> tuple[str, ...]:
    own = (sys.executable, "-P", "-m", "pip")
    if subprocess.run([*own, "--version"], capture_output=True, check=False).returncode == 0:
        return own
    installed = shutil.which("pip") or shutil.which("pip3")
    if installed is None:
        raise FlowmapError(Problem("pip", f"is not installed for {sys.executable}", f"Run `{sys.executable} -m ensurepip`."))
    return (installed,)


def _unquoted(text: str) -> str:
    """A setting as it was written: `pip config list` prints Python's representation of it."""
    return re.sub(r"\\(.)", lambda match: "\n" if match[1] == "n" else match[1], text)
