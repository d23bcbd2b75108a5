"""The contracts that come with flowmap, the page about them, and the hook for commits."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from flowmap.contracts.read import read_contracts
from flowmap.model.contract import Contract, ContractFile, ContractKind
from flowmap.model.query import Anchors
from flowmap.query.files import CONTRACTS, files_on
from tests.conftest import Command

ROOT = Path(__file__).parents[2]
FILES = {name: read_contracts(file) for name, file in files_on(CONTRACTS, None).items()}
PAGE = ROOT / "docs" / "reference" / "contracts.md"
HEAD = """# The contracts that are shipped

This page is made from the contracts (`make goldens`). `flowmap check NAME --source pypi:sglang==0.5.9` holds those of one file
against a release. [How to write one](../how-to/hold-a-contract.md).
"""


def page() -> str:
    """The manual's page about them."""
    return "\n".join((HEAD, *(part for file in FILES.values() for part in section(file))))


def section(file: ContractFile) -> Iterator[str]:
    """What the page says of one file."""
    yield f"## {file.name}\n\n{file.what}\n"
    yield "| contract | kind | speaks of | why |\n|---|---|---|---|"
    yield from (f"| {one.name} | `{one.kind.value}` | {names(one)} | {one.why} |" for one in file.contracts)
    yield ""


def names(contract: Contract) -> str:
    """What a contract names, in code."""
    groups: tuple[Anchors, ...] = (contract.of, contract.fields, contract.classes)
    return ", ".join(f"`{anchor.names[0].text}`" for anchors in groups for anchor in anchors)


@pytest.mark.golden
def test_the_page_says_what_the_contracts_say(request: pytest.FixtureRequest) -> None:
    """All of them, by name."""
    if request.config.getoption("--rewrite-goldens"):
        PAGE.write_text(page(), encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == page(), "see how with: make goldens && git diff docs"


@pytest.mark.parametrize("file", FILES.values(), ids=FILES)
def test_each_says_what_it_is_for(file: ContractFile) -> None:
    """In words, of which project; every reason is a sentence."""
    assert file.what.endswith(".")
    assert file.about == "sglang"
    assert all(re.fullmatch(r"[A-Z].*\.", contract.why) for contract in file.contracts)


def test_what_the_adaptive_hook_leans_on_is_held() -> None:
    """Its one entrance, the signatures, the order of the step, the consumer of the result, the accounting of slots."""
    kinds = {contract.kind for contract in FILES["adaptive-disable"].contracts}
    assert kinds >= {
        ContractKind.ONLY_CALL_SITE,
        ContractKind.SIGNATURE,
        ContractKind.CALLS_IN_ORDER,
        ContractKind.GUARDED_BY,
        ContractKind.WRITES_ONLY_IN,
        ContractKind.MRO_PROVIDES,
        ContractKind.NEVER_CALLS,
        ContractKind.READS,
    }


def test_the_hook_for_commits_runs_what_is_there(flowmap: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its entry is a command that holds contracts, and says nothing but what it finds."""
    text = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    (entry,) = re.findall(r"^  entry: flowmap (.+)$", text, re.MULTILINE)
    (tmp_path / "app.py").write_text("def main():\n    pass\n", encoding="utf-8")
    (tmp_path / "flowmap.toml").write_text('source = "."\n', encoding="utf-8")
    (tmp_path / "queries" / "contracts").mkdir(parents=True)
    contract = '[[contract]]\nname = "a"\nkind = "anchor-exists"\nof = "{}"\nwhy = "So."\n'
    mine = tmp_path / "queries" / "contracts" / "mine.toml"
    monkeypatch.chdir(tmp_path)
    mine.write_text(contract.format("main"), encoding="utf-8")
    assert flowmap(*entry.split()).stderr == ""
    mine.write_text(contract.format("mein"), encoding="utf-8")
    assert "nothing is called mein" in flowmap(*entry.split(), code=1).stdout
