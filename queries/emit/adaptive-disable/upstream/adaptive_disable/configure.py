"""Writes the configuration of SGLang's own controller, and says how to start the server with it:

python -m adaptive_disable.configure --draft-steps 3 --off-batch 64 -o adaptive.json
python -m adaptive_disable.configure --draft-steps 3 --table costs.json --accept-length 2.4 -o adaptive.json
"""

from __future__ import annotations

import argparse
import math
import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from adaptive_disable.config import HookConfig
from adaptive_disable.costs import CostTableError, read_table
from adaptive_disable.slots import Acceptance, NothingToSwitchError, Slot, as_text, slots_of_costs, slots_of_thresholds

USAGE_ERROR = 2
FAILED = 1


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the file and print the server's flags. Returns 1, with the reason, where nothing can be written."""
    parser = _parser()
    asked = parser.parse_args(arguments)
    if asked.table is not None and asked.off_batch is not None:
        parser.error(
            "--off-batch goes without --table, which says for each batch size what pays: leave one of them out"
        )
    if asked.table is None and asked.accept_length is not None:
        parser.error("--accept-length goes with --table: there it is compared with break-even")
    try:
        slots = _slots(asked)
        asked.output.write_text(as_text(slots), encoding="utf-8")
    except (CostTableError, NothingToSwitchError, OSError) as error:
        print(f"adaptive-disable: {error}", file=sys.stderr)
        return FAILED
    print(shlex.join(server_flags(asked.draft_steps, asked.output)))
    return 0


def server_flags(draft_steps: int, config: Path) -> list[str]:
    """What the server is started with, beside the algorithm and the models: the steps it begins with are among the
    slots' own.
    """
    return [
        *("--speculative-adaptive", "--speculative-adaptive-config", str(config)),
        *("--speculative-num-steps", str(draft_steps), "--speculative-eagle-topk", "1"),
        *("--speculative-num-draft-tokens", str(draft_steps + 1)),
    ]


def _slots(asked: argparse.Namespace) -> tuple[Slot, ...]:
    if asked.table is None:
        return slots_of_thresholds(asked.draft_steps, asked.off_batch or HookConfig().off_batch)
    accepted = None if asked.accept_length is None else Acceptance(asked.accept_length, asked.accept_error)
    return slots_of_costs(asked.draft_steps, read_table(asked.table), asked.margin, accepted)


def _parser() -> argparse.ArgumentParser:
    defaults = HookConfig()
    parser = argparse.ArgumentParser(
        prog="python -m adaptive_disable.configure", description=(__doc__ or "").partition("\n")[0]
    )
    add = parser.add_argument
    add("--draft-steps", type=_from(1), metavar="N", required=True, help="draft steps while speculating")
    told = f"without a table: none from so many requests on (default: {defaults.off_batch})"
    add("--off-batch", type=_from(2), metavar="N", help=told)
    told = "step times by batch size, with and without speculation, as this package writes them"
    add("--table", type=Path, metavar="FILE", help=told)
    told = (
        "tokens a request and verify step on the mean, bonus included; see the server's log. Without it, slots that "
        "depend on it are left to the server's own rule"
    )
    add("--accept-length", type=_length, metavar="NUMBER", help=told)
    told = "by what share that may be off (default: 0.1)"
    add("--accept-error", type=_share, metavar="SHARE", default=0.1, help=told)
    told = f"by what share the table may be off (default: {defaults.margin})"
    add("--margin", type=_share, metavar="SHARE", default=defaults.margin, help=told)
    add("-o", "--output", type=Path, metavar="FILE", required=True, help="the file to write")
    return parser


def _length(text: str) -> float:
    return _number(text, 1, math.inf, "a length of 1 token or more")


def _share(text: str) -> float:
    return _number(text, 0, 1, "a share of 0 or more, below 1,")


def _number(text: str, least: float, below: float, wanted: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not least <= value < below:
        raise argparse.ArgumentTypeError(f"{text!r}: {wanted} is wanted")
    return value


def _from(least: int) -> Callable[[str], int]:
    """Whole numbers from `least` on, as a type of argparse."""

    def whole(text: str) -> int:
        if not text.isascii() or not text.isdigit() or int(text) < least:
            raise argparse.ArgumentTypeError(f"{text!r}: a whole number of {least} or more is wanted")
        return int(text)

    return whole


if __name__ == "__main__":
    sys.exit(main())
