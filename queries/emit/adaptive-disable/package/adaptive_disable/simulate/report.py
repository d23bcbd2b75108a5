"""What a run came to, as text of 80 columns and as JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from textwrap import wrap

from adaptive_disable.simulate.curves import Curve
from adaptive_disable.simulate.experiment import Result
from adaptive_disable.simulate.figures import Estimate, Run, estimate
from adaptive_disable.simulate.ramp import CONCURRENCIES, Climbed
from adaptive_disable.simulate.scenarios import POLICIES, Who
from adaptive_disable.simulate.sensitivity import SHAKEN, Point

WIDTH = 80
MINUTES = 99_999  # milliseconds
RAMPED = (
    "Each stage serves four requests of 160 tokens for each that runs at a time, from the first prefill to the last "
    "token; the policy goes on from stage to stage. whole: time of the whole ramp against the static that needs less."
)
ASSUMED = (
    "Lengths are log-normal, 200 tokens on average, 16 to 1024; arrivals Poisson; a batch holds 128 requests. A "
    "drafted token is right with a probability of its request's own, each position for itself: all 1, steady around "
    "0.62, drifting between 0.15 and 0.95. low: 3 % of a full batch's capacity without speculation, busy 85 %, ramp "
    "up to 100 % and back, burst 15 % with six bursts of 130 %. Each time in the policies' table is wrong by 2 % "
    "(standard deviation); a flip costs 1 ms; results are known two decisions later."
)
READING = (
    "Regret: by how much the mean latency of a request exceeds that of the better one of always on and always off, "
    "chosen for each seed in hindsight; below 0 is a gain. ± is half a paired 95 % interval over seeds (Student). "
    "threshold is set by hand where the curves cross at the mean acceptance; foresight is cost-table told what the "
    "draft would have got right; myopic knows true costs and acceptances and is no upper bound. Where always off is "
    "the better one on every seed, the best that a policy can do is to lose nothing."
)


@dataclass(frozen=True, slots=True)
class Findings:
    """All that a run came to."""

    seeds: tuple[int, ...]
    results: tuple[Result, ...]
    climbed: tuple[Climbed, ...]
    points: tuple[Point, ...]


def text(found: Findings) -> str:
    """The tables, with what was assumed beside them; no line longer than 80 characters."""
    return "\n".join(line for part in _parts(found) for line in part) + "\n"


def _parts(found: Findings) -> Iterator[Iterable[str]]:
    yield _filled(f"Seeds {found.seeds[0]} to {found.seeds[-1]}. {ASSUMED}")
    for curve in {result.scenario.server.curve.name: result.scenario.server.curve for result in found.results}.values():
        yield _filled(f"{curve.name}: {curve.assumed}")
    yield ("", "REGRET OF MEAN LATENCY, % of the better static", *_filled(READING), "")
    yield _regrets(found.results)
    yield ("", "SERVICE, means over seeds (milliseconds; flips a run)", "")
    yield _services(found.results)
    yield _closed(found.climbed)
    yield _changed(found.points)


def _filled(said: str) -> list[str]:
    return wrap(said, WIDTH, subsequent_indent="  ", break_on_hyphens=False)


SHOWN = (Who.ON, Who.OFF, Who.THRESHOLD, Who.COST_TABLE, Who.FORESIGHT, Who.MYOPIC)


def _regrets(results: Sequence[Result]) -> Iterator[str]:
    yield "{:<22}{:>6}{:>5}{:>12}{:>12}{:>12}{:>11}".format("", *(who.value for who in SHOWN))
    for result in results:
        on, off, *others = (result.against_better(who) for who in SHOWN)
        cells = "".join(f"{_pair(one):>{width}}" for one, width in zip(others, (12, 12, 12, 11), strict=True))
        yield f"{_short(result.scenario.name):<22}{100 * on.mean:>6.0f}{100 * off.mean:>5.0f}{cells}"


def _short(name: str) -> str:
    return name.removeprefix("h200-")


def _pair(value: Estimate) -> str:
    return f"{100 * value.mean:.1f}±{100 * value.half:.1f}"


def _services(results: Sequence[Result]) -> Iterator[str]:
    yield (f"{'':<23}{'':<11}{'tok/s':>6}{'TTFT':>6}{'TPOT50':>7}{'TPOT95':>7}{'latency':>8}{'p95':>6}{'flips':>6}")
    for result in results:
        for who in (Who.ON, Who.OFF, Who.COST_TABLE):
            runs = result.runs[who]
            mean = {name: estimate([asdict(run)[name] for run in runs]).mean for name in asdict(runs[0])}
            name = _short(result.scenario.name) if who is Who.ON else ""
            yield (
                f"{name:<23}{who.value:<11}{mean['throughput']:>6.0f}{_ms(mean['ttft']):>6}{mean['tpot_p50']:>7.1f}"
                f"{mean['tpot_p95']:>7.1f}{_ms(mean['latency']):>8}{_ms(mean['latency_p95']):>6}{mean['flips']:>6.0f}"
            )


def _ms(value: float) -> str:
    """Milliseconds; seconds where they need too many digits."""
    return f"{value:.0f}" if value < MINUTES else f"{value / 1000:.0f}s"


def _closed(climbed: Sequence[Climbed]) -> Iterator[str]:
    if not climbed:
        return
    yield from ("", "RAMP: tokens/s at each concurrency, and % of the stage's better static", *_filled(RAMPED), "")
    for ramp in climbed:
        yield _short(ramp.climb.name)
        yield f"  {'':<11}" + "".join(f"{concurrency:>6}" for concurrency in CONCURRENCIES)
        numbers = range(len(CONCURRENCIES))
        for who in (Who.ON, Who.OFF, Who.COST_TABLE):
            yield f"  {who.value:<11}" + "".join(f"{ramp.stage(who, number).mean:>6.0f}" for number in numbers)
        for who in POLICIES:
            shares = [100 * ramp.share_of_better(who, number).mean for number in numbers]
            yield f"  {who.value + ' %':<12}" + "".join(f"{share:>6.1f}" for share in shares)[1:]
        yield "  whole: " + ", ".join(f"{who.value} {_pair(ramp.whole_of_better(who))} %" for who in POLICIES)


def _changed(points: Sequence[Point]) -> Iterator[str]:
    if not points:
        return
    yield from ("", "SENSITIVITY: regret of mean latency, % of the better static", "")
    names = list(dict.fromkeys(point.scenario for point in points))
    for who in SHAKEN:
        yield f"{who.value:<20}" + "".join(f"{_short(name):>20}" for name in names)
        yield from _of_policy([point for point in points if point.who is who], names)


def _of_policy(points: Sequence[Point], names: Sequence[str]) -> Iterator[str]:
    for of, value in dict.fromkeys((point.of, point.value) for point in points):
        row = {point.scenario: point for point in points if (point.of, point.value) == (of, value)}
        yield f"{of:<12}{_value(of, value):>8}" + "".join(f"{_pair(row[name].regret):>20}" for name in names)


def _value(of: str, value: float) -> str:
    return f"{value:g} ms" if of == "flip cost" else f"{100 * value:+g} %"


def json_text(found: Findings) -> str:
    """The same, all contenders and all figures, as JSON; a figure and its interval stand on one line."""
    written = json.dumps(as_json(found), indent=1)
    return re.sub(r'\{\s+"mean": (\S+),\s+"half": (\S+)\s+\}', r'{"mean": \1, "half": \2}', written) + "\n"


def as_json(found: Findings) -> dict[str, object]:
    """The value that is written. Shares are shares, times milliseconds."""
    curves: dict[str, Curve] = {}
    for result in found.results:
        curves.setdefault(result.scenario.server.curve.name, result.scenario.server.curve)
    return {
        "command": f"python -m adaptive_disable.simulate --seeds {len(found.seeds)}",
        "seeds": list(found.seeds),
        "assumed": {"all": ASSUMED, **{name: curve.assumed for name, curve in curves.items()}},
        "reading": READING,
        "curves": {name: {**curve.costs.as_json(), "longest": curve.longest} for name, curve in curves.items()},
        "scenarios": [_scenario(result) for result in found.results],
        "ramps": [_ramp(ramp) for ramp in found.climbed],
        "sensitivity": [
            {
                "policy": point.who.value,
                "of": point.of,
                "value": point.value,
                "scenario": point.scenario,
                "regret": _rounded(point.regret),
            }
            for point in found.points
        ],
    }


def _scenario(result: Result) -> dict[str, object]:
    return {
        "name": result.scenario.name,
        "contenders": {
            who.value: {
                **{name: _rounded(estimate([asdict(run)[name] for run in runs])) for name in Run.__dataclass_fields__},
                "regret_of_better_static": _rounded(result.against_better(who)),
                "regret_of_on": _rounded(result.against(who, Who.ON)),
                "regret_of_off": _rounded(result.against(who, Who.OFF)),
                "regret_of_myopic": _rounded(result.against(who, Who.MYOPIC)),
            }
            for who, runs in result.runs.items()
        },
    }


def _ramp(ramp: Climbed) -> dict[str, object]:
    numbers = range(len(CONCURRENCIES))
    return {
        "name": ramp.climb.name,
        "concurrencies": list(CONCURRENCIES),
        "contenders": {
            who.value: {
                "tokens_a_second": [_rounded(ramp.stage(who, number)) for number in numbers],
                "share_of_better_static": [_rounded(ramp.share_of_better(who, number)) for number in numbers],
                "share_of_better_static_whole": _rounded(ramp.whole_of_better(who)),
            }
            for who in ramp.rates
        },
    }


def _rounded(value: Estimate) -> dict[str, float]:
    return {"mean": _digits(value.mean), "half": _digits(value.half)}


def _digits(value: float) -> float:
    return float(f"{value:.5g}")
