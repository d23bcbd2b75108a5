"""Findings as other tools read them: well formed whatever a name, a guard or a path holds."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree

from flowmap.model.finding import Case, Finding, Findings
from flowmap.model.place import Place
from flowmap.render.github import github
from flowmap.render.junit import junit
from flowmap.render.sarif import sarif

ODD = 'a <b> & "c" 100%, d:\r\n::error::e \x1b[31m \u202e \ud800 f'


def found(*findings: Finding, is_silent: bool = False) -> Findings:
    """One case with these findings."""
    case = Case("patch", ODD, "calls", f"Why {ODD}.", Place("queries/patch.toml", 3), findings, is_silent)
    return Findings("app", (case,))


def finding(file: str = "src/a b,c:d.py", *, accepted: object = None) -> Finding:
    """A finding with odd texts."""
    return Finding(f"patch/{ODD}", ODD, Place(file, 7), (ODD,), accepted is not None)


def test_a_test_report_is_well_formed_xml() -> None:
    """What XML cannot hold is replaced."""
    root = ElementTree.fromstring(junit(found(finding())).encode("utf-8"))
    failure = root.find("./testsuite/testcase/failure")
    assert failure is not None
    assert failure.get("message", "").startswith('a <b> & "c" 100%, d:')
    assert "\x1b" not in (failure.text or "")
    assert root.get("failures") == "1"


def test_what_is_accepted_fails_no_test() -> None:
    """It is skipped; beside a failure it is left out."""
    root = ElementTree.fromstring(junit(found(finding(accepted=True))).encode("utf-8"))
    assert (root.get("failures"), root.get("skipped")) == ("0", "1")
    both = ElementTree.fromstring(junit(found(finding(accepted=True), finding())).encode("utf-8"))
    assert (both.get("failures"), both.get("skipped")) == ("1", "0")


def test_nothing_found_is_a_whole_report() -> None:
    """With a case that holds, or says nothing."""
    assert ElementTree.fromstring(junit(found())).get("failures") == "0"
    assert ElementTree.fromstring(junit(found(is_silent=True))).get("skipped") == "1"
    assert json.loads(sarif(found()))["runs"][0]["results"] == []
    assert github(found()) == ""


def test_an_annotation_is_one_line() -> None:
    """No text of the code can begin another command or end a property."""
    (line,) = github(found(finding())).splitlines()
    head, _, message = line.partition("::a ")
    assert head.startswith('::error file=src/a b%2Cc%3Ad.py,line=7,title=patch%3A a <b> & "c" 100%25%2C d%3A%0A')
    assert "100%25" in message
    assert "\x1b" not in line
    assert github(found(finding(accepted=True))).startswith("::notice ")


def test_a_code_host_gets_addresses() -> None:
    """Relative ones for files of the checkout, so that they are found there."""
    (relative,) = json.loads(sarif(found(finding())))["runs"][0]["results"]
    (absolute,) = json.loads(sarif(found(finding("/src/a.py"))))["runs"][0]["results"]
    uris = [one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for one in (relative, absolute)]
    assert uris == ["src/a%20b%2Cc%3Ad.py", "file:///src/a.py"]
    assert "suppressions" not in relative
    assert "a%FF.py" in sarif(found(finding("a\udcff.py")))


def test_a_code_host_finds_all_that_the_standard_asks_for() -> None:
    """SARIF 2.1.0: what each object must have, values of lists of words, and addresses; nothing that the standard does not know.

    The whole files were held against the schema of the standard, too.
    """
    log = json.loads(sarif(found(finding(), finding("/src/a.py"), finding(accepted=True), finding("a\udcff b.py"))))
    assert log.keys() == {"$schema", "version", "runs"}
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    assert run.keys() == {"tool", "results", "properties"}
    driver = run["tool"]["driver"]
    assert driver.keys() == {"name", "rules"}
    for rule in driver["rules"]:
        assert rule.keys() == {"id", "name", "shortDescription", "fullDescription", "defaultConfiguration"}
        assert rule["shortDescription"]["text"]
        assert rule["fullDescription"]["text"]
    assert len(run["results"]) == 4
    for result in run["results"]:
        assert result.keys() - {"suppressions"} == {
            "ruleId",
            "ruleIndex",
            "level",
            "message",
            "locations",
            "partialFingerprints",
        }
        assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in ("none", "note", "warning", "error")
        assert result["message"]["text"]
        assert all(one == {"kind": "external"} for one in result.get("suppressions", ()))
        place = result["locations"][0]["physicalLocation"]
        assert place["region"]["startLine"] >= 1
        assert re.fullmatch(r"(file://)?(/?[\w.~!$&'()*+,;=:@-]|%[0-9A-F]{2})+", place["artifactLocation"]["uri"], re.ASCII)
