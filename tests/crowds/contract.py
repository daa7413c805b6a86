"""How the contract of marketplaces is tested: far sides, and acting as the outbox acts."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest

from annotate.crowds.contract import Effect, Marketplace, Outcome, Spec, UnitState
from tests.crowds.far_side import FarSide, Fault, NoPlace
from tests.crowds.mturk.far_side import mturk_far_side
from tests.crowds.prolific.far_side import prolific_far_side

REWARD = Decimal("1.50")
REASON = "Every answer was given within two seconds, and none fits the text that it is about. " * 2
FAR_SIDES: dict[str, Callable[[], AbstractContextManager[FarSide]]] = {
    "mturk": mturk_far_side,
    "mturk, ids used again": lambda: mturk_far_side(reuse_ids=True),
    "prolific": prolific_far_side,
}
faults = pytest.mark.parametrize("fault", list(Fault), ids=str)


def spec(places: int = 3, **changes: object) -> Spec:
    made = Spec(
        title="Compare short texts",
        description="Read two texts and say which reads better.",
        keywords=("reading", "comparison"),
        reward=REWARD,
        places=places,
        url="https://plumbline.example/work/on/crowd/token/",
        minutes=5.0,
        duration=timedelta(hours=1),
        lifetime=timedelta(days=3),
        auto_approval=timedelta(days=7),
        code="C0MPLETE",
    )
    return replace(made, **changes)


def publish(crowd: Marketplace, op_id: str = "publish-1", **changes: object) -> str:
    outcome = crowd.publish(spec(**changes), op_id)
    assert outcome.effect is Effect.APPLIED, outcome
    assert outcome.posted is not None
    return outcome.posted.listing


def hand_in(far: FarSide, listing: str, number: int = 1) -> str:
    unit = far.accept(listing, far.person(number))
    far.submit(unit, receipt=f"receipt-{number}")
    return unit


def carried_out(
    call: Callable[[], Outcome],
    n_effects: Callable[[], int],
    *,
    find: Callable[[], bool] | None = None,
    repeatable: bool = True,
) -> Outcome:
    """Follow the rule of the outbox; AMBIGUOUS comes back where only a person can tell.

    An outcome may be unsure, but what it says for sure has to be so.
    """
    for _attempt in range(5):
        outcome = call()
        if outcome.effect is not Effect.AMBIGUOUS:
            assert n_effects() == outcome.happened, outcome
            if outcome.effect is not Effect.RETRYABLE:
                return outcome
        elif find is not None and find():
            return Outcome(Effect.ALREADY)
        elif not repeatable:
            return outcome
    raise AssertionError(f"it never ends: {outcome}")


def state_is(crowd: Marketplace, unit: str, state: UnitState) -> Callable[[], int]:
    return lambda: crowd.get_submission(unit).state is state


def takes_nobody(far: FarSide, listing: str) -> bool:
    try:
        far.give_back(far.accept(listing, far.person(99)))
    except NoPlace:
        return True
    return False
