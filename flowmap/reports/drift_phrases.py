"""How it is said what became of a thing from one release to the next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from flowmap.drift.matching import SURE
from flowmap.model.drift import FIELD, Change, Fate, Stay, Whereabouts
from flowmap.model.place import Place
from flowmap.model.program import DefinitionKind
from flowmap.model.view import Line, Role, Span
from flowmap.reports.phrases import count, note

FOLLOWED = (Fate.MOVED, Fate.RENAMED, Fate.MOVED_AND_RENAMED)
NOWHERE = "-"


def signature_word(at: Whereabouts) -> str:
    """What the signature of a thing is called."""
    if at.kind == FIELD:
        return "annotation"
    return "bases" if at.kind == DefinitionKind.CLASS else "signature"


def is_end(stay: Stay) -> bool:
    """Whether something went or came back here."""
    return stay.fate in (Fate.GONE, Fate.SPLIT, Fate.DOUBT, Fate.BACK)


def end_of(stay: Stay) -> str:
    """What happened, in a word."""
    return "back" if stay.fate is Fate.BACK else "split" if stay.fate is Fate.SPLIT else "gone"


def where(at: Whereabouts | None) -> Line:
    """`file:line`; of an `__init__.py` its folder, too."""
    if at is None:
        return (note(NOWHERE),)
    parts = at.file.split("/")
    shown = "/".join(parts[-2:]) if parts[-1] == "__init__.py" else parts[-1]
    return (Span(f"{shown}:{at.line}", Role.PLACE, Place(at.file, at.line)),)


def what(stay: Stay) -> str:
    """What happened on the way to a release."""
    match stay.fate:
        case Fate.ABSENT:
            return ""
        case Fate.FIRST | Fate.NEW | Fate.BACK:
            return "" if stay.fate is Fate.FIRST else stay.fate.value
        case Fate.DOUBT:
            return f"gone; perhaps {' or '.join(short_symbol(change.became) for change in stay.changes)}"
        case Fate.SPLIT:
            parts = (f"{short_symbol(one.became)} ({count(round(one.likeness), 'member')})" for one in stay.changes)
            return f"gone; split: {', '.join(parts)}"
        case Fate.GONE:
            return "gone"
        case _:
            return ", ".join((*followed(stay), *altered(stay))) or "same"


def followed(stay: Stay) -> Iterator[str]:
    """How it came from its former place or name."""
    at, before = stay.at, stay.before
    if stay.fate not in FOLLOWED or at is None or before is None:
        return
    sure = "" if likeness_of(stay.changes) >= SURE else "likely "
    if before.name != at.name:
        yield f"{sure}renamed from {before.name}"
    if before.owner != at.owner:
        yield f"{'' if before.name != at.name else sure}moved from {home_of(before, at)}"


def home_of(before: Whereabouts, at: Whereabouts) -> str:
    """Where it was: its class where that is another one, else its file."""
    former, now = short_symbol(before.owner), short_symbol(at.owner)
    return former if former != now and before.owner != before.module else before.file.rpartition("/")[2]


def likeness_of(changes: Sequence[Change]) -> float:
    """How alike what was followed is; 1 where the symbol is the same."""
    return next((change.likeness for change in changes if change.fate in FOLLOWED), 1.0)


def altered(stay: Stay) -> Iterator[str]:
    """What is another in a thing that is there in both."""
    if stay.at is None or stay.before is None:
        return
    if has_new_signature(stay):
        yield f"new {signature_word(stay.at)}"
    if stay.came or stay.left:
        counted = (f"{sign}{len(names)}" for sign, names in (("+", stay.came), ("-", stay.left)) if names)
        yield f"members {' '.join(counted)}"
    elif stay.before.digest != stay.at.digest:
        yield "new body"


def has_new_signature(stay: Stay) -> bool:
    """Whether the signature is not the one of the release before."""
    return stay.at is not None and stay.before is not None and stay.at.signature != stay.before.signature


def short(at: Whereabouts) -> str:
    """A symbol without its module."""
    return at.symbol.removeprefix(f"{at.module}.").replace(".<locals>", "")


def short_symbol(symbol: str) -> str:
    """A symbol that may be of any module: its last two parts, or the last one where it is a class or function of a module."""
    parts = symbol.replace(".<locals>", "").split(".")
    return ".".join(parts[-2:]) if len(parts) > 1 and parts[-2][:1].isupper() else parts[-1]
