"""What can be set, as one frozen value. `settings` reads it from a file, the environment and flags."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from adaptive_disable.default_variant import DEFAULT_VARIANT


class Variant(Enum):
    """How a step without speculation is made."""

    ONE_TOKEN = "one-token"
    """A decode of one token a request; the draft's KV cache is kept in step."""
    DUMMY_DRAFT = "dummy-draft"
    """The stock verification of drafts that cost nothing: the smallest patch, and the smallest gain."""


DEFAULT = Variant(DEFAULT_VARIANT)


class Mode(Enum):
    """What decides."""

    THRESHOLD = "threshold"
    """The batch size alone, with hysteresis."""
    COST_TABLE = "cost-table"
    """Step times measured at start-up and the acceptance seen since."""
    HELD_ON = "on"
    """Nothing: every step speculates. For measurements."""
    HELD_OFF = "off"
    """Nothing: no step that can do without speculates. For measurements."""


class ConfigError(ValueError):
    """Settings that cannot be meant. `problems` has one message each: what is wrong, and what would be right."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


@dataclass(frozen=True, slots=True)
class HookConfig:
    """All settings. Steps are decode steps of the server; batch sizes are running requests; lengths count the bonus
    token.

    Raises `ConfigError`, with all that is wrong at once, when values contradict each other or are out of range.
    """

    enabled: bool = False
    """Nothing is patched unless this is true."""
    variant: Variant = DEFAULT
    """How a step without speculation is made."""
    mode: Mode = Mode.COST_TABLE
    """What decides: batch sizes, step times, or nothing."""
    dry_run: bool = False
    """Decide, log and count, but speculate in every step."""

    off_batch: int = 64
    """`threshold`: off at this many requests or more."""
    on_batch: int = 48
    """`threshold`: on again at this many or fewer."""
    queue_weight: float = 0.0
    """`threshold`: how many running requests a waiting one counts for, 0 to 1."""
    dwell: int = 8
    """Decode steps from one flip to the next, at least. A probe may end earlier."""

    margin: float = 0.01
    """`cost-table`: by what share the acceptance must differ from break-even before a flip: the error of the table."""
    confidence: float = 1.0
    """`cost-table`: how many standard errors of the acceptance are added to the margin."""
    window: int = 256
    """`cost-table`: how many results of a request in a speculating step the acceptance is smoothed over."""
    probe_results: int = 64
    """`cost-table`: a probe ends when the results of this many requests are in."""
    probe_steps: int = 16
    """`cost-table`: a probe ends after this many decode steps in any case."""
    probe_budget: float = 0.02
    """`cost-table`: the share of time that probes may cost when they find what was seen last; each failure halves it.
    """
    probe_backoff: int = 8
    """`cost-table`: how many times the first wait the wait between probes may grow to."""
    table: Path | None = None
    """`cost-table`: step times to be used instead of measuring them at start-up; written there when the file is
    missing.
    """

    kill_file: Path | None = None
    """Once this file exists, the hook is off for good: every step takes the stock path. So does SIGUSR2."""
    log: Path | None = None
    """Every decision with its inputs, as JSON lines; `python -m adaptive_disable.replay` repeats them."""
    log_steps: int = 1_000_000
    """After this many decisions the log ends."""
    metrics_file: Path | None = None
    """Prometheus' text form, rewritten every `metrics_seconds`."""
    metrics_port: int = 0
    """Serves the same on this port of localhost; 0: no server."""
    metrics_seconds: float = 5.0
    """Seconds between two writings of `metrics_file`, at least; a flip is written at once."""

    def __post_init__(self) -> None:
        problems = tuple(message for wrong, message in _checks(self) if wrong)
        if problems:
            raise ConfigError(problems)


LARGEST_PORT = 65535


def _checks(config: HookConfig) -> tuple[tuple[bool, str], ...]:
    """Each pair: whether a rule is broken, and what to say then."""
    c = config
    return (
        (c.on_batch < 0, f"on_batch is {c.on_batch}: a batch size of 0 or more is wanted"),
        (
            c.off_batch <= c.on_batch,
            f"off_batch is {c.off_batch} and on_batch {c.on_batch}: off_batch must be the larger",
        ),
        (not 0 <= c.queue_weight <= 1, f"queue_weight is {c.queue_weight}: 0 to 1 is wanted"),
        (c.dwell < 1, f"dwell is {c.dwell}: 1 step or more is wanted"),
        (not 0 <= c.margin < 1, f"margin is {c.margin}: a share of 0 or more, below 1, is wanted, such as 0.01"),
        (not c.confidence >= 0, f"confidence is {c.confidence}: standard errors, 0 or more, are wanted"),
        (c.window < 1, f"window is {c.window}: 1 result or more is wanted"),
        (c.probe_results < 1, f"probe_results is {c.probe_results}: 1 result or more is wanted"),
        (c.probe_steps < 1, f"probe_steps is {c.probe_steps}: 1 step or more is wanted"),
        (
            not 0 < c.probe_budget < 1,
            f"probe_budget is {c.probe_budget}: a share between 0 and 1 is wanted, such as 0.01",
        ),
        (c.probe_backoff < 1, f"probe_backoff is {c.probe_backoff}: 1 or more is wanted"),
        (c.log_steps < 1, f"log_steps is {c.log_steps}: 1 decision or more is wanted"),
        (
            not 0 <= c.metrics_port <= LARGEST_PORT,
            f"metrics_port is {c.metrics_port}: 0 (none) to {LARGEST_PORT} is wanted",
        ),
        (not c.metrics_seconds > 0, f"metrics_seconds is {c.metrics_seconds}: more than 0 is wanted"),
    )
