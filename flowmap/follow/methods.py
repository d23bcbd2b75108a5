"""What methods and functions outside the indexed code do with what they are given, by their names."""

from __future__ import annotations

ADDING = frozenset(("append", "appendleft", "add", "put", "put_nowait", "push", "insert", "setdefault", "send", "heappush"))
JOINING = frozenset(("extend", "extendleft", "update"))  # add the elements of what they are given
TAKING = frozenset(("pop", "popleft", "get", "get_nowait", "setdefault", "recv", "heappop", "__next__", "next"))
LISTING = frozenset(("values", "copy", "__iter__", "keys"))  # give a container of the same elements
SAME = frozenset(
    ("list", "tuple", "set", "frozenset", "sorted", "reversed", "iter", "deque", "copy", "deepcopy", "dict", "filter", "chain")
)
CHANGING = ADDING | JOINING | frozenset(("clear", "remove", "discard", "sort", "reverse", "popitem", "rotate"))
THE_VALUE = frozenset(("cast", "deepcopy", "copy", "replace"))


def changes_in_place(name: str) -> bool:
    """Whether a method changes its receiver: mutators of containers, and names that end in one underscore."""
    return name in CHANGING or (name.endswith("_") and not name.endswith("__") and len(name) > 1)


OPERATORS = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "matmul": "@",
    "truediv": "/",
    "floordiv": "//",
    "mod": "%",
    "pow": "**",
    "lshift": "<<",
    "rshift": ">>",
    "or": "|",
    "xor": "^",
    "and": "&",
    "neg": "-",
    "pos": "+",
    "invert": "~",
    "eq": "==",
    "ne": "!=",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
    "contains": "in",
}


def symbol(operation: str) -> str:
    """How an operator is written, by the name of its special method without underscores: `+`, and `+=` for `iadd`."""
    if operation in OPERATORS:
        return OPERATORS[operation]
    inner = OPERATORS.get(operation[1:]) if operation.startswith("i") else None
    return f"{inner}=" if inner else operation
