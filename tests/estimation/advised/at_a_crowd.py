"""Campaigns that people come to from a marketplace."""

from datetime import timedelta
from decimal import Decimal

from annotate.campaigns import life
from annotate.crowds import outbox
from annotate.crowds.contract import Effect, Outcome
from annotate.models import Campaign, Posting
from annotate.pay import budget
from annotate.work import participations
from tests.annotate.market import arrive
from tests.annotate.passing import pass_tutorial
from tests.crowds.batches.launching import launched
from tests.crowds.scripted import NO_MONEY
from tests.estimation.advised.world import World, situation
from tests.estimation.reviewed import flag, settle
from tests.factories import judge

REFUSED = Outcome(Effect.REFUSED, "rejected", "The crowd does not take this title.")


def launch(made: Campaign, places: int) -> None:
    launched(made, places=places, key=f"batch of {made.pk}")


@situation("launch")
def _launch(world: World) -> Campaign:
    return world.market()


@situation("publishing")
def _publishing(world: World) -> Campaign:
    made = world.market()
    launch(made, 5)
    return made


@situation("unpublished")
def _unpublished(world: World) -> Campaign:
    made = world.market()
    launch(made, 5)
    settle(made)
    world.clock.move(minutes=20)
    return made


@situation("first_people")
def at_the_crowd(world: World) -> Campaign:
    made = world.market()
    launch(made, 5)
    outbox.carry_out_due()
    return made


@situation("nobody_takes")
def _nobody_takes(world: World) -> Campaign:
    made = at_the_crowd(world)
    settle(made)
    world.clock.move(hours=27)
    return made


@situation("wait-at-a-crowd")
def _market_wait(world: World) -> Campaign:
    made = at_the_crowd(world)
    world.unit(made)
    world.unit(made, "AW2", tasks=1)
    return settle(made)


@situation("silence-at-a-crowd")
def _market_silence(world: World) -> Campaign:
    made = at_the_crowd(world)
    world.hand_in(world.unit(made))
    settle(made)
    world.clock.move(hours=5)
    return made


@situation("launch_again")
def _launch_again(world: World) -> Campaign:
    made = at_the_crowd(world)
    life.pause(made.pk)
    life.open_(made.pk)  # the crowd was not told to stop yet
    return settle(made)


@situation("launch_again-all-taken")
def _all_taken(world: World) -> Campaign:
    """Every unit that was published is taken and handed in."""
    made = world.market()
    launch(made, 1)
    outbox.carry_out_due()
    world.hand_in(world.unit(made))
    return settle(made)


@situation("budget_short")
def budget_short(world: World) -> Campaign:
    """What is left pays for a judgment, and not for one of somebody new with a bonus."""
    made = world.market(tutorial=True, tutorial_bonus=Decimal("0.75"), budget=Decimal(100))
    launch(made, 1)
    outbox.carry_out_due()
    made.refresh_from_db()
    who = arrive(Posting.objects.get(batch__campaign=made), "AW1", "U-AW1")
    pass_tutorial(who)
    judge(who)
    judge(who)
    world.hand_in(who)
    spent = budget.committed(made)
    Campaign.objects.filter(pk=made.pk).update(budget=spent + Decimal("0.50"))
    return settle(made)


@situation("taken-to-be-confirmed")
def _unconfirmed(world: World) -> Campaign:
    made = world.market(items=2)
    launch(made, 1)
    outbox.carry_out_due()
    participations.hand_in(world.unit(made).pk)
    return settle(made)


@situation("paused-at-a-crowd")
def _market_paused(world: World) -> Campaign:
    made = at_the_crowd(world)
    life.pause(made.pk)
    return settle(made)


@situation("unfunded")
def _unfunded(world: World) -> Campaign:
    made = world.market()
    world.crowd.will("publish", NO_MONEY)
    launch(made, 5)
    outbox.carry_out_due()
    return made


@situation("stuck")
def _stuck(world: World) -> Campaign:
    made = world.market()
    world.crowd.will("publish", REFUSED)
    launch(made, 5)
    outbox.carry_out_due()
    return made


@situation("in_doubt")
def _in_doubt(world: World) -> Campaign:
    made = at_the_crowd(world)
    world.hand_in(world.unit(made, tasks=1), here=False)
    return made


@situation("pays_soon")
def _pays_soon(world: World) -> Campaign:
    made = at_the_crowd(world)
    tomorrow = world.clock.now() + timedelta(days=1)
    world.hand_in(world.unit(made, tasks=1), here=False, auto_approval_at=tomorrow)
    return made


@situation("pays_soon-reviewed")
def _pays_reviewed(world: World) -> Campaign:
    made = at_the_crowd(world)
    who = world.unit(made)
    world.hand_in(who, auto_approval_at=world.clock.now() + timedelta(days=1))
    flag(who)
    return settle(made)
