"""One campaign for every branch of the advice, built through the services that make it so."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from typing import Any
from unittest import mock

from django.contrib.auth.models import User
from django.utils import timezone

from annotate import adapters
from annotate.crowds.base import Effect, Outcome, Submission, UnitState
from annotate.models import Campaign, Participation, Posting
from annotate.services import (
    campaigns,
    confirming,
    leasing,
    outbox,
    participations,
    rates,
    scoring,
    screening,
    tutorials,
)
from tests.annotate.market import arrive
from tests.annotate.passing import pass_tutorial
from tests.crowds.clock import Clock
from tests.crowds.launching import launched
from tests.crowds.scripted import NO_MONEY, Scripted
from tests.estimation.reviewed import exclude, flag, settle, take_turns
from tests.factories import campaign, judge, leased, person

REFUSED = Outcome(Effect.REFUSED, "rejected", "The crowd does not take this title.")


@dataclass
class World:
    """Who owns the campaigns, our clock, and a crowd in reach that does as it is told."""

    owner: User
    clock: Clock
    crowd: Scripted
    staying: ExitStack = field(default_factory=ExitStack)

    def __enter__(self) -> "World":
        for target, name, as_ in (
            (timezone, "now", self.clock.now),
            (adapters, "marketplace", lambda _crowd: self.crowd),
            (rates, "permit", lambda *_crowd, wait=0.0: True),
            (screening, "screen_all", lambda *_asked: []),
        ):
            self.staying.enter_context(mock.patch.object(target, name, as_))
        return self

    def __exit__(self, *_error: object) -> None:
        self.staying.close()

    def study(self, **changes: Any) -> Campaign:
        usual: dict[str, Any] = {"name": "News in short, autumn", "systems": ("pointer",)}
        usual |= {"double_share": 0.0, "reward": Decimal("0.40"), "items": 12}
        return campaign(owner=self.owner, **(usual | changes))

    def narrow(self, **changes: Any) -> Campaign:
        """A campaign that reaches its target, and closes, with 30 judgments by 8 people."""
        made = self.study(**{"items": 60, "targets": {"overall": 1.6}} | changes)
        take_turns([person(made, f"p{i}") for i in range(8)], 40)
        return settle(made)

    def market(self, **changes: Any) -> Campaign:
        return self.study(**{"crowd": "mturk", "items": 20} | changes)

    def unit(self, made: Campaign, name: str = "AW1", *, tasks: int = 2) -> Participation:
        """Somebody who has taken a unit of the first posting and done so many of its tasks."""
        posting = Posting.objects.filter(batch__campaign=made).exclude(external_id="")[0]
        who = arrive(posting, name, f"U-{name}")
        for _ in range(tasks):
            judge(who)
        return who

    def hand_in(self, who: Participation, *, here: bool = True, **said: Any) -> None:
        """They hand it in, and the crowd lists it; not `here`: without our last page."""
        if here:
            participations.hand_in(who.pk)
        who.refresh_from_db()
        assert who.posting is not None
        usual = {"state": UnitState.SUBMITTED, "receipt": who.receipt}
        name = who.annotator.external_id
        seen = Submission(who.posting.external_id, who.external_key, name, **usual | said)
        confirming.take(who.posting_id, seen)


Build = Callable[[World], Campaign]
SITUATIONS: dict[str, Build] = {}


def situation(name: str) -> Callable[[Build], Build]:
    """Register a builder; what follows a dash tells apart those of one branch."""

    def add(build: Build) -> Build:
        assert name not in SITUATIONS
        SITUATIONS[name] = build
        return build

    return add


# ---- before, and by link -----------------------------------------------------------------------


@situation("draft")
def _draft(world: World) -> Campaign:
    return world.study(is_open=False, budget=Decimal(3))


@situation("invite")
def _invite(world: World) -> Campaign:
    return world.study()


@situation("wait")
def _wait(world: World) -> Campaign:
    made = world.study(budget=Decimal(4), deadline=world.clock.now() + timedelta(hours=30))
    take_turns([person(made, name) for name in "abc"], 5)
    leased(person(made, "a"))
    return settle(made)


@situation("wait-nobody-began")
def _came(world: World) -> Campaign:
    made = world.study()
    person(made, "a")
    return settle(made)


@situation("all_reviewed")
def _all_reviewed(world: World) -> Campaign:
    """30 of 30 people paused."""
    made = world.study(items=40)
    cast = [person(made, f"p{i}") for i in range(30)]
    take_turns(cast, 30)
    for who in cast:
        flag(who)
    return settle(made)


@situation("all_reviewed-others-at-cap")
def _some_reviewed(world: World) -> Campaign:
    made = world.study(annotator_cap=1)
    take_turns([person(made, name) for name in "abc"], 3)
    flag(person(made, "a"))
    return settle(made)


@situation("nobody_may")
def _at_cap(world: World) -> Campaign:
    made = world.study(annotator_cap=2)
    judge(person(made, "a"))
    judge(person(made, "a"))
    return settle(made)


@situation("nobody_may-had-all")
def _had_all(world: World) -> Campaign:
    made = world.study(items=2, double_share=1.0)
    judge(person(made, "a"))
    judge(person(made, "a"))
    return settle(made)


@situation("nobody_may-excluded")
def _excluded(world: World) -> Campaign:
    made = world.study()
    judge(person(made, "a"))
    exclude(person(made, "a"), world.owner, "too_fast")
    return settle(made)


@situation("silence")
def _idle(world: World) -> Campaign:
    """One person, idle for 15 minutes."""
    made = world.study()
    judge(person(made, "a"))
    settle(made)
    world.clock.move(minutes=15)
    return made


@situation("silence-with-a-text-open")
def _idle_at_a_text(world: World) -> Campaign:
    made = world.study()
    judge(person(made, "a"))
    leased(person(made, "a"))
    settle(made)
    world.clock.move(minutes=16)
    return made


@situation("silence-nobody-began")
def _idle_at_once(world: World) -> Campaign:
    made = world.study()
    person(made, "a")
    person(made, "b")
    settle(made)
    world.clock.move(hours=30)
    return made


@situation("reserved")
def _reserved(world: World) -> Campaign:
    """The rest of the budget is kept for somebody in the tutorial."""
    made = world.study(tutorial=True, tutorial_bonus=Decimal("0.75"), budget=Decimal("2.30"))
    done = person(made, "done")
    pass_tutorial(done)
    judge(done)
    tutorials.begin(person(made, "learner").pk)
    judge(done)
    return settle(made)


@situation("taken")
def _taken(world: World) -> Campaign:
    made = world.study(items=2)
    judge(person(made, "a"))
    leased(person(made, "b"))
    settle(made)
    world.clock.move(minutes=20)
    return made


@situation("reviews")
def _reviews(world: World) -> Campaign:
    made = world.study()
    take_turns([person(made, name) for name in "abc"], 6)
    flag(person(made, "a"))
    return settle(made)


@situation("more_people")
def _more_people(world: World) -> Campaign:
    made = world.study(items=60, targets={"overall": 0.1})
    take_turns([person(made, name) for name in "abc"], 40)
    return settle(made)


@situation("worker")
def _worker(world: World) -> Campaign:
    made = world.study()
    judge(person(made, "a"))
    world.clock.move(minutes=40)
    return made


@situation("limit")
def _limit(world: World) -> Campaign:
    made = world.study(budget=Decimal("0.50"))
    judge(person(made, "a"))
    return made


@situation("targets")
def _targets(world: World) -> Campaign:
    """Reopened although every interval is at its target: the next estimate closes it again."""
    made = world.narrow()
    campaigns.reopen(made.pk, actor_id=world.owner.pk, why="By mistake.")
    return made


@situation("paused")
def _paused(world: World) -> Campaign:
    made = world.study()
    judge(person(made, "a"))
    settle(made)
    campaigns.pause(made.pk)
    return made


def launch(made: Campaign, places: int) -> None:
    launched(made, places=places, key=f"batch of {made.pk}")


# ---- at a crowd --------------------------------------------------------------------------------


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
def _first_people(world: World) -> Campaign:
    made = world.market()
    launch(made, 5)
    outbox.carry_out_due()
    return made


@situation("nobody_takes")
def _nobody_takes(world: World) -> Campaign:
    made = _first_people(world)
    settle(made)
    world.clock.move(hours=27)
    return made


@situation("wait-at-a-crowd")
def _market_wait(world: World) -> Campaign:
    made = _first_people(world)
    world.unit(made)
    world.unit(made, "AW2", tasks=1)
    return settle(made)


@situation("silence-at-a-crowd")
def _market_silence(world: World) -> Campaign:
    made = _first_people(world)
    world.hand_in(world.unit(made))
    settle(made)
    world.clock.move(hours=5)
    return made


@situation("launch_again")
def _launch_again(world: World) -> Campaign:
    made = _first_people(world)
    campaigns.pause(made.pk)
    campaigns.open_(made.pk)
    outbox.carry_out_due()
    return settle(made)


@situation("launch_again-all-taken")
def _all_taken(world: World) -> Campaign:
    """Every unit that was published is taken and handed in."""
    made = world.market()
    launch(made, 1)
    outbox.carry_out_due()
    world.hand_in(world.unit(made))
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
    made = _first_people(world)
    campaigns.pause(made.pk)
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
    made = _first_people(world)
    world.hand_in(world.unit(made, tasks=1), here=False)
    return made


@situation("pays_soon")
def _pays_soon(world: World) -> Campaign:
    made = _first_people(world)
    tomorrow = world.clock.now() + timedelta(days=1)
    world.hand_in(world.unit(made, tasks=1), here=False, auto_approval_at=tomorrow)
    return made


@situation("pays_soon-reviewed")
def _pays_reviewed(world: World) -> Campaign:
    made = _first_people(world)
    who = world.unit(made)
    world.hand_in(who, auto_approval_at=world.clock.now() + timedelta(days=1))
    flag(who)
    return settle(made)


# ---- closing, and after ------------------------------------------------------------------------


def _closing(world: World, **changes: Any) -> Campaign:
    """One person has judged two of the places of two items; the two others are gaps."""
    made = world.study(**{"items": 4, "double_share": 1.0} | changes)
    judge(person(made, "a"))
    judge(person(made, "a"))
    campaigns.close(made.pk, Campaign.Reason.HAND)
    return settle(made)


@situation("last")
def _last(world: World) -> Campaign:
    made = world.study()
    judge(person(made, "a"))
    leased(person(made, "b"))
    campaigns.close(made.pk, Campaign.Reason.HAND)
    return settle(made)


@situation("last_reserved")
def _last_reserved(world: World) -> Campaign:
    made = _last(world)
    world.clock.move(minutes=16)
    return made


@situation("last-to-be-confirmed")
def _last_unconfirmed(world: World) -> Campaign:
    made = _first_people(world)
    participations.hand_in(world.unit(made).pk)
    campaigns.close(made.pk, Campaign.Reason.HAND)
    outbox.carry_out_due()
    return settle(made)


@situation("gaps")
def _gaps(world: World) -> Campaign:
    made = world.market(items=4, double_share=1.0)
    launch(made, 3)
    outbox.carry_out_due()
    world.hand_in(world.unit(made))
    campaigns.close(made.pk, Campaign.Reason.HAND)
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
    campaigns.close(made.pk, Campaign.Reason.HAND)
    return settle(made)


def _unsettled(world: World) -> Campaign:
    made = world.study(items=4)
    take_turns([person(made, name) for name in "ab"], 4)
    campaigns.close(made.pk, Campaign.Reason.HAND)
    return made


@situation("scores")
def _scores(world: World) -> Campaign:
    return _unsettled(world)


@situation("moment")
def _moment(world: World) -> Campaign:
    made = _unsettled(world)
    scoring.ensure(made.pk)
    return made


def _ended(world: World, **changes: Any) -> Campaign:
    made = world.study(systems=("pointer", "seq2seq"), items=20, **changes)
    take_turns([person(made, f"p{i}") for i in range(6)], 30)
    settle(made)
    campaigns.close(made.pk, Campaign.Reason.HAND)
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
    campaigns.close(made.pk, Campaign.Reason.TARGET)
    campaigns.finish(made.pk)
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
    campaigns.archive(made.pk, actor_id=world.owner.pk)
    return made


@situation("wait-after-a-return")
def _returned(world: World) -> Campaign:
    """A text that was given back is free for everybody else, and for nobody twice."""
    made = world.study(items=3)
    who = person(made, "a")
    leasing.give_back(leased(who).pk, participation_id=who.pk)
    return settle(made)
