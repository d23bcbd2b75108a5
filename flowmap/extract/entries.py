"""Entries of displays that a name holds, as long as straight-line code can tell: what was stored last is what is read.

An entry stands in the environment beside narrowed chains, as `name.[key]`; it goes when the name is bound anew, and when
anything is called, which might store another value. `name.[]` says that the name holds a display.
"""

from __future__ import annotations

import ast

from flowmap.extract.body import Body
from flowmap.extract.keys import constant_key

MOST_ENTRIES = 32  # of one display


def note_entries(body: Body, target: ast.expr, source: ast.expr, items: dict[str | int, int]) -> None:
    """A name was bound to a display with these entries."""
    if isinstance(target, ast.Name) and isinstance(source, ast.Dict | ast.List) and 0 < len(items) <= MOST_ENTRIES:
        body.has_entries = True
        body.env[f"{target.id}.[]"] = 0
        for key, node in items.items():
            body.env[entry(target.id, key)] = node


def entry(name: str, key: str | int) -> str:
    """The key of an entry in the environment."""
    return f"{name}.[{key!r}]"


def read_entry(body: Body, node: ast.Subscript) -> int | None:
    """The node that an item is known to hold here, None when it is not known."""
    match node:
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant()) if body.has_entries:
            key = constant_key(node.slice)
            return None if key is None else body.env.get(entry(name, key))
        case _:
            return None


def write_entry(body: Body, node: ast.Subscript, value: int) -> None:
    """`name[key] = value`: entries of the same key elsewhere might be the same one."""
    if not body.has_entries:
        return
    match node:
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant()) if f"{name}.[]" in body.env:
            key = constant_key(node.slice)
        case _:
            key = None
    if key is None:
        forget_entries(body)
    else:
        kept = {one: held for one, held in body.env.items() if one.startswith(f"{name}.[") and is_other(one, name, key)}
        forget_entries(body)
        body.env.update(kept)
        body.env[entry(name, key)] = value


def is_other(kept: str, name: str, key: str | int) -> bool:
    """Whether an entry of a display is surely not the one of a key: of another text, or another position from the start."""
    return kept != entry(name, key) and (isinstance(key, str) or key >= 0) and not kept.startswith(f"{name}.[-")


def forget_entries(body: Body) -> None:
    """Something ran that may have stored anything anywhere."""
    if body.has_entries:
        for key in [key for key in body.env if ".[" in key and not key.endswith(".[]")]:
            del body.env[key]
