"""Findings as SARIF 2.1.0, which code hosts and editors read: a rule for each contract, a result for each finding."""

from __future__ import annotations

import json
from urllib.parse import quote

from flowmap.model.finding import Case, Finding, Findings

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_FINGERPRINT = "flowmapKey/v1"


def sarif(found: Findings) -> str:
    """The whole file. What is accepted is there, too, as suppressed."""
    driver = {"name": "flowmap", "rules": [_rule(case) for case in found.cases]}
    results = [_result(number, case, one) for number, case in enumerate(found.cases) for one in case.findings]
    run = {"tool": {"driver": driver}, "results": results, "properties": {"source": found.source}}
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2)


def _rule(case: Case) -> dict[str, object]:
    return {
        "id": f"{case.suite}/{case.name}",
        "name": case.kind,
        "shortDescription": {"text": case.name},
        "fullDescription": {"text": case.why},
        "defaultConfiguration": {"level": "error"},
    }


def _result(rule: int, case: Case, one: Finding) -> dict[str, object]:
    location = {"artifactLocation": {"uri": _uri(one.place.file)}, "region": {"startLine": one.place.line}}
    result: dict[str, object] = {
        "ruleId": f"{case.suite}/{case.name}",
        "ruleIndex": rule,
        "level": "error",
        "message": {"text": "\n".join((one.what, *one.beside, case.why))},
        "locations": [{"physicalLocation": location}],
        "partialFingerprints": {_FINGERPRINT: one.key},
    }
    if one.is_accepted:
        result["suppressions"] = [{"kind": "external"}]
    return result


def _uri(path: str) -> str:
    """A path as an address: relative where it is, so that it is found in a checkout."""
    text = quote(path.replace("\\", "/"), errors="surrogateescape")
    return f"file://{text}" if text.startswith("/") else text
