"""The simulation: what can be known beforehand comes out, all contenders meet the same, and no figure stands alone."""

from __future__ import annotations

import json
from math import inf
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adaptive_disable.costs import CostTable
from adaptive_disable.simulate import workload
from adaptive_disable.simulate.__main__ import main
from adaptive_disable.simulate.contenders import Contender, Held, Myopic
from adaptive_disable.simulate.curves import Curve, as_measured, as_published, as_tuned
from adaptive_disable.simulate.engine import Engine, Served
from adaptive_disable.simulate.experiment import run_all
from adaptive_disable.simulate.feeds import Arrivals
from adaptive_disable.simulate.feeds import Held as HeldConcurrency
from adaptive_disable.simulate.figures import estimate, regret
from adaptive_disable.simulate.report import WIDTH, Findings, as_json, text
from adaptive_disable.simulate.scenarios import Scenario, Server, Who
from adaptive_disable.simulate.workload import Load, Request, arriving

FLAT = Curve("flat", CostTable((1,), (20.0,), (10.0,)), 3, 5.0, "made up")
NEVER, ALWAYS = bytes([1] * 11), bytes([3] * 11)


def request(arrival: float = 0.0, yields: bytes = NEVER) -> Request:
    """A request of eleven tokens: one comes with prefill, ten are decoded."""
    return Request(arrival, 11, yields, float(yields[0]))


def serve(requests: list[Request], contender: Contender, flip_ms: float = 0.0) -> Served:
    """Serve requests that come at their own times."""
    return Engine(FLAT, requests, contender, flip_ms).serve(Arrivals(requests), inf)


def test_without_speculation_each_token_takes_a_step() -> None:
    """Prefill of 5 ms, then ten steps of 10 ms."""
    served = serve([request()], Held(False))
    assert (served.first, served.finished, len(served.steps)) == ((5.0,), (105.0,), 10)


def test_with_speculation_a_step_yields_what_the_draft_gets_right() -> None:
    """Ten tokens by threes are four steps of 20 ms; what is too much in the last is not counted."""
    served = serve([request(yields=ALWAYS)], Held(True))
    assert served.finished == (85.0,)
    assert [step.tokens for step in served.steps] == [3, 3, 3, 1]


def test_requests_decode_together_and_wait_for_prefill() -> None:
    """The second one comes in the first one's second step: it is admitted before the third, which begins 5 ms later."""
    served = serve([request(), request(arrival=20.0)], Held(False))
    assert [step.batch_size for step in served.steps[:3]] == [1, 1, 2]
    assert served.first == (5.0, 30.0)
    assert served.finished[0] == 110.0


def test_a_flip_has_its_price() -> None:
    """A server begins on; the first step off costs 7 ms more."""
    served = serve([request()], Held(False), flip_ms=7.0)
    assert (served.flips, served.finished) == (1, (112.0,))


def test_myopic_does_what_pays() -> None:
    """Steps on take twice as long: three tokens pay, one does not."""
    assert serve([request(yields=ALWAYS)], Myopic(FLAT.costs)).finished == (85.0,)
    assert serve([request()], Myopic(FLAT.costs)).finished == (105.0,)


def test_a_held_concurrency_is_held() -> None:
    """Two at a time of six: three waves."""
    requests = [request() for _ in range(6)]
    served = Engine(FLAT, requests, Held(False), 0.0).serve(HeldConcurrency(2, 6), inf)
    assert {step.batch_size for step in served.steps} == {2}
    assert len(served.steps) == 30


@pytest.mark.parametrize(
    ("curve", "size", "on", "off"),
    [(as_published(), 1, 77.5, 92.6), (as_published(), 30, 299.5, 711.0), (as_tuned(), 1, 94.0, 88.8)],
    ids=["published-1", "published-30", "tuned-1"],
)
def test_published_throughputs_come_back(curve: Curve, size: int, on: float, off: float) -> None:
    """Two tokens a request in a step on, one in a step off."""
    assert 2 * 1000 * size / curve.costs.on(size) == pytest.approx(on)
    assert 1000 * size / curve.costs.off(size) == pytest.approx(off)


def test_measured_rows_are_those_of_the_larger_model() -> None:
    """EAGLE at 128 running requests: 28 ms on, 8.1 ms off with the draft kept in step."""
    curve = as_measured("eagle")
    assert (curve.costs.on(128), curve.costs.off(128), curve.longest) == (28.006, 8.097, 3)


def test_requests_know_no_policy() -> None:
    """The same seed gives the same requests, another seed others."""
    drawn = [arriving(workload.RAMP, workload.STEADY, 3, 1000.0, seed) for seed in ("a", "a", "b")]
    assert drawn[0] == drawn[1] != drawn[2]


def test_as_many_requests_come_as_the_load_says() -> None:
    """On average."""
    load = Load("ramp", workload.RAMP.share, 2000)
    assert len(arriving(load, workload.ALL, 3, 1000.0, "seed")) == pytest.approx(2000, rel=0.1)


@settings(deadline=None, max_examples=20)
@given(st.floats(0, 1), st.integers(2, 5), st.integers(0, 1000))
def test_a_drafted_token_is_right_as_often_as_it_should(right: float, longest: int, seed: int) -> None:
    """The mean yield of all positions is what is expected, and none is longer than the longest."""
    acceptance = workload.Acceptance("some", lambda _: right, 0.0)
    drawn = workload.queued(1, acceptance, longest, f"{seed}", 4000)[0]
    assert max(drawn.yields) <= longest
    assert sum(drawn.yields) / 4000 == pytest.approx(drawn.expected, abs=0.2)


def test_intervals_are_students() -> None:
    """Of 1, 2 and 3: the mean is 2, and 4.303 standard errors are 2.48."""
    assert estimate([1, 2, 3]).mean == 2
    assert estimate([1, 2, 3]).half == pytest.approx(2.484, abs=0.001)


def test_regret_is_paired() -> None:
    """Always a tenth more: no doubt about it, however the seeds differ."""
    assert regret([1.1, 22.0], [1.0, 20.0]).mean == pytest.approx(0.1)
    assert regret([1.1, 22.0], [1.0, 20.0]).half == pytest.approx(0, abs=1e-9)


SMALL = (
    Scenario(Server(as_measured("eagle")), Load("small", workload.RAMP.share, 40), workload.STEADY),
    Scenario(Server(as_published()), Load("small", workload.LOW.share, 10), workload.STEADY),
)


def test_the_same_comes_out_in_one_process_or_two() -> None:
    """Every figure."""
    assert run_all(SMALL, (0, 1), tuple(Who), 1) == run_all(SMALL, (0, 1), tuple(Who), 2)


def test_no_static_is_better_than_the_better_static() -> None:
    """By definition; and off is it where speculation never pays."""
    eagle, published = run_all(SMALL, (0, 1), tuple(Who), 1)
    for who in (Who.ON, Who.OFF):
        assert eagle.against_better(who).mean >= 0
    assert published.against_better(Who.OFF).mean == 0


def test_the_report_fits_its_width_and_says_what_was_assumed() -> None:
    """80 columns; the assumptions of each server stand in the text and in the JSON."""
    found = Findings((0, 1), tuple(run_all(SMALL, (0, 1), tuple(Who), 1)), (), ())
    told = text(found)
    assert max(len(line) for line in told.splitlines()) <= WIDTH
    assert "that saturation is at 70" in " ".join(told.split())
    assert "that saturation is at 70" in json.dumps(as_json(found))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--only", "nothing"], "no scenario is called 'nothing'; there are: h200-eagle steady low, "),
        (["--only", "tuned steady low", "--plots", "x"], "leave out --only"),
    ],
)
def test_what_cannot_be_simulated(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    """It is said before anything runs."""
    assert main(arguments) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--seeds", "1"], "argument --seeds: '1': a whole number of 2 or more is wanted"),
        (["--seeds", "few"], "argument --seeds: 'few': a whole number of 2 or more is wanted"),
        (["--workers", "0"], "argument --workers: '0': a whole number of 1 or more is wanted"),
    ],
)
def test_numbers_that_cannot_be_meant(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Of one seed there would be no interval."""
    with pytest.raises(SystemExit):
        main(arguments)
    assert said in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize("arguments", [["--json", "FOLDER/none/figures.json"], ["--json", "FOLDER"]])
def test_what_cannot_be_written_is_said_before_anything_runs(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A run takes minutes: they would be lost."""
    monkeypatch.setattr("adaptive_disable.simulate.__main__.run_all", None)
    assert main([word.replace("FOLDER", str(tmp_path)) for word in arguments]) == 2
    assert "cannot be written" in capsys.readouterr().err


def test_plots_want_matplotlib(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where it is missing that is said before anything runs."""
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    assert main(["--plots", str(tmp_path)]) == 2
    assert "pip install" in capsys.readouterr().err
