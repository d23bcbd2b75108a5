"""What a slot asks of SGLang's controller, and when there is nothing to ask."""

import json

import pytest

from adaptive_disable.costs import CostTable
from adaptive_disable.slots import (
    ZERO_THRESHOLD,
    Acceptance,
    NothingToSwitchError,
    Slot,
    as_text,
    slots_of_costs,
    slots_of_thresholds,
)

# Break-even lengths 1.25, 1.5, 2.0 and 4.5: with 3 draft steps the last can never be reached.
TABLE = CostTable((1, 8, 32, 128), (5.0, 6.0, 10.0, 36.0), (4.0, 4.0, 5.0, 8.0))


def test_thresholds_give_one_border() -> None:
    """All steps below, none from there on."""
    slots = slots_of_thresholds(3, 64)
    assert json.loads(as_text(slots)) == {"1": {"candidate_steps": [3]}, "64": {"candidate_steps": [0]}}


def test_a_known_acceptance_gives_slots_of_one_number() -> None:
    """2.4 tokens a step pay up to batches of 32, and not at 128."""
    slots = slots_of_costs(3, TABLE, 0.05, Acceptance(2.4))
    assert slots == (Slot(1, (3,)), Slot(128, (0,)))


def test_an_unknown_acceptance_leaves_it_to_the_controller() -> None:
    """It leaves 3 steps at the table's break-even, in accepted drafts, but where nothing can pay."""
    slots = slots_of_costs(3, TABLE, 0.05)
    assert [slot.candidate_steps for slot in slots] == [(0, 3), (0, 3), (0, 3), (0,)]
    leaves_at = [ZERO_THRESHOLD + slot.tuning["down_hysteresis"] for slot in slots[:3]]
    assert leaves_at == [0.25, 0.5, 1.0]


def test_an_acceptance_near_break_even_is_left_to_the_controller_too() -> None:
    """2.0 at 32 requests is break-even itself."""
    slots = slots_of_costs(3, TABLE, 0.05, Acceptance(2.0))
    assert [slot.candidate_steps for slot in slots] == [(3,), (0, 3), (0,)]


def test_an_error_of_the_acceptance_widens_what_is_left_open() -> None:
    """2.4 give or take a fifth does not settle 32 requests."""
    slots = slots_of_costs(3, TABLE, 0.05, Acceptance(2.4, 0.2))
    assert [slot.candidate_steps for slot in slots] == [(3,), (0, 3), (0,)]


def test_the_first_slot_serves_the_smallest_batches() -> None:
    """Also where the table begins later."""
    slots = slots_of_costs(3, CostTable((4, 128), (5.0, 36.0), (4.0, 8.0)), 0.05, Acceptance(2.0))
    assert [slot.batch_size for slot in slots] == [1, 128]


@pytest.mark.parametrize(("length", "said"), [(4.0, "without a controller"), (1.0, "without speculation")])
def test_the_same_everywhere_needs_no_controller(length: float, said: str) -> None:
    """The message says how to start the server instead."""
    table = CostTable((1, 8), (5.0, 6.0), (4.0, 4.0))
    with pytest.raises(NothingToSwitchError, match=said):
        slots_of_costs(3, table, 0.05, Acceptance(length))
