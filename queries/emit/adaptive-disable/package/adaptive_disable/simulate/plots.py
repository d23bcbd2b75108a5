"""Plots. The one module that imports matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from textwrap import fill

import matplotlib as mpl
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from adaptive_disable.simulate.curves import Curve, as_measured, as_tuned
from adaptive_disable.simulate.experiment import Result
from adaptive_disable.simulate.ramp import CONCURRENCIES, Climbed
from adaptive_disable.simulate.report import ASSUMED, RAMPED, Findings
from adaptive_disable.simulate.scenarios import Who
from adaptive_disable.simulate.sensitivity import SHAKEN, SWEEPS, Point

COLOURS = {
    Who.ON: "#d55e00",
    Who.OFF: "#0072b2",
    Who.THRESHOLD: "#999999",
    Who.COST_TABLE: "#009e73",
    Who.FORESIGHT: "#cc79a7",
    Who.MYOPIC: "#000000",
}
"""Told apart by readers who see few colours."""
STYLE = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.3,
    "svg.hashsalt": "adaptive-disable",
    "svg.fonttype": "none",
    "figure.dpi": 100,
}
LABELS = "Mean over seeds, bars: paired 95 % interval. "


def draw_all(found: Findings, folder: Path) -> None:
    """Draw all plots into a folder, as SVG. The same findings give the same bytes. Raises `OSError`."""
    mpl.use("svg")
    folder.mkdir(parents=True, exist_ok=True)
    curves = {result.scenario.server.curve.name: result.scenario.server.curve for result in found.results}
    with mpl.rc_context(STYLE):
        _save(_curves(tuple(curves.values())), folder / "adaptive-curves.svg")
        _save(_regrets(found.results), folder / "adaptive-regret.svg")
        _save(_ramps(found.climbed), folder / "adaptive-ramp.svg")
        _save(_sensitivity(found.points), folder / "adaptive-sensitivity.svg")


def _with_assumptions(figure: Figure, assumed: str, columns: int) -> None:
    """Say below a figure what was assumed: it stands on its own."""
    figure.tight_layout()
    figure.text(0.5, -0.01, fill(assumed, columns), ha="center", va="top", fontsize=6.5)


def _save(figure: Figure, path: Path) -> None:
    figure.savefig(path, metadata={"Date": None}, bbox_inches="tight")
    plt.close(figure)


def _curves(curves: Sequence[Curve]) -> Figure:
    """Throughput on and off, and what acceptance would be break-even, at each batch size."""
    figure, rows = plt.subplots(2, len(curves), figsize=(3.2 * len(curves), 5.4), sharex=True, squeeze=False)
    sizes = range(1, 129)
    for curve, upper, lower in zip(curves, rows[0], rows[1], strict=True):
        off = [1000 * size / curve.costs.off(size) for size in sizes]
        for length in range(1, curve.longest + 1):
            on = [1000 * length * size / curve.costs.on(size) for size in sizes]
            upper.plot(sizes, on, color=COLOURS[Who.ON], alpha=length / curve.longest)
            upper.text(130, on[-1], str(length), fontsize=7, va="center", color=COLOURS[Who.ON])
        upper.plot(sizes, off, color=COLOURS[Who.OFF])
        upper.text(130, off[-1], "off", fontsize=7, va="center", color=COLOURS[Who.OFF])
        upper.set(title=curve.name, ylabel="tokens/s of decode steps", ylim=(0, None))
        lower.plot(sizes, [curve.costs.break_even(size) for size in sizes], color="black")
        lower.axhline(curve.longest, color=COLOURS[Who.ON], linestyle=":")
        lower.text(1, curve.longest, "longest", va="bottom", fontsize=7)
        lower.set(xlabel=fill(curve.assumed, 46), ylabel="break-even, tokens a request", ylim=(0, None))
        lower.xaxis.label.set_fontsize(6.5)
    said = "orange: on, by the tokens that a request gains a step; blue: off"
    figure.suptitle(f"Batch size (running requests) across; {said}. What was assumed stands below", fontsize=10)
    figure.tight_layout()
    return figure


def _regrets(results: Sequence[Result]) -> Figure:
    """Regret of each policy in each scenario; the statics as numbers, as they go off the scale."""
    figure, axes = plt.subplots(figsize=(9, 0.42 * len(results) + 1.6))
    shown = (Who.THRESHOLD, Who.COST_TABLE, Who.FORESIGHT, Who.MYOPIC)
    for place, result in enumerate(results):
        for row, who in enumerate(shown):
            regret = result.against_better(who)
            axes.errorbar(
                100 * regret.mean,
                place + 0.17 * (row - 1.5),
                xerr=100 * regret.half,
                fmt="o",
                markersize=3.5,
                elinewidth=1,
                color=COLOURS[who],
                label=who.value if place == 0 else None,
            )
    axes.axvline(0, color="black", linewidth=0.8)
    statics = [(result.against_better(Who.ON).mean, result.against_better(Who.OFF).mean) for result in results]
    names = [
        f"{result.scenario.name}\n(on {100 * on:+.0f} %, off {100 * off:+.0f} %)"
        for result, (on, off) in zip(results, statics, strict=True)
    ]
    axes.set_yticks(range(len(results)), names, fontsize=6.5)
    axes.invert_yaxis()
    said = f"mean latency against the better static, % (below 0: a gain)\n{LABELS}"
    axes.set_xlabel(said)
    axes.legend(loc="upper center", bbox_to_anchor=(0.4, 1.04), ncols=4, fontsize=8, frameon=False)
    curves = {result.scenario.server.curve.name: result.scenario.server.curve for result in results}
    own = " ".join(f"{name}: {curve.assumed}" for name, curve in curves.items())
    _with_assumptions(figure, f"{ASSUMED} {own}", 160)
    return figure


def _ramps(climbed: Sequence[Climbed]) -> Figure:
    """Tokens a second in each stage of the ramp, as shares of the better static of that stage."""
    figure, rows = plt.subplots(2, 2, figsize=(10, 6), sharex=True)
    names = [str(concurrency) for concurrency in CONCURRENCIES]
    for ramp, axes in zip(climbed, rows.flat, strict=True):
        for who in (Who.ON, Who.OFF, Who.THRESHOLD, Who.COST_TABLE, Who.FORESIGHT):
            _shares(axes, ramp, who)
        axes.axhline(95, color="black", linestyle=":", linewidth=0.8)
        axes.set_xticks(range(len(names)), names)
        axes.set(title=ramp.climb.name, ylim=(20, 105))
    for axes in rows[1]:
        axes.set_xlabel("concurrency, stage after stage")
    for axes in rows[:, 0]:
        axes.set_ylabel("tokens/s, % of the stage's better static")
    rows[0][0].legend(fontsize=7, frameon=False, loc="lower center")
    figure.suptitle(f"Ramp 1 → 128 → 1. {LABELS}Dotted: 95 %.")
    curves = {ramp.climb.server.curve.name: ramp.climb.server.curve for ramp in climbed}
    own = " ".join(f"{name}: {curve.assumed}" for name, curve in curves.items())
    _with_assumptions(figure, f"{RAMPED} {own} {ASSUMED}", 180)
    return figure


def _shares(axes: Axes, ramp: Climbed, who: Who) -> None:
    shares = [ramp.share_of_better(who, number) for number in range(len(CONCURRENCIES))]
    axes.errorbar(
        range(len(shares)),
        [100 * share.mean for share in shares],
        yerr=[100 * share.half for share in shares],
        color=COLOURS[who],
        label=who.value,
        marker="o",
        markersize=3,
        linewidth=1,
    )


def _sensitivity(points: Sequence[Point]) -> Figure:
    """Regret of the policies as their table is wrong or flips cost something."""
    kinds = tuple(dict.fromkeys((point.who, point.of) for point in points))
    figure, rows = plt.subplots(len(SHAKEN), len(SWEEPS), figsize=(10, 5.6), sharey=True, sharex="col")
    for (who, kind), axes in zip(kinds, rows.flat, strict=True):
        for name in dict.fromkeys(point.scenario for point in points):
            own = [point for point in points if (point.who, point.of, point.scenario) == (who, kind, name)]
            scale = 1 if kind == "flip cost" else 100
            axes.errorbar(
                [scale * point.value for point in own],
                [100 * point.regret.mean for point in own],
                yerr=[100 * point.regret.half for point in own],
                marker="o",
                markersize=3,
                linewidth=1,
                label=name,
            )
        axes.axhline(0, color="black", linewidth=0.8)
        axes.set(xlabel="flip cost, ms" if kind == "flip cost" else f"{kind}, %", title=who.value)
    for axes in rows[:, 0]:
        axes.set_ylabel("mean latency against\nthe better static, %")
    rows[0][0].legend(fontsize=7, frameon=False)
    figure.suptitle(LABELS, fontsize=9)
    _with_assumptions(figure, f"{ASSUMED} h200-eagle: {as_measured('eagle').assumed} tuned: {as_tuned().assumed}", 180)
    return figure
