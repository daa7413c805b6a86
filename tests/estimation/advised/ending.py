"""Campaigns that close, and that are closed."""

from decimal import Decimal
from typing import Any

from annotate.campaigns import life, recording
from annotate.campaigns.problems import Row
from annotate.campaigns.recording import Recorded
from annotate.crowds import outbox
from annotate.instruments.base import Criterion
from annotate.models import Campaign
from annotate.work import participations
from tests.estimation.advised.at_a_crowd import at_the_crowd, launch
from tests.estimation.advised.world import World, situation
from tests.estimation.reviewed import exclude, flag, settle, take_turns
from tests.factories import judge, leased, person


def _closing(world: World, **changes: Any) -> Campaign:
    """One person has judged two of the slots of two items; the two others are gaps."""
    made = world.study(**{"items": 4, "double_share": 1.0} | changes)
    judge(person(made, "a"))
    judge(person(made, "a"))
    life.close(made.pk, Campaign.Reason.HAND)
    return settle(made)


@situation("last")
def _last(world: World) -> Campaign:
    made = world.study()
    judge(person(made, "a"))
    leased(person(made, "b"))
    life.close(made.pk, Campaign.Reason.HAND)
    return settle(made)


@situation("last_reserved")
def _last_reserved(world: World) -> Campaign:
    made = _last(world)
    world.clock.move(minutes=16)
    return made


@situation("last-to-be-confirmed")
def _last_unconfirmed(world: World) -> Campaign:
    made = at_the_crowd(world)
    participations.hand_in(world.unit(made).pk)
    life.close(made.pk, Campaign.Reason.HAND)
    outbox.carry_out_due()
    return settle(made)


@situation("gaps")
def _gaps(world: World) -> Campaign:
    made = world.market(items=4, double_share=1.0)
    launch(made, 3)
    outbox.carry_out_due()
    world.hand_in(world.unit(made))
    life.close(made.pk, Campaign.Reason.HAND)
    outbox.carry_out_due()
    return settle(made)


@situation("gaps_nobody")
def _gaps_nobody(world: World) -> Campaign:
    return _closing(world)


@situation("gaps_reviews")
def _gaps_reviews(world: World) -> Campaign:
    made = _closing(world)
    flag(person(made, "a"))
    return settle(made)


@situation("gaps_silence")
def _gaps_silence(world: World) -> Campaign:
    made = _closing(world)
    person(made, "b")
    world.clock.move(hours=3)
    return settle(made)


@situation("last_reviews")
def _last_reviews(world: World) -> Campaign:
    made = world.study()
    take_turns([person(made, name) for name in "ab"], 4)
    flag(person(made, "a"))
    life.close(made.pk, Campaign.Reason.HAND)
    return settle(made)


def _judged(made: Campaign, **response: Any) -> Campaign:
    take_turns([person(made, name) for name in "ab"], 4, **response)
    life.close(made.pk, Campaign.Reason.HAND)
    return made


@situation("scores")
def _scores(world: World) -> Campaign:
    text = "The council met on Monday. " * 200
    rows = [Row(item=f"item-{i}", system="pointer", output=f"{text}{i}") for i in range(4)]
    made = world.study(rows_=rows, metrics=())
    return settle(_judged(made, overall=0, edit=f"{text}It rained."))


@situation("moment")
def _moment(world: World) -> Campaign:
    return _judged(world.study(items=4))


def _ended(world: World, **changes: Any) -> Campaign:
    made = world.study(systems=("pointer", "seq2seq"), items=20, **changes)
    take_turns([person(made, f"p{i}") for i in range(6)], 30)
    settle(made)
    life.close(made.pk, Campaign.Reason.HAND)
    settle(made)
    assert made.status == "closed"
    return made


@situation("results")
def _results(world: World) -> Campaign:
    return _ended(world, reward=Decimal(0))


@situation("results_due")
def _results_due(world: World) -> Campaign:
    return _ended(world)


@situation("late_reviews")
def _late_reviews(world: World) -> Campaign:
    made = _ended(world)
    flag(person(made, "p1"))
    return settle(made)


@situation("missed")
def _missed(world: World) -> Campaign:
    made = world.study()
    take_turns([person(made, name) for name in "abc"], 12)
    life.close(made.pk, Campaign.Reason.TARGET)
    life.finish(made.pk)
    return settle(made)


@situation("widened")
def _widened(world: World) -> Campaign:
    made = world.narrow()
    for i in range(6):
        exclude(person(made, f"p{i}"), world.owner, "too_fast")
    return settle(made)


@situation("archived")
def _archived(world: World) -> Campaign:
    made = _ended(world)
    life.archive(made.pk, actor_id=world.owner.pk)
    return made


@situation("estimating")
def _estimating(world: World) -> Campaign:
    """Judgments that were made elsewhere, before a worker has looked at them."""
    judgments = [
        Recorded("pointer", f"item {n % 40}", f"p{n % 7}", {"overall": n % 3 - 1}, None)
        for n in range(60)
    ]
    criteria = [Criterion("overall", -1, 1)]
    return recording.create(
        "Theirs",
        judgments,
        criteria=criteria,
        owner_id=world.owner.pk,
        chosen="By lot.",
        outputs=90,
    )
