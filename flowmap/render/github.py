"""Findings as the workflow commands that GitHub shows beside the lines of a change."""

from __future__ import annotations

from flowmap.model.finding import Case, Finding, Findings
from flowmap.render.untrusted import plain


def github(found: Findings) -> str:
    """A line for each finding; what is accepted is a notice."""
    return "\n".join(_line(case, one) for case in found.cases for one in case.findings)


def _line(case: Case, one: Finding) -> str:
    level = "notice" if one.is_accepted else "error"
    title = _property(f"{case.suite}: {case.name}")
    message = _message("\n".join((one.what, *one.beside, case.why)))
    return f"::{level} file={_property(one.place.file)},line={one.place.line},title={title}::{message}"


def _message(text: str) -> str:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "%0A".join(plain(line).replace("%", "%25") for line in lines)


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")
