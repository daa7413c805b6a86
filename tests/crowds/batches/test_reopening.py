"""Studies that are full and go on: a place that is free again, and a stop that has to last.

Prolific's descriptions differ in what a full study does when somebody returns or is rejected
(`prolific_world.World`): what is promised here holds for each of them.
"""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from annotate.campaigns import life
from annotate.common.marks import posting_changed
from annotate.crowds import outbox, reconciling
from annotate.crowds import queries as crowds_queries
from annotate.crowds.contract import Stage as Level
from annotate.models import AuditEntry, Operation, Posting
from annotate.models.base import CloseReason
from annotate.pay import budget
from annotate.work import participations
from tests.crowds.clock import Clock
from tests.crowds.contract import takes_nobody
from tests.crowds.far_side import Fault, NoPlace
from tests.crowds.market import Kind, Market, Status, market
from tests.crowds.prolific.far_side import WORLDS, prolific_far_side

pytestmark = pytest.mark.orm
Stage = Posting.Status


@pytest.fixture
def goes_on(clock: Clock, db: None, quick: None) -> Iterator[Market]:
    """Two places, on a crowd where a full study goes on when one of them is free again."""
    with prolific_far_side() as far, market(far, clock, places=2) as made:
        yield made


@pytest.fixture(params=WORLDS)
def anywhere(
    request: pytest.FixtureRequest, clock: Clock, db: None, quick: None
) -> Iterator[Market]:
    """The same, on each crowd that fits one of the descriptions."""
    with prolific_far_side(**WORLDS[request.param]) as far, market(far, clock, places=2) as made:
        yield made


def full(made: Market) -> list[Any]:
    """Everybody has handed in, and we have seen that nobody can come any more."""
    units = [made.done(number) for number in (1, 2)]
    made.sync()
    assert made.posting().status == Stage.CLOSED
    return units


def stops_sent(made: Market) -> int:
    return made.far.server.calls.count("STOP")


@pytest.mark.slow
def test_a_study_of_which_a_place_is_free_again_is_open_again(goes_on: Market) -> None:
    first, _second = full(goes_on)
    goes_on.far.give_back(first.unit)
    goes_on.pass_time_and_look()
    assert goes_on.posting().status == Stage.OPEN
    assert goes_on.of(first).status == Status.LEFT
    assert [one.units for one in budget.untaken(goes_on.study.pk)] == [1]
    assert crowds_queries.offered(goes_on.study.pk)
    assert AuditEntry.objects.filter(verb="posting_open").count() == 2, "published, and again"
    goes_on.done(3)
    goes_on.pass_time_and_look()
    assert goes_on.posting().status == Stage.CLOSED


@pytest.mark.slow
def test_who_takes_a_free_place_before_we_have_looked_is_let_in_and_makes_us_look(
    goes_on: Market, django_capture_on_commit_callbacks: Any
) -> None:
    first, _second = full(goes_on)
    goes_on.far.give_back(first.unit)
    looked: list[int] = []

    def look(*, posting_id: int, **_: Any) -> None:
        looked.append(posting_id)

    posting_changed.connect(look)
    with django_capture_on_commit_callbacks(execute=True):
        newcomer = goes_on.come(3)
    assert looked == [goes_on.posting().pk]
    goes_on.judge(newcomer)


@pytest.mark.slow
def test_who_makes_up_a_unit_of_a_full_study_is_not_let_in(goes_on: Market) -> None:
    full(goes_on)
    with pytest.raises(NoPlace):
        goes_on._arrive(goes_on.ours()[0], "f" * 24, goes_on.far.person(9))


@pytest.mark.slow
def test_closing_stops_a_study_that_looks_full(anywhere: Market) -> None:
    first, _second = full(anywhere)
    life.close(anywhere.study.pk, CloseReason.HAND, actor_id=anywhere.ada.pk)
    outbox.carry_out_due()
    assert stops_sent(anywhere) == 1
    anywhere.far.give_back(first.unit)
    anywhere.pass_time_and_look()
    assert takes_nobody(anywhere.far, anywhere.ours()[0])
    study = anywhere.far.world.study(anywhere.ours()[0])
    assert study["stopped"], "what is paused can be started again there"


def test_what_goes_on_although_it_was_stopped_is_stopped_again(goes_on: Market) -> None:
    """Somebody adds a place by hand at the crowd, for instance."""
    goes_on.stop()
    outbox.carry_out_due()
    goes_on.far.world.studies[goes_on.ours()[0]].update(status="ACTIVE", stopped=False)
    goes_on.pass_time_and_look()
    goes_on.pass_time_and_look()
    assert takes_nobody(goes_on.far, goes_on.ours()[0])
    assert goes_on.posting().status == Stage.CLOSED
    assert [op.status for op in goes_on.ops(Kind.STOP)] == [Operation.Status.DONE] * 2


@pytest.mark.slow
def test_a_stop_that_is_in_vain_is_repeated_less_and_less_often(goes_on: Market) -> None:
    goes_on.stop()
    outbox.carry_out_due()
    for _ in range(60):
        goes_on.far.world.studies[goes_on.ours()[0]].update(status="ACTIVE", stopped=False)
        goes_on.pass_time(timedelta(minutes=5, seconds=1))
        reconciling.reconcile_all()
    assert 10 < stops_sent(goes_on) < 30


def test_a_list_that_lags_behind_a_stop_opens_nothing(goes_on: Market) -> None:
    """What was read before the stop is written after it."""
    level = goes_on.crowd.posting_level(goes_on.ours()[0])
    goes_on.stop()
    outbox.carry_out_due()
    posting = goes_on.posting()
    assert level.stage is Level.OPEN
    reconciling._level(posting, level, problem="")
    assert goes_on.posting().status == Stage.DRAINING
    assert len(goes_on.ops(Kind.STOP)) == 1


def test_a_stop_that_a_person_has_given_up_is_not_sent_again(goes_on: Market) -> None:
    goes_on.stop()
    (stop,) = goes_on.ops(Kind.STOP)
    assert outbox.drop(stop.pk, actor_id=goes_on.ada.pk)
    for _ in range(2):
        goes_on.pass_time_and_look()
    assert stops_sent(goes_on) == 0
    assert goes_on.posting().status == Stage.OPEN


def test_what_was_full_when_its_campaign_ended_is_stopped_once_it_goes_on(goes_on: Market) -> None:
    """Campaigns that ended before full studies were stopped."""
    first, _second = full(goes_on)
    life.close(goes_on.study.pk, CloseReason.HAND, actor_id=goes_on.ada.pk)
    Operation.objects.filter(kind=Kind.STOP).delete()
    type(goes_on.study).objects.update(status="closed")
    goes_on.far.give_back(first.unit)
    goes_on.pass_time_and_look()
    assert goes_on.far.world.study(goes_on.ours()[0])["stopped"]


def test_a_refill_that_goes_on_is_not_stopped(goes_on: Market) -> None:
    """Its batch was stopped with the campaign; the refill itself never was."""
    goes_on.done(1)
    goes_on.sync()
    unit = goes_on.come(2)
    goes_on.judge(unit, 1)
    life.close(goes_on.study.pk, CloseReason.HAND, actor_id=goes_on.ada.pk)
    outbox.carry_out_due()
    goes_on.far.give_back(unit.unit)
    goes_on.later(hours=3)
    refill = Posting.objects.filter(batch__campaign=goes_on.study).order_by("pk")[1]
    assert refill.places == 1
    unit = goes_on.come(3, listing=refill.external_id)
    goes_on.judge(unit, 1)
    participations.hand_in(goes_on.of(unit).pk)
    goes_on.far.submit(unit.unit, receipt="")
    goes_on.sync()
    refill.refresh_from_db()
    assert refill.status == Stage.CLOSED
    goes_on.far.give_back(unit.unit)
    goes_on.pass_time_and_look()
    refill.refresh_from_db()
    assert refill.status == Stage.OPEN
    assert not refill.operations.filter(kind=Kind.STOP).exists()


@pytest.mark.slow
def test_a_study_that_may_go_on_is_not_put_away(goes_on: Market) -> None:
    first, _second = full(goes_on)
    goes_on.ruled(first, "exclude", "refuse")
    goes_on.later(hours=3)
    goes_on.pass_time_and_look()
    assert goes_on.posting().status == Stage.OPEN
    goes_on.done(3)
    goes_on.later(hours=3)
    for _ in range(3):
        goes_on.pass_time_and_look()
    assert not goes_on.ops(Kind.ARCHIVE)
    goes_on.stop()
    for _ in range(3):
        goes_on.pass_time_and_look()
    assert goes_on.far.world.study(goes_on.ours()[0])["status"] == "COMPLETED"
    assert [op.status for op in goes_on.ops(Kind.ARCHIVE)] == [Operation.Status.DONE]


def test_a_paused_study_says_what_to_do_and_offers_nothing(clock: Clock, db: None, quick: None):
    with prolific_far_side(reopens="PAUSED") as far, market(far, clock, places=2) as made:
        first, _second = full(made)
        far.give_back(first.unit)
        made.pass_time_and_look()
        assert "paused" in made.posting().problem
        (batch,) = crowds_queries.of_campaign(made.study.pk)
        assert batch.state == "idle"
        assert not crowds_queries.offered(made.study.pk)
        far.world.move_study(made.ours()[0], "START")
        made.pass_time_and_look()
        assert (made.posting().status, made.posting().problem) == (Stage.OPEN, "")
        made.done(3)


def test_a_status_that_passes_changes_nothing(goes_on: Market) -> None:
    goes_on.far.world.studies[goes_on.ours()[0]]["status"] = "PROCESSING"
    goes_on.pass_time_and_look()
    assert goes_on.posting().status == Stage.OPEN
    assert "could not be asked" in goes_on.posting().problem
    assert goes_on.crowd.stop(goes_on.ours()[0]).effect == "retryable"


@pytest.mark.slow
def test_a_stop_that_is_cut_off_is_sent_again(anywhere: Market) -> None:
    full(anywhere)
    anywhere.far.fail_next("stop", Fault.TIMEOUT)
    anywhere.stop()
    outbox.carry_out_due()
    for _ in range(2):
        anywhere.pass_time_and_look()
    assert stops_sent(anywhere) == 2
    assert [op.status for op in anywhere.ops(Kind.STOP)] == [Operation.Status.DONE]
