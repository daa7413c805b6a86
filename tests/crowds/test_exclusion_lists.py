"""Who is excluded or blocked does not find the work at the crowd any more."""

import pytest

from annotate.crowds import outbox, people
from annotate.models import Campaign, Operation
from tests.crowds.far_side import Fault, NoPlace
from tests.crowds.market import Kind, Market
from tests.crowds.walk import Unit, Walk

pytestmark = pytest.mark.orm


def kept_out(market: Walk, person: str) -> bool:
    try:
        unit = market.far.accept(market.ours()[-1], person)
    except NoPlace:
        return True
    market.far.give_back(unit)
    return False


def left(market: Market, number: int) -> Unit:
    """Somebody has come, and gone."""
    unit = market.come(number)
    market.far.give_back(unit.unit)
    return unit


@pytest.fixture(params=["mturk", "prolific"])
def market(request: pytest.FixtureRequest) -> Market:
    return request.getfixturevalue(request.param)


def test_who_is_excluded_is_kept_out_until_restored(market: Market) -> None:
    unit, other = left(market, 1), left(market, 2)
    assert not kept_out(market, unit.person)
    market.ruled(unit, "exclude")
    assert kept_out(market, unit.person)
    assert not kept_out(market, other.person)
    market.ruled(unit, "restore")
    assert not kept_out(market, unit.person)
    assert [op.kind for op in Operation.objects.filter(annotator__isnull=False)] == [
        Kind.EXCLUDE,
        Kind.INCLUDE,
    ]


def second_study(market: Market) -> Walk:
    """Another campaign of the same owner, launched later."""
    other = Walk.begin(market.far, market.crowd, market.clock, 2)
    other.study.memberships.update(user=market.ada)
    other.ada = market.ada
    other.launch(2)
    outbox.carry_out_due()
    return other


@pytest.mark.slow
def test_a_block_holds_in_all_the_owners_campaigns_and_in_later_ones(market: Market) -> None:
    unit = left(market, 1)
    before = second_study(market)
    market.ruled(unit, "exclude", "block")
    assert kept_out(before, unit.person)
    Campaign.objects.filter(pk=before.study.pk).update(status="closed")
    market.ruled(unit, "unblock")
    assert kept_out(market, unit.person), "excluded here still"
    market.ruled(unit, "restore")
    assert not kept_out(market, unit.person)


def test_who_was_blocked_before_a_launch_is_kept_out_of_it(market: Market) -> None:
    unit = left(market, 1)
    market.ruled(unit, "block")
    later = second_study(market)
    assert kept_out(later, unit.person)
    assert not kept_out(later, market.far.person(5))


def test_changes_that_are_overtaken_are_left(mturk: Market) -> None:
    """Out and in again before anything was sent: the last word holds, in any order."""
    unit = left(mturk, 1)
    mturk.far.fail_next("set_excluded", Fault.THROTTLE)
    mturk.ruled(unit, "exclude")
    mturk.far.heal()
    mturk.ruled(unit, "restore")
    mturk.later(minutes=5)
    assert not kept_out(mturk, unit.person)
    statuses = Operation.objects.filter(annotator__isnull=False).values_list("status")
    assert {status for (status,) in statuses} == {Operation.Status.DONE}


def test_nothing_is_asked_twice(market: Market) -> None:
    unit = left(market, 1)
    market.ruled(unit, "exclude")
    for _ in range(2):
        people.sync(market.study.pk)
    assert Operation.objects.filter(annotator__isnull=False).count() == 1
