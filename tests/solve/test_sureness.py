"""What is proven is proven by text that nothing else in the program changes; all else is inferred."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from flowmap.model.program import Confidence
from flowmap.reports.export_calls import export_calls
from tests.programs import index_of

FUNCTIONS = "def one(): ...\ndef two(): ...\n"


def confidences(folder: Path, text: str, expr: str) -> dict[str, str]:
    """How surely each target runs at the one site with this text."""
    rows = [json.loads(line) for line in export_calls(index_of(folder, {"app.py": text}), Confidence.POSSIBLE)]
    (row,) = [row for row in rows if row["expr"] == expr and row["kind"] == "call"]
    return {target["symbol"]: target["confidence"] for target in row["targets"]}


@pytest.mark.parametrize(
    "text",
    [
        "table = {'a': one}\nother = table\nother['a'] = two\nrun = table['a']\nrun()",
        "items = [one]\ndef use():\n    run = items[0]\n    run()",
        "items = [one]\nitems.insert(0, two)\nrun = items[0]\nrun()",
        "import functools\n@functools.singledispatch\ndef run(x): ...\n@run.register\ndef of_int(x: int): ...\nrun()",
        "import bisect\nheap = []\nbisect.insort(heap, one)\nrun = heap[0]\nrun()",
    ],
    ids=["another name for it", "in another function", "elements moved", "dispatch by type", "kept by the standard library"],
)
def test_what_a_container_holds_is_inferred(tmp_path: Path, text: str) -> None:
    """Other places may put something else there."""
    found = confidences(tmp_path, FUNCTIONS + text, "run()")
    assert found
    assert set(found.values()) == {"inferred"}


@pytest.mark.parametrize(
    "text",
    [
        "table = {'a': one}\nrun = table['a']\nrun()",
        "pair = (one, two)\nrun = pair[0]\nrun()",
        "items = [two, one]\nitems[0], items[1] = items[1], items[0]\nrun = items[0]\nrun()",
    ],
    ids=["nothing ran since", "a tuple", "swapped right there"],
)
def test_what_nothing_can_have_changed_is_proven(tmp_path: Path, text: str) -> None:
    """Straight-line code tells what stands in a display, and a tuple keeps what it was made with."""
    assert confidences(tmp_path, FUNCTIONS + text, "run()") == {"app.one": "proven"}


HOST = "class Host:\n    def run(self): ...\n    def use(self):\n        self.run()\nclass Other:\n    def run(self): ...\n"


@pytest.mark.parametrize(
    "text",
    [
        "def patch(self): ...\nHost.run = patch",
        "host = Host()\nhost.run = lambda: None",
        "def patch(host):\n    host.run = print\npatch(Host())",
    ],
    ids=["on the class", "on an object", "in a function"],
)
def test_a_method_that_is_stored_over_is_inferred(tmp_path: Path, text: str) -> None:
    """What the class defines may be hidden."""
    assert confidences(tmp_path, HOST + text, "self.run()")["app.Host.run"] == "inferred"


def test_a_method_of_another_class_that_is_stored_over_says_nothing(tmp_path: Path) -> None:
    """Names are not what counts."""
    assert confidences(tmp_path, f"{HOST}Other.run = print", "self.run()") == {"app.Host.run": "proven"}


def test_a_function_that_is_stored_over_on_its_module_is_inferred(tmp_path: Path) -> None:
    """For whoever asks the module, itself included; one that nothing is stored over stays proven."""
    texts = {
        "lib.py": f"{FUNCTIONS}def use():\n    one()\n    two()\n",
        "app.py": "import lib\nlib.one = print\nlib.one()\nlib.use()\n",
    }
    rows = [json.loads(line) for line in export_calls(index_of(tmp_path, texts), Confidence.POSSIBLE)]
    found = {
        row["expr"]: target["confidence"] for row in rows for target in row["targets"] if target["symbol"].startswith("lib.")
    }
    assert found == {"one()": "inferred", "two()": "proven", "lib.one()": "inferred", "lib.use()": "proven"}
