"""Says every flip in the server's own log, with what it was decided by."""

from __future__ import annotations

import logging

from adaptive_disable.policy import Decision, Reason, Signals

logger = logging.getLogger("adaptive_disable")


class FlipLog:
    """A witness of the controller: one line a flip; in a dry run one line each time the policy would have flipped."""

    def saw(self, signals: Signals, decided: Decision, done: Decision) -> None:
        """Log the decision if the step does otherwise than the one before, or would."""
        if done.flipped:
            logger.info("speculation %s: %s", "on" if done.speculate else "off", _inputs(signals, decided, done.reason))
        elif decided.flipped:
            would = "on" if decided.speculate else "off"
            logger.info(
                "speculation would be %s (%s): %s", would, done.reason.value, _inputs(signals, decided, decided.reason)
            )

    def close(self) -> None:
        """Nothing is held open."""


def _inputs(signals: Signals, decided: Decision, reason: Reason) -> str:
    said = [
        reason.value,
        f"step {signals.step}",
        f"batch {signals.batch_size}",
        f"queue {signals.queue_length}",
        f"context {signals.context}",
    ]
    if decided.accept_length is not None:
        said.append(f"accept length {decided.accept_length:.3f}")
    if decided.break_even is not None:
        said.append(f"break-even {decided.break_even:.3f}")
    return ", ".join(said)
