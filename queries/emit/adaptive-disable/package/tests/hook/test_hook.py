"""The hook on a scheduler that is none: when it asks, what it leaves to SGLang, what it counts, how it comes off."""

from __future__ import annotations

import logging
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from scheduler_fakes import WIDTH, Controller, OffSteps, Scheduler, request, worker_batch

from adaptive_disable.config import Variant
from adaptive_disable.hook import Hook, install
from adaptive_disable.of_release import PENALTIES, count_slots, has_own_controller
from adaptive_disable.stock_path import stock_server_because


@pytest.fixture
def scheduler() -> Scheduler:
    return Scheduler()


def hook_of(scheduler: Any, controller: Controller) -> Hook:
    return Hook(scheduler, controller, OffSteps())


def test_it_asks_once_a_decode_step(scheduler: Scheduler) -> None:
    """With the number of requests, and of those that wait."""
    controller = Controller(speculate=False)
    hook_of(scheduler, controller).forward_batch_generation(worker_batch(5))
    assert controller.asked == [(5, 3, 7)]


@pytest.mark.parametrize(
    "batch", [worker_batch(mode="extend"), worker_batch(mode="idle"), worker_batch(is_extend_in_batch=True)]
)
def test_it_asks_for_no_other_step(scheduler: Scheduler, batch: Any) -> None:
    """Prefill, idle and mixed batches are SGLang's."""
    controller = Controller(speculate=False)
    assert hook_of(scheduler, controller).forward_batch_generation(batch).verified
    assert controller.asked == []


@pytest.mark.parametrize("speculate", [True, False])
def test_a_step_is_as_decided(scheduler: Scheduler, speculate: bool) -> None:
    """An off step's result carries its stride; an on step's is SGLang's own."""
    result = hook_of(scheduler, Controller(speculate)).forward_batch_generation(worker_batch())
    assert result.verified is speculate
    assert hasattr(result, "off_step") is not speculate


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("return_logprob", True),
        *((name, object()) for name in PENALTIES),
        ("logit_bias", object()),
        ("need_min_p_sampling", True),
        ("has_custom_logit_processor", True),
    ],
)
def test_what_a_verify_step_leaves_out_of_account_stays_stock(
    scheduler: Scheduler, field: str, value: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """The controller is not asked, and the log says why, once."""
    controller = Controller(speculate=False)
    hook = hook_of(scheduler, controller)
    with caplog.at_level(logging.WARNING):
        results = [hook.forward_batch_generation(worker_batch(**{field: value})) for _ in range(3)]
    assert all(result.verified for result in results)
    assert controller.asked == []
    assert len(caplog.records) == 1


def test_tokens_of_an_off_step_are_cut_by_the_stride_of_the_result(scheduler: Scheduler) -> None:
    """The worker's width may be another by then. One token is committed, and no verify step counted."""
    controller = Controller(speculate=False)
    hook, requests = hook_of(scheduler, controller), [request(), request(finished=True)]
    result = hook.forward_batch_generation(worker_batch())
    scheduler.model_worker.speculative_num_draft_tokens = WIDTH + 3
    assert hook.resolve(result, batch_of(requests)) == [[10], [20]]
    counted = [request(), request(finished=True)]
    for each in counted:
        count_slots(each, 1)
    assert [each.kv_committed_len for each in requests] == [each.kv_committed_len for each in counted]
    assert [each.spec_verify_ct for each in requests] == [0, 0]
    assert controller.told == [(2, 1)]


def test_lengths_of_an_on_step_are_told_of_those_that_run(scheduler: Scheduler) -> None:
    """A request that has ended is in one batch more: what it got there is no acceptance."""
    controller = Controller(speculate=True)
    hook, requests = hook_of(scheduler, controller), [request(), request(finished=True), request(retracted=True)]
    result = hook.forward_batch_generation(worker_batch(3))
    hook.resolve(result, batch_of(requests))
    assert controller.told == [[2]]
    assert [each.spec_verify_ct for each in requests] == [1, 1, 1]


@pytest.mark.parametrize(("speculate", "counted"), [(True, 2), (False, 0)])
def test_verify_steps_alone_are_counted(scheduler: Scheduler, speculate: bool, counted: int) -> None:
    """In the scheduler's metrics, which are told of each result right after it was resolved."""
    hook = hook_of(scheduler, Controller(speculate))
    hook.resolve(hook.forward_batch_generation(worker_batch()), batch_of([request(), request()]))
    hook.update_spec_metrics(2, 0)
    assert scheduler.spec_num_forward_ct == counted


def test_an_off_step_hides_no_later_verify_step(scheduler: Scheduler) -> None:
    """What is left out is one result's."""
    controller = Controller(speculate=False)
    hook = hook_of(scheduler, controller)
    for controller.speculate in (False, True):
        result = hook.forward_batch_generation(worker_batch())
        hook.resolve(result, batch_of([request(), request()]))
        hook.update_spec_metrics(2, 0)
    assert scheduler.spec_num_forward_ct == 2


def test_the_log_does_not_divide_by_no_verify_step(scheduler: Scheduler) -> None:
    """Nor does the total count the step that was not."""
    hook = hook_of(scheduler, Controller(speculate=False))
    hook.log_steps(can_run_cuda_graph=True)
    assert scheduler.logged == [1.0]
    assert scheduler.spec_total_num_forward_ct == scheduler.spec_num_forward_ct == 0


def server(change: Callable[[Scheduler], None]) -> Scheduler:
    changed = Scheduler()
    change(changed)
    return changed


@pytest.mark.parametrize(
    "scheduler",
    [
        Scheduler(speculative_eagle_topk=4),
        Scheduler(enable_multi_layer_eagle=True),
        Scheduler(enable_dp_attention=True),
        server(lambda scheduler: setattr(scheduler, "enable_overlap", False)),
        server(lambda scheduler: setattr(scheduler.draft_worker, "plan_stream", object())),
    ],
)
def test_a_server_that_cannot_be_served_is_left_alone(scheduler: Any, caplog: pytest.LogCaptureFixture) -> None:
    """Nothing is put on, the log says why, and taking it off does nothing."""
    with caplog.at_level(logging.WARNING):
        take_off = install(scheduler, Controller(speculate=False), Variant.ONE_TOKEN)
    assert len(caplog.records) == 1
    assert "forward_batch_generation" not in vars(scheduler.model_worker)
    take_off()


def test_a_server_with_a_controller_of_its_own_is_left_alone() -> None:
    """In the releases that have one."""
    scheduler: Any = Scheduler(speculative_adaptive=True)
    assert (stock_server_because(scheduler) is not None) == has_own_controller(scheduler)


def batch_of(requests: list[Any]) -> Any:
    return SimpleNamespace(reqs=requests)
