"""What a solved program knows of calls that run elsewhere, or by way of a name."""

from __future__ import annotations

from dataclasses import dataclass, field

from flowmap.subject.library import Border


@dataclass(slots=True)
class Elsewhere:
    """What calls hand over, what they send, and what runs by a string or by way of a base from outside.

    `borders`: (site, border) → number of the site behind the border. `messages`: such a site → nodes of the objects that are
    sent. `coroutines`, `generators`: coroutine or generator → the function that it runs. `named`: string → node of what is
    registered under it. `applied`: class → what calling it by way of its base runs.
    """

    borders: dict[tuple[int, Border], int] = field(default_factory=dict)
    messages: dict[int, list[int]] = field(default_factory=dict)
    coroutines: dict[int, int] = field(default_factory=dict)
    generators: dict[int, int] = field(default_factory=dict)
    named: dict[str, int] = field(default_factory=dict)
    applied: dict[int, int] = field(default_factory=dict)
