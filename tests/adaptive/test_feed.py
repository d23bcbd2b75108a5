"""What is counted of retractions, on a scheduler that is made up."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from tests.adaptive.feed import Feed


class Course:
    """Off, or on, as it is told."""

    def __init__(self, *, off: bool) -> None:
        self.off = off

    def is_off(self) -> bool:
        """As told."""
        return self.off


def scheduler(queue: list[Any]) -> Any:
    """One that has a queue, and retracted a request in an earlier run, as SGLang's goes on to say."""
    return SimpleNamespace(num_retracted_reqs=1, _add_request_to_queue=lambda request, **_named: queue.append(request))


def test_a_retraction_counts_where_speculation_is_off() -> None:
    """One request was retracted while off, one while on, and one came anew; all three are queued as ever."""
    queue: list[Any] = []
    fed, course = scheduler(queue), Course(off=True)
    feed = Feed(fed, 0, course)
    fed._add_request_to_queue("retracted", is_retracted=True)
    fed._add_request_to_queue("new")
    course.off = False
    fed._add_request_to_queue("retracted while on", is_retracted=True)
    assert feed.retracted_off == 1
    assert queue == ["retracted", "new", "retracted while on"]


def test_a_retraction_of_an_earlier_run_counts_for_nothing() -> None:
    """Each run on the same scheduler begins at none."""
    fed = scheduler([])
    earlier = Feed(fed, 0, Course(off=True))
    fed._add_request_to_queue("retracted", is_retracted=True)
    assert (earlier.retracted_off, Feed(fed, 1, Course(off=True)).retracted_off) == (1, 0)


def test_nobody_is_aborted_before_it_was_told() -> None:
    """So a run without such a time has no name to look for among those that were aborted."""
    assert Feed(scheduler([]), 0, None).aborted is None
