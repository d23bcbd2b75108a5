"""A View as one JSON object: which source was asked, the record with its fields in their order, and the notes."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from enum import Enum
from typing import TextIO

from flowmap.model.view import View


def write_json(view: View, stream: TextIO) -> None:
    """Write a View's record to a stream. ASCII only, so that no name in it can steer a terminal."""
    content = {"source": view.source, "record": as_plain(view.record), "notes": list(view.notes)}
    json.dump(content, stream, indent=2)
    stream.write("\n")


def write_record(view: View, stream: TextIO) -> None:
    """Write a View's record alone, its fields at the top; the source and the notes behind them. The record is no list."""
    record = as_plain(view.record)
    assert isinstance(record, dict), "a record with fields"
    json.dump({**record, "source": view.source, "notes": list(view.notes)}, stream, indent=2)
    stream.write("\n")


def as_plain(value: object) -> object:
    """A record as what JSON knows: frozen dataclasses as objects, tuples as arrays, enums as their values."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: as_plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, (list, tuple)):
        return [as_plain(each) for each in value]
    if isinstance(value, Mapping):
        return {str(key): as_plain(each) for key, each in value.items()}
    return value
