"""Campaigns that people come to by link: before they close."""

from datetime import timedelta
from decimal import Decimal

from annotate.campaigns import life
from annotate.models import Campaign
from annotate.work import leasing, tutorial
from tests.annotate.panels import release
from tests.annotate.passing import pass_tutorial
from tests.estimation.advised.world import World, situation
from tests.estimation.heavy_tailed import wrong
from tests.estimation.reviewed import exclude, flag, settle, take_turns
from tests.factories import judge, leased, person


@situation("draft")
def _draft(world: World) -> Campaign:
    return world.study(is_open=False, budget=Decimal(3))


@situation("invite")
def _invite(world: World) -> Campaign:
    return world.study()


@situation("experts")
def _experts(world: World) -> Campaign:
    """Two experts: one has judged everything, and the other stopped before that."""
    made = world.study(experts=("Ann Lee", "Bob Ray"), double_share=1.0)
    take_turns([person(made, "Ann Lee")], 12)
    take_turns([person(made, "Bob Ray")], 4)
    world.clock.move(minutes=20)
    return settle(made)


@situation("expert_out")
def _expert_out(world: World) -> Campaign:
    made = _experts(world)
    exclude(made.participations.get(annotator__external_id="Bob Ray"), world.owner)
    return settle(made)


@situation("experts-none-came")
def _no_experts(world: World) -> Campaign:
    return world.study(experts=("Ann Lee", "Bob Ray"), double_share=1.0)


@situation("experts-replaced")
def _replaced(world: World) -> Campaign:
    """All who came have judged everything, and the new one has not come."""
    made = world.study(experts=("Ann Lee", "Bob Ray"), double_share=1.0)
    for name in ("Ann Lee", "Bob Ray"):
        take_turns([person(made, name)], 11)
    release(made, "Bob Ray", "Dora Mai")
    take_turns([person(made, "Ann Lee")], 1)
    return settle(made)


@situation("experts-closing")
def _experts_closing(world: World) -> Campaign:
    made = _experts(world)
    life.close(made.pk, Campaign.Reason.HAND)
    return settle(made)


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


@situation("off_scale")
def _off_scale(world: World) -> Campaign:
    return wrong(world.owner)


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
    tutorial.begin(person(made, "learner").pk)
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


@situation("out_of_reach")
def _out_of_reach(world: World) -> Campaign:
    made = world.study(items=40, double_share=0.25, targets={"overall": 0.1})
    take_turns([person(made, f"p{i}") for i in range(6)], 42)
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
    life.reopen(made.pk, actor_id=world.owner.pk, why="By mistake.")
    return made


@situation("paused")
def _paused(world: World) -> Campaign:
    made = world.study()
    judge(person(made, "a"))
    settle(made)
    life.pause(made.pk)
    return made


@situation("wait-after-a-return")
def _returned(world: World) -> Campaign:
    """A text that was given back is free for everybody else, and for nobody twice."""
    made = world.study(items=3)
    who = person(made, "a")
    leasing.give_back(leased(who).pk, participation_id=who.pk)
    return settle(made)
