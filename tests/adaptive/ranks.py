"""Two ranks that would decide otherwise, each in a process of its own: `python -m tests.adaptive.ranks FILE RANK`.

Prints what each decision of this rank became, as JSON. FILE is where the two meet; it must not be there before.
"""

from __future__ import annotations

import json
import sys
from types import SimpleNamespace

OWN = ([True, False, False, True], [False, True, False, False])  # by rank


def main(meeting: str, rank: int) -> None:
    """Decide some steps together with the other rank."""
    from adaptive_disable.ranks import share_over
    from torch import distributed

    distributed.init_process_group("gloo", init_method=f"file://{meeting}", rank=rank, world_size=len(OWN))
    group = SimpleNamespace(first_rank=0)
    share = share_over(SimpleNamespace(tp_size=len(OWN), tp_group=group, tp_cpu_group=distributed.group.WORLD))
    print(json.dumps([share(speculate) for speculate in OWN[rank]]), flush=True)
    distributed.destroy_process_group()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
