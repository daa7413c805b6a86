"""Our clock is wrong by hours: what the crowd says of itself decides, never our time."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.utils import timezone

from annotate.common import intents
from annotate.crowds import contract, outbox, reconciling
from annotate.crowds.contract import Effect, Marketplace
from annotate.models import Posting
from tests.crowds.clock import Clock
from tests.crowds.contract import FAR_SIDES, hand_in, publish, takes_nobody
from tests.crowds.far_side import FarSide
from tests.crowds.market import Kind, Market, Status, market
from tests.crowds.mturk.far_side import mturk_far_side
from tests.crowds.prolific.far_side import prolific_far_side
from tests.crowds.walk import TERMS, Unit

NEAR = timedelta(seconds=30)


@pytest.fixture(params=[-2, 2], ids=lambda by: f"{by:+} h")
def wrong(request: pytest.FixtureRequest) -> timedelta:
    """How far our clock is ahead of everybody else's."""
    return timedelta(hours=request.param)


@pytest.fixture(params=["mturk", "prolific"])
def elsewhere(request: pytest.FixtureRequest, quick: None, wrong: timedelta) -> Iterator[FarSide]:
    with FAR_SIDES[request.param]() as far_side:
        far_side.move_clock(-wrong)
        yield far_side


@pytest.fixture
def crowd(elsewhere: FarSide) -> Marketplace:
    return elsewhere.adapter()


@pytest.fixture
def at_market(elsewhere: FarSide, db: None, clock: Clock) -> Iterator[Market]:
    with market(elsewhere, clock) as made:
        yield made


# ---------------------------------------------------------------- the adapters


def test_a_stop_leaves_nothing_that_people_can_take(elsewhere, crowd):
    listing = publish(crowd, lifetime=timedelta(hours=1))
    assert crowd.stop(listing).effect is Effect.APPLIED
    assert takes_nobody(elsewhere, listing)


def test_times_are_told_by_our_clock(elsewhere, crowd):
    listing = publish(crowd, lifetime=timedelta(hours=1))
    unit = hand_in(elsewhere, listing)
    (listed,), seen = crowd.iter_submissions(listing), crowd.get_submission(unit)
    for one in (listed, seen):
        assert abs(one.submitted_at - timezone.now()) < NEAR
        assert one.auto_approval_at > timezone.now()
    expires_at = crowd.posting_level(listing).expires_at
    if expires_at is not None:
        assert abs(expires_at - timezone.now() - timedelta(hours=1)) < NEAR


def test_clocks_that_differ_by_seconds_are_left_alone(quick: None):
    """Otherwise each look would tell another time."""
    with mturk_far_side() as far:
        crowd = far.adapter()
        listing = publish(crowd)
        far.move_clock(timedelta(seconds=20))
        told = {crowd.posting_level(listing).expires_at for _ in range(3)}
    assert told == {far.world.hits[listing].expires_at}


@pytest.mark.parametrize(
    "date",
    [
        None,
        "",
        "yesterday",
        "Fri, 31 Dec 9999 23:59:59 GMT",
        "Mon, 01 Jan 0001 00:00:00 GMT",
        "Fri, 30 Feb 2026 00:00:00 GMT",
        "Tue, 15 Nov 2095 08:12:31 GMT",
    ],
)
def test_a_date_that_no_clock_tells_is_none(date: str | None) -> None:
    assert contract.ahead(date) is None


def test_without_a_clock_of_theirs_a_stop_is_a_stop_all_the_same(
    elsewhere, crowd, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("annotate.crowds.contract.ahead", lambda _date: None)
    listing = publish(crowd)
    assert crowd.stop(listing).effect is Effect.APPLIED
    assert takes_nobody(elsewhere, listing)


# ---------------------------------------------------------------- the services


@pytest.mark.slow
@pytest.mark.orm
def test_work_waits_for_its_approval_as_long_as_was_announced(at_market: Market) -> None:
    unit = at_market.done()
    at_market.sync()
    at_market.later(minutes=TERMS.approve_after / timedelta(minutes=1) - 10)
    assert at_market.of(unit).status == Status.CONFIRMED
    assert not at_market.ops(Kind.APPROVE)
    at_market.later(minutes=20)
    assert at_market.of(unit).status == Status.APPROVED


@pytest.mark.slow
@pytest.mark.orm
def test_who_accepted_before_the_end_is_let_in(at_market: Market) -> None:
    listing, person = at_market.ours()[0], at_market.far.person(1)
    unit = Unit(listing, at_market.far.accept(listing, person), person)
    at_market.stop()
    outbox.carry_out_due()
    at_market.sync()
    Posting.objects.update(status=Posting.Status.CLOSED)
    at_market.enter(unit)
    at_market.judge(unit)


@pytest.mark.orm
def test_an_event_is_news(
    db: None, quick: None, clock: Clock, wrong: timedelta, monkeypatch: pytest.MonkeyPatch
):
    with prolific_far_side() as far, market(far, clock) as made:
        far.move_clock(-wrong)
        made.sync()
        far.move_clock(timedelta(seconds=5))
        raw, headers = far.event("study.status.change", made.ours()[0])
        announced: list[int] = []
        monkeypatch.setattr(intents, "announce_posting", announced.append)
        assert reconciling.receive("prolific", raw, headers)
        assert announced == [made.posting().pk]
