"""What the hook talks to: one decision a decode step, and what the results tell."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol

from adaptive_disable.acceptance import NOTHING, Observed, speculated
from adaptive_disable.config import HookConfig
from adaptive_disable.policy import Decision, Policy, Reason, Signals
from adaptive_disable.switch import KillSwitch


class Witness(Protocol):
    """Is told of every decision: a log, metrics."""

    def saw(self, signals: Signals, decided: Decision, done: Decision) -> None:
        """`decided`: by the policy. `done`: what the step does, after dry run, kill switch and rank 0."""
        ...

    def close(self) -> None:
        """Nothing more will come."""
        ...


def own(speculate: bool) -> bool:
    """The decision of the only rank."""
    return speculate


class Controller:
    """Holds the policy of one scheduler process. Not for use by several threads.

    The graphics card waits for a decision, and works while results are processed: witnesses are told of a decision when
    the next result comes in, at the latest before the next decision.

    `share` takes this rank's decision and gives rank 0's: a broadcast where there are several ranks. It is called
    exactly once in every `decide`, so that the ranks stay in step. `witnesses`: on rank 0 alone, where there are
    several.
    """

    def __init__(
        self,
        config: HookConfig,
        policy: Policy,
        *,
        share: Callable[[bool], bool] = own,
        switch: KillSwitch | None = None,
        witnesses: Sequence[Witness] = (),
    ) -> None:
        self._dry_run = config.dry_run
        self._policy = policy
        self._share = share
        self._switch = switch if switch is not None else KillSwitch(config.kill_file)
        self._witnesses = tuple(witnesses)
        self._step = 0
        self._observed = NOTHING
        self._speculated = True
        self._untold: tuple[Signals, Decision, Decision] | None = None

    def decide(self, batch_size: int, queue_length: int = 0, context: int = 0) -> Decision:
        """Whether the coming decode step speculates. To be called exactly once a decode step, before anything is
        drafted.

        `batch_size`: running requests in the step, 1 or more. `queue_length`: waiting requests. `context`: tokens of a
        running request on average; 0 where it is not known.
        """
        self._tell()
        signals = Signals(self._step, batch_size, queue_length, self._observed, context)
        self._policy, decided = self._policy.decide(signals)
        done = self._overruled(decided)
        self._step += 1
        self._observed = NOTHING
        self._speculated = done.speculate
        self._untold = (signals, decided, done)
        return done

    def observe_speculated(self, accepted: Sequence[int]) -> None:
        """What a speculating step yielded: one length a request, bonus token included, so 1 or more each.

        Called when the result is processed; with overlapped scheduling that is after the next step was decided.
        Requests that were aborted or retracted meanwhile may be left out.
        """
        self._tell()
        self._observed += speculated(accepted)

    def observe_plain(self, n_requests: int, foreseen: int | None = None) -> None:
        """A step without speculation was processed, with this many requests.

        `foreseen`: for how many of them the draft's guess (the draft token with the highest probability, which the
        draft extend of the step before left in `topk_index`) was the token that came; None where nobody looked. It
        tells for free whether speculation would pay again, and most probes are spared.
        """
        self._tell()
        if foreseen is not None:
            self._observed += Observed(plain=n_requests, foreseen=foreseen)

    def close(self) -> None:
        """Tell the witnesses what is left to tell, and close what they hold open. Nothing is decided after that."""
        self._tell()
        for witness in self._witnesses:
            witness.close()

    def _tell(self) -> None:
        """Tell the witnesses of the last decision, once."""
        told, self._untold = self._untold, None
        if told is not None:
            for witness in self._witnesses:
                witness.saw(*told)

    def _overruled(self, decided: Decision) -> Decision:
        """What is done: the policy's decision unless the hook only looks on, is off for good, or rank 0 decided
        otherwise.
        """
        done = decided
        if self._dry_run and not decided.speculate:
            done = replace(done, speculate=True, reason=Reason.DRY_RUN)
        if self._switch.tripped:
            done = replace(done, speculate=True, reason=Reason.KILLED)
        shared = self._share(done.speculate)
        if shared is not done.speculate:
            done = replace(done, speculate=shared, reason=Reason.RANK_ZERO)
        flipped = done.speculate is not self._speculated
        return done if done.flipped is flipped else replace(done, flipped=flipped)
