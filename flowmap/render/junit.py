"""Findings as JUnit's XML: a suite for each file of contracts, a test case for each contract."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from flowmap.model.finding import Case, Findings

_NOT_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(found: Findings) -> str:
    """The whole file."""
    root = Element("testsuites", {"name": "flowmap check", **_counts(found.cases)})
    for suite, cases in groupby(found.cases, key=lambda case: case.suite):
        _suite(root, _clean(suite), tuple(cases))
    indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + tostring(root, encoding="unicode")


def _counts(cases: Iterable[Case]) -> dict[str, str]:
    known = tuple(cases)
    failed = sum(any(not one.is_accepted for one in case.findings) for case in known)
    return {"tests": str(len(known)), "failures": str(failed), "skipped": str(sum(map(_is_skipped, known)))}


def _is_skipped(case: Case) -> bool:
    return case.is_silent or (bool(case.findings) and all(one.is_accepted for one in case.findings))


def _suite(root: Element, name: str, cases: tuple[Case, ...]) -> None:
    suite = SubElement(root, "testsuite", {"name": name, "errors": "0", **_counts(cases)})
    for case in cases:
        at = {"file": _clean(case.place.file), "line": str(case.place.line)}
        told = SubElement(suite, "testcase", {"name": _clean(case.name), "classname": f"{name}.{case.kind}", **at})
        if case.is_silent:
            SubElement(told, "skipped", message="says nothing of this release")
        elif _is_skipped(case):
            SubElement(told, "skipped", message="accepted by the baseline")
        failing = [one for one in case.findings if not one.is_accepted]
        if failing:
            lines = [text for one in failing for text in (f"{one.place}: {one.what}", *(f"    {each}" for each in one.beside))]
            failure = SubElement(told, "failure", message=_clean(failing[0].what), type=case.kind)
            failure.text = _clean("\n".join((*lines, case.why)))


def _clean(text: str) -> str:
    return _NOT_IN_XML.sub("\ufffd", text)
