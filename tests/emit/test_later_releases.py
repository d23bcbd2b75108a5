"""What is emitted for releases of SGLang that switch off by themselves: configuration, and a policy where they take one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from flowmap.model.progress import SilentProgress
from flowmap.source.open import open_source
from tests.conftest import Command
from tests.emit.names_used import names_used
from tests.emit.slots_of_release import rules_of

ROOT = Path(__file__).parents[2]
FILES = {"README.md", "BINDING.md", "adaptive_disable/slots.py", "adaptive_disable/configure.py", "adaptive_disable/costs.py"}
HOOK = {"adaptive_disable/hook.py", "adaptive_disable/launch.py", "adaptive_disable/install.py", "adaptive_disable/one_token.py"}
RULES = "sglang/srt/speculative/adaptive_spec_params.py"
POLICY = {"adaptive_disable/load_policy.py", "adaptive_disable/plugin.py"}


@pytest.fixture(scope="module", params=["0.5.14", "0.5.23"])
def emitted(request: pytest.FixtureRequest, flowmap: Command, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package for a release, in a folder that has its name."""
    folder = tmp_path_factory.mktemp("emitted") / str(request.param)
    flowmap("emit", "adaptive-disable", "--source", f"pypi:sglang=={request.param}", "-o", str(folder), "--quiet")
    return folder


@pytest.fixture
def rules(emitted: Path) -> Path:
    """The file with the rules of that release's own controller."""
    source = open_source(f"pypi:sglang=={emitted.name}", (), SilentProgress())
    return next(Path(file.location) for file in source.files if file.path == RULES)


def files_in(folder: Path) -> set[str]:
    """The paths of what was emitted."""
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_every_name_that_is_used_of_it_is_bound(emitted: Path) -> None:
    """Attributes of the server's objects are held to the release, too."""
    assert names_used(emitted) == {}


def test_nothing_is_patched_there(emitted: Path) -> None:
    """No hook, no launcher; a policy only where the release has a form for it."""
    files = files_in(emitted)
    assert files >= FILES
    assert not files & HOOK
    assert (files & POLICY == POLICY) == (emitted.name == "0.5.23")
    assert ("sglang.srt.plugins" in (emitted / "pyproject.toml").read_text(encoding="utf-8")) == (emitted.name == "0.5.23")


def test_it_says_what_the_release_does_not_cover_and_where_that_stands(emitted: Path) -> None:
    """Each claim with the line of that very release."""
    readme = (emitted / "README.md").read_text(encoding="utf-8")
    binding = (emitted / "BINDING.md").read_text(encoding="utf-8")
    assert "What SGLang does not cover" in readme
    for claim in ("top-k above 1", "the length of the queue", "a dwell, "):
        assert claim in readme
    for line in (line for line in readme.splitlines() if line.startswith("| ") and ".py:" in line):
        place = line.rpartition(", ")[2].removesuffix(" |")
        assert f"`{place}`" in binding


def test_its_own_tests_pass(emitted: Path) -> None:
    """They run without SGLang."""
    ran = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            *sorted(map(str, (emitted / "tests").glob("test_*.py"))),
        ],
        cwd=emitted,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout


def test_the_release_does_what_is_configured(emitted: Path, rules: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its own rules, on the file that the command writes; a batch counts as large as the graph that it is padded to."""
    file = tmp_path / "adaptive.json"
    command = [sys.executable, "-m", "adaptive_disable.configure", "--draft-steps", "3", "--off-batch", "96", "-o", str(file)]
    subprocess.run(command, cwd=emitted, check=True, capture_output=True)
    slots = rules_of(rules, monkeypatch).AdaptiveSpeculativeParams(3, str(file))
    assert [slots.get_steps_for_batch(size) for size in (1, 95, 96, 128)] == [3, 3, 0, 0]
    slots.set_cuda_graph_bs([1, 88, 96, 104])
    assert [slots.get_steps_for_batch(size) for size in (88, 89, 96)] == [3, 0, 0]


def test_a_slot_that_is_left_to_the_release_leaves_at_break_even(
    emitted: Path, rules: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """2 tokens a step are break-even: at 0.9 accepted drafts it goes down, at 1.1 it stays."""
    file, costs = tmp_path / "adaptive.json", tmp_path / "costs.json"
    costs.write_text(json.dumps({"batch_sizes": [1, 64], "on_ms": [10, 10], "off_ms": [5, 2]}), encoding="utf-8")
    command = [sys.executable, "-m", "adaptive_disable.configure", "--draft-steps", "3", "--table", str(costs), "-o", str(file)]
    subprocess.run(command, cwd=emitted, check=True, capture_output=True)
    release = rules_of(rules, monkeypatch)
    for accepted, steps in ((0.9, 0), (1.1, 3)):
        slots = release.AdaptiveSpeculativeParams(3, str(file))
        taken = set()
        for _ in range(200):
            slots.on_verify_complete([accepted], 1)
            taken.add(slots.get_steps_for_batch(1))
        assert (0 in taken) == (steps == 0)


def test_a_slot_with_zero_speculates_in_half_of_its_steps_though_nothing_is_accepted(
    emitted: Path, rules: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """What README says of probes: there is no wait between them."""
    file = tmp_path / "adaptive.json"
    file.write_text(json.dumps({"1": {"candidate_steps": [0, 3]}}), encoding="utf-8")
    assert "half of its steps" in (emitted / "README.md").read_text(encoding="utf-8")
    slots = rules_of(rules, monkeypatch).AdaptiveSpeculativeParams(3, str(file))
    taken = []
    for _ in range(1000):
        taken.append(slots.get_steps_for_batch(1) > 0)
        slots.on_verify_complete([0], 1)
    assert 0.45 < sum(taken) / len(taken) < 0.55


@pytest.mark.parametrize("emitted", ["0.5.23"], indirect=True)
@pytest.mark.parametrize(
    ("enabled", "policy", "steps"),
    [
        ("1", "adaptive_disable.load_policy", [3, 3, 0, 0, 3, 3, 3, 3]),
        ("0", "sglang.srt.speculative.adaptive_spec_params", [3] * 8),
    ],
    ids=["ours", "its own"],
)
def test_sglangs_controller_asks_and_tells_the_policy(
    emitted: Path, rules: Path, tmp_path: Path, enabled: str, policy: str, steps: list[int]
) -> None:
    """The release's own registry puts it there, and its own controller and worker's glue call it: before each step, and with the
    results one step late. Off at 8 requests, on again at 4; an idle batch decides nothing."""
    file = tmp_path / "adaptive.json"
    file.write_text(json.dumps({"1": {"candidate_steps": [0, 3]}, "2": {"candidate_steps": [3]}}), encoding="utf-8")
    root = Path(str(rules).removesuffix(RULES))
    named = {"ENABLED": enabled, "MODE": "threshold", "OFF_BATCH": "8", "ON_BATCH": "4", "DWELL": "1"}
    settings = {f"ADAPTIVE_DISABLE_{name}": value for name, value in named.items()}
    ran = subprocess.run(
        [sys.executable, "-m", "tests.emit.policy_in_release", str(root), str(file)],
        cwd=ROOT,
        env={**os.environ, **settings, "PYTHONPATH": os.pathsep.join((str(ROOT), str(emitted)))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    said = json.loads(ran.stdout)
    assert (said["policy"], said["steps"]) == (policy, steps)
    assert said["in_flight"] == (enabled == "1")


def test_between_the_hook_and_the_configuration_nothing_fits(flowmap: Command, tmp_path: Path) -> None:
    """The reason, what to take instead, and each thing that the hook leans on and that is another there."""
    asked = ("emit", "adaptive-disable", "--source", "pypi:sglang==0.5.13.post1", "-o", str(tmp_path / "out"), "--format", "json")
    refusals = {one["subject"]: one for one in json.loads(flowmap(*asked, code=1).stdout)["record"]["refusals"]}
    assert "0.5.14" in refusals["sglang 0.5.13.post1"]["what"]
    assert {"worker_step", "worker_batch", "resolve"} <= refusals.keys()
    assert "takes (self, batch, on_publish)" in refusals["worker_step"]["what"]
    assert refusals["worker_step"]["file"] == "sglang/srt/speculative/eagle_worker_v2.py"
    assert not (tmp_path / "out").exists()
