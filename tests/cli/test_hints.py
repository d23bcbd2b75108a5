"""The user's own files, as `doctor` and `explain` tell of them: hints and profiles."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Command

ROOT = Path(__file__).parents[2]


def test_the_doctor_goes_on_past_what_cannot_be_read(flowmap: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A broken hint and a broken profile are a line each; a hint that nothing was indexed with is said to be unchecked."""
    (tmp_path / "app.py").write_text("class C: ...\ndef f(x): x.run()\n", encoding="utf-8")
    (tmp_path / "profiles").mkdir()
    (tmp_path / "profiles" / "mine.toml").write_text("assume = 3", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FLOWMAP_SOURCE", raising=False)
    wanted = {"FLOWMAP_CACHE": str(tmp_path / "cache"), "PYTHONPATH": str(ROOT)}
    hint = "source = '.'\n[[hint]]\nat = 'app.f(x)'\n"
    (tmp_path / "flowmap.toml").write_text(hint, encoding="utf-8")
    broken = flowmap("doctor", code=1, **wanted).stdout
    assert "says not both `at` and `holds`" in broken
    assert "SQLite" in broken
    (tmp_path / "flowmap.toml").write_text(f"{hint}holds = 'app.C'\n", encoding="utf-8")
    unchecked = flowmap("doctor", code=1, **wanted).stdout
    assert "mine.toml: `assume` is not a list" in unchecked
    assert "app.f(x): not checked" in unchecked
    flowmap("index", "-q", **wanted)
    checked = flowmap("doctor", code=1, **wanted).stdout
    assert "none of the subject" not in checked
    assert "not checked" not in checked


def test_the_evidence_ends_in_the_hint(flowmap: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of an object as of a function: it is no annotation that says what is there."""
    (tmp_path / "app.py").write_text(
        "class C:\n    def go(self): ...\ndef g(): ...\ndef f(x, y):\n    x.go()\n    y()\n", encoding="utf-8"
    )
    hints = "[[hint]]\nat = 'app.f(x)'\nholds = 'app.C'\n[[hint]]\nat = 'app.f(y)'\nholds = 'app.g'\n"
    (tmp_path / "flowmap.toml").write_text(f"source = '.'\n{hints}", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FLOWMAP_SOURCE", raising=False)
    wanted = {"FLOWMAP_CACHE": str(tmp_path / "cache"), "PYTHONPATH": str(ROOT)}
    for line, at in ((5, "app.f(x)"), (6, "app.f(y)")):
        said = flowmap("explain", f"app.py:{line}", **wanted).stdout
        assert f" hint in flowmap.toml: {at}" in said
        assert "declared" not in said
