"""What is due to people whom a crowd pays: what it has not paid yet, and nothing by hand."""

from decimal import Decimal

import pytest

from annotate.common.errors import Conflict
from annotate.pay import payouts
from annotate.review import effects
from tests.crowds.far_side import Fault
from tests.crowds.market import Market, Status
from tests.crowds.money.test_settling import UNIT, confirmed, give

pytestmark = pytest.mark.orm


@pytest.mark.slow
def test_what_is_due_is_what_the_crowd_has_not_paid_yet(mturk: Market) -> None:
    unit = confirmed(mturk)
    who = mturk.of(unit).annotator_id

    def due() -> tuple[Decimal, Decimal]:
        found = effects.effects(mturk.study.pk, who)
        return found.due, found.at_stake

    assert due() == (UNIT, UNIT)
    mturk.later(hours=3)
    assert mturk.of(unit).status == Status.APPROVED
    assert due() == (0, 0)
    mturk.far.fail_next("pay_bonus", Fault.THROTTLE)
    give(mturk, unit, "0.50", kind="compensation")
    assert due() == (Decimal("0.50"), Decimal("0.50"))


@pytest.mark.slow
def test_nobody_is_paid_by_hand_whom_the_crowd_pays(mturk: Market) -> None:
    confirmed(mturk)
    with pytest.raises(Conflict, match="paid through Amazon Mechanical Turk"):
        payouts.prepare(mturk.study.pk, actor_id=mturk.ada.pk)
