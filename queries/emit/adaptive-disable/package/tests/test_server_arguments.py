"""What is filled in where the user named nothing, and what is refused."""

import pytest

from adaptive_disable.server_arguments import DRAFT_STEPS, SECOND_WORKER, ServerArgumentsError, fill_in

EAGLE = {"speculative_algorithm": "EAGLE3"}


def test_nothing_named_gets_the_second_worker_and_a_chain() -> None:
    """The server would choose top-k 4 for some models, and its first worker."""
    filled = fill_in(EAGLE, {})
    assert filled.arguments == {"speculative_eagle_topk": 1, "speculative_num_steps": DRAFT_STEPS}
    assert filled.environment == {SECOND_WORKER: "1"}


@pytest.mark.parametrize("said", ["1", "true", "Yes", "y"])
def test_what_the_user_named_stays(said: str) -> None:
    """Also when it is what would have been filled in."""
    filled = fill_in({**EAGLE, "speculative_eagle_topk": 1, "speculative_num_steps": 5}, {SECOND_WORKER: said})
    assert filled.arguments == {}
    assert filled.environment == {}


def test_steps_alone_get_top_k() -> None:
    """The server does not resolve a top-k that is missing beside steps: it compares None with a number."""
    assert fill_in({**EAGLE, "speculative_num_steps": 2}, {}).arguments == {"speculative_eagle_topk": 1}


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ({"speculative_algorithm": None}, "--speculative-algorithm is missing"),
        ({"speculative_algorithm": "NGRAM"}, "--speculative-algorithm NGRAM"),
        ({"speculative_eagle_topk": 4}, "--speculative-eagle-topk 4"),
        ({"speculative_num_steps": 0}, "--speculative-num-steps 0"),
        ({"speculative_num_draft_tokens": 8}, "--speculative-num-draft-tokens 8 without --speculative-num-steps"),
        ({"disable_overlap_schedule": True}, "--disable-overlap-schedule"),
        ({"speculative_adaptive": True}, "--speculative-adaptive"),
        ({"grpc_mode": True}, "--grpc-mode"),
        ({"encoder_only": True}, "--encoder-only"),
        ({"use_ray": True}, "--use-ray"),
    ],
)
def test_what_contradicts_the_hook_is_refused(named: dict[str, object], said: str) -> None:
    """With the flag as the user wrote it, and what to do."""
    with pytest.raises(ServerArgumentsError) as refused:
        fill_in({**EAGLE, **named}, {})
    assert refused.value.problems[0].startswith(said)


@pytest.mark.parametrize("said", ["0", "false", "maybe"])
def test_the_first_worker_is_refused(said: str) -> None:
    """What the server does not understand means off to it, too."""
    with pytest.raises(ServerArgumentsError, match=SECOND_WORKER):
        fill_in(EAGLE, {SECOND_WORKER: said})


def test_all_that_is_wrong_is_said_at_once() -> None:
    """One start tells everything."""
    with pytest.raises(ServerArgumentsError) as refused:
        fill_in({**EAGLE, "speculative_eagle_topk": 4, "disable_overlap_schedule": True}, {SECOND_WORKER: "0"})
    assert len(refused.value.problems) == 3
