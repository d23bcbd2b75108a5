"""Reads the settings: from a JSON file, the environment and flags; the later of these goes before the earlier."""

from __future__ import annotations

import argparse
import ast
import inspect
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from difflib import get_close_matches
from enum import Enum
from pathlib import Path
from typing import Any, get_type_hints

from adaptive_disable.config import ConfigError, HookConfig, Mode, Variant

PREFIX = "ADAPTIVE_DISABLE_"
"""Of the environment: `ADAPTIVE_DISABLE_OFF_BATCH=96`. `ADAPTIVE_DISABLE_CONFIG` names the file."""
FLAG = "--adaptive-disable-"
"""Of flags: `--adaptive-disable-off-batch 96`. `--adaptive-disable-config` names the file."""
FILE = "config"

Texts = Mapping[str, str]


def read_settings(flags: Texts, environment: Texts) -> HookConfig:
    """The settings. `flags`: from `flags_in`; `environment`: `os.environ`.

    Raises `ConfigError` with one message for each setting that is unknown or has a value that cannot be meant.
    """
    named = {**_of_environment(environment), **flags}
    file = named.pop(FILE, None)
    problems: list[str] = []
    texts = {**(_of_file(Path(file), problems) if file else {}), **named}
    values = {name: _value(name, text, problems) for name, text in texts.items()}
    if problems:
        raise ConfigError(tuple(problems))
    return HookConfig(**values)


def flags_in(arguments: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """The hook's own flags among a server's arguments, by the setting's name, and the other arguments.

    A flag of a setting that is true or false may stand without a value: it is true then. Raises `ConfigError` where a
    flag begins as the hook's flags do and is none of them, or is half of one.
    """
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    add_flags(parser)
    own, others = parser.parse_known_args(list(arguments))
    unknown = tuple(_no_such_flag(word) for word in others if word.startswith(FLAG))
    if unknown:
        raise ConfigError(unknown)
    prefix = FLAG.lstrip("-").replace("-", "_")
    return {name.removeprefix(prefix): text for name, text in vars(own).items() if text is not None}, others


def _no_such_flag(word: str) -> str:
    flag = word.partition("=")[0]
    near = get_close_matches(flag.removeprefix(FLAG).replace("-", "_"), (*_kinds(), FILE), n=1, cutoff=0.5)
    return f"{flag}: there is no such flag{f'; did you mean {_flag(near[0])}?' if near else ''}"


def _flag(setting: str) -> str:
    return f"{FLAG}{setting.replace('_', '-')}"


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add a flag for each setting to a parser, in a group of their own: with what `HookConfig` says of it as help, and
    its default.
    """
    group = parser.add_argument_group("adaptive disable")
    group.add_argument(f"{FLAG}{FILE}", metavar="FILE", help="settings as a JSON object")
    explained = _explained()
    for field in fields(HookConfig):
        kind = _kinds()[field.name]
        default = "" if field.default is None else f" (default: {_text(field.default)})"
        text = f"{explained[field.name].strip()}{default}".replace("%", "%%")
        if kind is bool:
            group.add_argument(_flag(field.name), nargs="?", const="true", metavar="true|false", help=text)
        else:
            group.add_argument(_flag(field.name), metavar=_METAVARS.get(kind) or _words(kind), help=text)


def as_environment(config: HookConfig) -> dict[str, str]:
    """The variables that give a spawned process these settings. Those at their default are left out."""
    return {f"{PREFIX}{name.upper()}": text for name, text in as_texts(config).items()}


def as_texts(config: HookConfig) -> dict[str, str]:
    """The settings that are not at their default, by name, as they would be written."""
    changed = {
        field.name: getattr(config, field.name)
        for field in fields(config)
        if getattr(config, field.name) != field.default
    }
    return {name: _text(value) for name, value in changed.items()}


def of_texts(texts: Texts) -> HookConfig:
    """The settings that were written by `as_texts`. Raises `ConfigError` as `read_settings` does."""
    return read_settings(texts, {})


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value.value) if isinstance(value, Mode | Variant) else str(value)


def _kinds() -> dict[str, object]:
    hints = get_type_hints(HookConfig)
    return {field.name: hints[field.name] for field in fields(HookConfig)}


def _explained() -> dict[str, str]:
    """What `HookConfig` says below each setting."""
    body = ast.parse(inspect.getsource(HookConfig)).body[0]
    assert isinstance(body, ast.ClassDef)
    said = {}
    for setting, below in zip(body.body, body.body[1:] + body.body[-1:], strict=True):
        if isinstance(setting, ast.AnnAssign) and isinstance(setting.target, ast.Name):
            text = below.value.value if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant) else ""
            said[setting.target.id] = str(text)
    return said


def _of_environment(environment: Texts) -> dict[str, str]:
    return {
        name.removeprefix(PREFIX).lower(): text
        for name, text in environment.items()
        if name.startswith(PREFIX) and text
    }


def _of_file(path: Path, problems: list[str]) -> dict[str, str]:
    try:
        read = json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=_Pairs)
    except (OSError, UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        problems.append(f"{path}: cannot be read as JSON: {error}")
        return {}
    if not isinstance(read, _Pairs):
        problems.append(f'{path}: an object of settings is wanted, such as {{"enabled": true}}')
        return {}
    names = [name for name, _ in read]
    problems += [f"{path}: {name} stands there {names.count(name)} times" for name in _twice(names)]
    kinds = _kinds()
    problems += [
        f"{path}: {name} is {value!r}: {_PARSERS[kinds[name]][1]} is wanted"
        for name, value in read
        if kinds.get(name) == Path | None and not isinstance(value, str | None)
    ]
    return {name: _text(value) for name, value in read if value is not None}


class _Pairs(list[tuple[str, Any]]):
    """An object of JSON, with what stands there twice."""


def _twice(names: Sequence[str]) -> list[str]:
    """The names that are there more than once, in order, once each."""
    return [name for place, name in enumerate(names) if names.count(name) > 1 and name not in names[:place]]


def _value(name: str, text: str, problems: list[str]) -> Any:
    """What a text means for a setting; None, and one more problem, where it means nothing."""
    kinds = _kinds()
    if name not in kinds:
        near = get_close_matches(name, kinds, n=1)
        problems.append(f"{name}: there is no such setting{f'; did you mean {near[0]}?' if near else ''}")
        return None
    parse, wanted = _PARSERS[kinds[name]]
    try:
        return parse(text)
    except (ValueError, KeyError):
        problems.append(f"{name} is {text!r}: {wanted} is wanted")
        return None


_TRUTHS = {"true": True, "1": True, "yes": True, "on": True, "false": False, "0": False, "no": False, "off": False}
_METAVARS: dict[object, str] = {int: "N", float: "NUMBER", Path | None: "FILE"}


def _words(kind: object) -> str:
    """The values of an enumeration."""
    assert isinstance(kind, type)
    assert issubclass(kind, Enum)
    return "|".join(str(member.value) for member in kind)


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


def _path(text: str) -> Path:
    if not text.strip() or "\0" in text:
        raise ValueError(text)
    return Path(text)


_PARSERS: dict[object, tuple[Callable[[str], object], str]] = {
    bool: (lambda text: _TRUTHS[text.strip().lower()], "true or false"),
    int: (int, "a whole number"),
    float: (_finite, "a number"),
    Path | None: (_path, "the path of a file"),
    Mode: (Mode, " or ".join(mode.value for mode in Mode)),
    Variant: (Variant, " or ".join(variant.value for variant in Variant)),
}
