"""What the hook needs of the server's arguments: fills in what the user left open, refuses what the user set otherwise.

Decided on the arguments as they were named, before the server resolves them: afterwards a value that was chosen looks
like one that was asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

ALGORITHMS = ("EAGLE", "EAGLE3", "NEXTN", "STANDALONE")
"""Those whose second worker drafts and verifies in the overlapped loop; NEXTN is another name of EAGLE."""
SECOND_WORKER = "SGLANG_ENABLE_SPEC_V2"
"""The variable that makes the server speculate in the overlapped loop; unset, it does not."""
TRUE = frozenset({"true", "1", "yes", "y"})
"""What the server takes for true, in lower case; anything that is neither true nor false leaves its default, which is
off.
"""
DRAFT_STEPS = 3
"""What the server itself chooses wherever it chooses top-k 1."""

Arguments = Mapping[str, Any]
"""The server's arguments by their names in Python, None where the user named nothing."""


class ServerArgumentsError(ValueError):
    """The server was asked for something that the hook cannot serve. `problems` has one message each."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


@dataclass(frozen=True, slots=True)
class Filled:
    """What is to be set before the server starts, and was not named by the user."""

    arguments: dict[str, int]
    environment: dict[str, str]


def fill_in(named: Arguments, environment: Mapping[str, str]) -> Filled:
    """What the user left open, as the hook needs it: the second worker, top-k 1, and a number of draft steps.

    Top-k cannot be left open: the server chooses 4 for some models, after it has checked that the second worker gets 1.
    Where neither steps nor top-k are named it chooses both, so both are set; draft tokens follow from steps where top-k
    is 1.

    Raises `ServerArgumentsError` with all that was set otherwise, each with its reason.
    """
    problems = tuple(message(named) for holds, message in _REFUSED if holds(named))
    spec_v2 = environment.get(SECOND_WORKER)
    if spec_v2 is not None and spec_v2.lower() not in TRUE:
        problems += (
            f"{SECOND_WORKER}={spec_v2}: the hook works on the second worker alone; set it to 1, or leave it out",
        )
    if problems:
        raise ServerArgumentsError(problems)
    open_arguments = {"speculative_eagle_topk": 1, "speculative_num_steps": DRAFT_STEPS}
    return Filled(
        arguments={name: value for name, value in open_arguments.items() if named.get(name) is None},
        environment={} if spec_v2 is not None else {SECOND_WORKER: "1"},
    )


_Holds = Callable[[Arguments], bool]
_Says = Callable[[Arguments], str]

_REFUSED: tuple[tuple[_Holds, _Says], ...] = (
    (
        lambda named: named.get("speculative_algorithm") is None,
        lambda _: (
            f"--speculative-algorithm is missing: nothing is there to switch off; name one of {', '.join(ALGORITHMS)}"
        ),
    ),
    (
        lambda named: named.get("speculative_algorithm") not in (None, *ALGORITHMS),
        lambda named: (
            f"--speculative-algorithm {named['speculative_algorithm']}: no overlapped loop runs its worker; "
            f"name one of {', '.join(ALGORITHMS)}"
        ),
    ),
    (
        lambda named: named.get("speculative_eagle_topk") not in (None, 1),
        lambda named: (
            f"--speculative-eagle-topk {named['speculative_eagle_topk']}: results of the second worker are rows of a "
            "chain, not of a tree; set 1, or leave it out"
        ),
    ),
    (
        lambda named: named.get("speculative_num_steps") == 0,
        lambda _: "--speculative-num-steps 0: nothing is drafted, so nothing is there to switch off; name 1 or more",
    ),
    (
        lambda named: (
            named.get("speculative_num_steps") is None and named.get("speculative_num_draft_tokens") is not None
        ),
        lambda named: (
            f"--speculative-num-draft-tokens {named['speculative_num_draft_tokens']} without --speculative-num-steps: "
            "the server takes both or neither; name the steps, the tokens follow from them"
        ),
    ),
    (
        lambda named: bool(named.get("disable_overlap_schedule")),
        lambda _: (
            "--disable-overlap-schedule: the second worker runs in the overlapped loop alone, and would turn it on "
            "again; leave it out"
        ),
    ),
    (
        lambda named: bool(named.get("speculative_adaptive")),
        lambda _: (
            "--speculative-adaptive: SGLang's own controller changes the number of draft steps; use one of the two"
        ),
    ),
    (
        lambda named: bool(named.get("grpc_mode")),
        lambda _: "--grpc-mode: that server starts its schedulers by itself, without the hook; leave it out",
    ),
    (
        lambda named: bool(named.get("encoder_only")),
        lambda _: "--encoder-only: that server decodes nothing; start it without the hook",
    ),
    (
        lambda named: bool(named.get("use_ray")),
        lambda _: "--use-ray: Ray starts the schedulers there, without the hook; leave it out",
    ),
)
