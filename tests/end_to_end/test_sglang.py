"""What anyone can check in SGLang 0.5.9, asked of the real command."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from tests.conftest import FACTS, RELEASE, Command, Exported, Row

SCHEDULER = "sglang/srt/managers/scheduler.py"
OUTPUT_MIXIN = "sglang/srt/managers/scheduler_output_processor_mixin.py"
MIXIN = "sglang.srt.managers.scheduler_output_processor_mixin.SchedulerOutputProcessorMixin"
DECODE = f"{MIXIN}.process_batch_result_decode"
IS_DECODE = "batch.forward_mode.is_decode()"
IS_EXTEND = "batch.forward_mode.is_extend()"
IS_PREBUILT = "batch.forward_mode.is_prebuilt()"
BOUNDS = tomllib.loads((Path(__file__).parents[1] / "floors.toml").read_text(encoding="utf-8"))


def sites(calls: list[Row], line: int, callee: str) -> list[Row]:
    """The rows at a line of scheduler.py whose expression calls `callee`."""
    return [row for row in calls if (row["file"], row["line"]) == (SCHEDULER, line) and row["expr"].startswith(f"{callee}(")]


def shown_targets(row: Row) -> set[str]:
    """The symbols that a row names with more than a guess."""
    return {target["symbol"] for target in row["targets"] if target["confidence"] != "possible"}


def test_where_says_where_the_definitions_stand(ask: Callable[..., str]) -> None:
    """The method that calls stands in scheduler.py, the method that is called in a mixin's file."""
    assert f"{SCHEDULER}:2447:" in ask("where", "Scheduler.process_batch_result", "--format", "lines")
    assert f"{OUTPUT_MIXIN}:417:" in ask("where", "process_batch_result_decode", "--format", "lines")


def test_the_only_caller_of_the_decode_handler(calls: list[Row]) -> None:
    """One site in the whole release calls it: line 2453, under the test for decode mode."""
    (row,) = [row for row in calls if DECODE in shown_targets(row)]
    assert (row["file"], row["line"], row["caller"]) == (
        SCHEDULER,
        2453,
        "sglang.srt.managers.scheduler.Scheduler.process_batch_result",
    )
    assert row["guards"] == [f"if {IS_DECODE}"]
    assert [(target["file"], target["line"]) for target in row["targets"]] == [(OUTPUT_MIXIN, 417)]


def test_callers_lists_that_one_site(ask: Callable[..., str]) -> None:
    """`callers` gives one line, and counts it."""
    (line,) = ask("callers", "process_batch_result_decode", "--format", "lines").splitlines()
    assert line.startswith(f"{SCHEDULER}:2453:")
    assert "1 call site" in ask("callers", "process_batch_result_decode")


@pytest.mark.parametrize(
    ("line", "handler", "guards"),
    [
        (2453, "decode", [f"if {IS_DECODE}"]),
        (2457, "dllm", [f"not ({IS_DECODE})", f"if {IS_EXTEND}", "if batch.is_dllm()"]),
        (2459, "prefill", [f"not ({IS_DECODE})", f"if {IS_EXTEND}", "not (batch.is_dllm())"]),
        (2461, "prebuilt", [f"not ({IS_DECODE})", f"not ({IS_EXTEND})", f"if {IS_PREBUILT}"]),
        (2463, "idle", [f"not ({IS_DECODE})", f"not ({IS_EXTEND})", f"not ({IS_PREBUILT})", "if batch.forward_mode.is_idle()"]),
    ],
)
def test_each_branch_leads_to_its_handler(calls: list[Row], line: int, handler: str, guards: list[str]) -> None:
    """The five branches of `process_batch_result` each call their own handler under their own guards."""
    (row,) = sites(calls, line, f"self.process_batch_result_{handler}")
    assert shown_targets(row) == {f"{MIXIN}.process_batch_result_{handler}"}
    assert row["guards"] == guards


def test_the_factory_leads_to_the_workers_that_run(calls: list[Row]) -> None:
    """The worker comes out of a factory that returns classes, annotated with a base that lacks most of them."""
    (row,) = sites(calls, 2328, "self.model_worker.forward_batch_generation")
    assert shown_targets(row) >= {
        "sglang.srt.speculative.eagle_worker_v2.EAGLEWorkerV2.forward_batch_generation",
        "sglang.srt.speculative.multi_layer_eagle_worker_v2.MultiLayerEagleWorkerV2.forward_batch_generation",
        "sglang.srt.managers.tp_worker.TpModelWorker.forward_batch_generation",
    }


def test_standalone_inherits_its_forward(exported: Exported) -> None:
    """`StandaloneWorkerV2` has no `forward_batch_generation` of its own: its base's wins."""
    orders = json.loads(exported.orders.read_text(encoding="utf-8"))
    provides = orders["sglang.srt.speculative.standalone_worker_v2.StandaloneWorkerV2"]["provides"]
    assert provides["forward_batch_generation"] == "sglang.srt.speculative.eagle_worker_v2.EAGLEWorkerV2.forward_batch_generation"


def test_the_trace_shows_the_way(ask: Callable[..., str]) -> None:
    """The main job: where it is defined, where it is called, under which guard, through which class."""
    text = ask("trace", "process_batch_result_decode")
    for needed in (
        "scheduler_output_processor_mixin.py:417",
        "scheduler.py:2453",
        f"if {IS_DECODE}",
        "Scheduler.process_batch_result",
    ):
        assert needed in text


def test_the_dossier_of_the_eagle_worker(ask: Callable[..., str]) -> None:
    """The file has 1032 lines and serves two back ends: the table of graph runners, from line 240, has a row for each."""
    text = ask("module", "eagle_worker.py")
    rows = [line for line in text.splitlines() if "GraphRunner" in line]
    assert "1032 lines" in text.replace(",", "")
    assert any("Device2DraftCudaGraphRunner" in row and ":240" in row for row in rows)
    assert any("npu" in row and "EAGLEDraftNpuGraphRunner" in row and ":241" in row for row in rows)
    assert any("cuda" in row and "EAGLEDraftCudaGraphRunner" in row and ":242" in row for row in rows)


def test_the_trace_fits_a_few_screens(ask: Callable[..., str]) -> None:
    """What is asked first is read, not searched: the callers in less than two screens, all of it in less than five."""
    lines = ask("trace", "process_batch_result_decode").splitlines()
    callers = next(number for number, line in enumerate(lines) if line.startswith("Callers"))
    calls = next(number for number, line in enumerate(lines) if line.startswith("Calls, in order"))
    assert calls - callers < 80
    assert len(lines) < 200


def test_readme_shows_what_is_printed(flowmap: Command) -> None:
    """Every line of README's excerpt stands in the answer, in that order."""
    readme = (FACTS.parents[1] / "README.md").read_text(encoding="utf-8")
    excerpt = readme.partition("```text\n")[2].partition("```")[0].splitlines()
    printed = iter(flowmap("state", "accept_lens", FLOWMAP_SOURCE=RELEASE, COLUMNS="80").stdout.splitlines())
    assert excerpt
    assert all(line in printed for line in excerpt)


def test_the_trace_reaches_the_entry_points(ask: Callable[..., str]) -> None:
    """Upwards it ends where a process starts, by way of the event loops."""
    text = ask("trace", "process_batch_result_decode", "--up")
    assert "run_scheduler_process" in text
    assert "entry point: target of a process" in text
    assert all(loop in text for loop in ("event_loop_normal", "event_loop_overlap", "event_loop_pp"))


def test_paths_between_two_functions(ask: Callable[..., str]) -> None:
    """`--to` gives the way from the event loop to the decode handler."""
    text = ask("trace", "event_loop_normal", "--to", "process_batch_result_decode")
    assert text.index("scheduler.py:1124") < text.index("scheduler.py:2453")


def test_a_traceback_is_shown_with_what_had_to_hold(flowmap: Command, tmp_path: Path) -> None:
    """Its frames are found whatever folder the release ran from."""
    crash = tmp_path / "crash.log"
    frames = ((1124, "event_loop_normal"), (2453, "process_batch_result"))
    lines = [f'  File "/opt/site-packages/{SCHEDULER}", line {line}, in {name}' for line, name in frames]
    crash.write_text("\n".join(["Traceback (most recent call last):", *lines, "ValueError: no"]), encoding="utf-8")
    with crash.open(encoding="utf-8") as stream:
        text = flowmap("trace", "-", stdin=stream, FLOWMAP_SOURCE=RELEASE).stdout
    assert "2 of 2 frames in the index" in text
    assert f"had to hold: if {IS_DECODE}" in text


def test_show_has_the_targets_in_the_margin(ask: Callable[..., str]) -> None:
    """Of the files called scheduler.py one alone has these lines."""
    text = ask("show", "scheduler.py:2440-2470")
    assert f"{SCHEDULER}:2440-2470" in text
    assert "→ SchedulerOutputProcessorMixin.process_batch_result_decode  scheduler_output_processor_mixin.py:417" in text


def test_the_mixin_has_one_host(ask: Callable[..., str]) -> None:
    """`hosts` names the class and the mixin's position in it; `mro` names the mixin."""
    assert "2nd of 13" in ask("hosts", "SchedulerOutputProcessorMixin")
    assert "SchedulerOutputProcessorMixin" in ask("mro", "srt.managers.scheduler.Scheduler")


def test_the_life_of_a_field(ask: Callable[..., str]) -> None:
    """`accept_lens` has one owner; it is stored by the constructor, copied to the CPU, and read one iteration later."""
    lines = ask("state", "accept_lens", "--format", "lines").splitlines()
    assert any("eagle_worker_v2.py:815:" in line and line.endswith("stored") for line in lines)
    assert any("scheduler_output_processor_mixin.py:345:" in line and line.endswith("derived") for line in lines)
    assert not any("triton_backend.py" in line for line in lines)  # a local of the same name


def test_an_ambiguous_name_lists_what_bears_it(flowmap: Command) -> None:
    """The release has two classes called Scheduler."""
    said = flowmap("mro", "Scheduler", code=2, FLOWMAP_SOURCE=RELEASE).stderr
    assert "sglang.srt.managers.scheduler.Scheduler" in said
    assert "2 things bear this name" in said


@cache
def figures(exported: Exported) -> dict[str, float]:
    """The figures of the scorer."""
    command = [sys.executable, str(FACTS / "score.py"), str(FACTS / "sglang-0.5.9"), "--json"]
    files = ["--calls", str(exported.calls), "--mro", str(exported.orders), "--state", str(exported.state)]
    files += ["--flowmap", str(Path(sys.executable).with_name("flowmap"))]
    done = subprocess.run(
        [*command, *files], capture_output=True, text=True, check=True, env=os.environ | {"FLOWMAP_SOURCE": RELEASE}
    )
    print(done.stdout)
    return dict(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.parametrize(("figure", "floor"), BOUNDS["floors"].items())
def test_the_score_keeps_its_floors(exported: Exported, figure: str, floor: float) -> None:
    """As many of the verified facts are found as ever."""
    assert figures(exported)[figure] >= floor


@pytest.mark.parametrize(("figure", "ceiling"), BOUNDS["ceilings"].items())
def test_the_score_keeps_its_ceilings(exported: Exported, figure: str, ceiling: float) -> None:
    """No more is given that the facts forbid or do not list."""
    assert figures(exported)[figure] <= ceiling
