"""The same decision on every rank."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from sglang.srt.managers.scheduler import Scheduler


def share_over(scheduler: Scheduler) -> Callable[[bool], bool]:
    """What makes the decision of rank 0 that of every rank: a broadcast within the tensor-parallel group.

    One byte a step, over the CPU group: it waits for no device. With one rank it is the identity.
    """
    if scheduler.tp_size == 1:
        return bool
    flag = torch.zeros(1, dtype=torch.uint8)
    source, group = scheduler.tp_group.first_rank, scheduler.tp_cpu_group

    def share(speculate: bool) -> bool:
        flag.fill_(speculate)
        torch.distributed.broadcast(flag, src=source, group=group)
        return bool(flag.item())

    return share
