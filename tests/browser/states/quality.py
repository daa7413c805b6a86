"""What researchers see of quality control among the numbers of a campaign."""

from typing import Any

from django.contrib.auth.models import User

from annotate.campaigns import life
from annotate.models import Campaign
from annotate.work import submitting
from tests.browser.states import Visitor, state
from tests.browser.states.researcher import dashboard, logged_in
from tests.estimation.reviewed import exclude, flag, respond, settle, take_turns
from tests.factories import campaign, judge, leased, person

PEOPLE = 8


def study(owner: User, **changes: Any) -> Campaign:
    settings = {
        "items": 60,
        "systems": ("pointer",),
        "targets": {"overall": 1.6},
        "double_share": 0,
        "name": "News in short, autumn",
    }
    return campaign(owner=owner, **(settings | changes))


def at_work(made: Campaign, n: int) -> Campaign:
    take_turns([person(made, f"p{i}") for i in range(PEOPLE)], n)
    return settle(made)


def twice(owner: User) -> Campaign:
    """People who mostly agree, on outputs that are all judged twice."""
    made = study(owner, double_share=1.0, targets={"overall": 0.05})
    for index in range(56):
        who = person(made, f"p{index % PEOPLE}")
        got = leased(who)
        kind = index if index % 12 == 0 else got.output_id
        submitting.submit_judgment(got.pk, participation_id=who.pk, raw=respond(kind))
    return settle(made)


@state("researcher/agreement")
def _agreement(visitor: Visitor) -> None:
    page = dashboard(visitor, twice(logged_in(visitor)))
    page.get_by_text("Without each annotator").click()


@state("researcher/agreement-none")
def _no_agreement(visitor: Visitor) -> None:
    dashboard(visitor, at_work(study(logged_in(visitor), targets={"overall": 0.05}), 12))


@state("researcher/exclusions")
def _exclusions(visitor: Visitor) -> None:
    owner = logged_in(visitor)
    made = twice(owner)
    exclude(person(made, "p0"), owner, "too_fast", "no_variation")
    exclude(person(made, "p1"), owner)
    settle(made)
    dashboard(visitor, made)


@state("researcher/exclusions-move")
def _moved(visitor: Visitor) -> None:
    owner = logged_in(visitor)
    made = study(owner, targets={"overall": 0.05})
    for i in range(36):
        judge(person(made, f"p{i % 6}"), overall=-1, edit="It met on Monday, they say.")
    for _ in range(20):
        judge(person(made, "spammer"))
    exclude(person(made, "spammer"), owner, "no_variation")
    settle(made)
    dashboard(visitor, made)


@state("researcher/exclusions-widened")
def _widened(visitor: Visitor) -> None:
    owner = logged_in(visitor)
    made = at_work(study(owner), 40)
    for i in range(6):
        exclude(person(made, f"p{i}"), owner, "too_fast")
    settle(made)
    dashboard(visitor, made).locator("#widened").wait_for()


@state("researcher/closing-reviews")
def _reviews(visitor: Visitor) -> None:
    made = study(logged_in(visitor))
    cast = [person(made, f"p{i}") for i in range(PEOPLE)]
    take_turns(cast, 40)
    flag(cast[0])
    flag(cast[1])
    settle(made)
    dashboard(visitor, made).get_by_text("2 annotators wait for a review").wait_for()


@state("researcher/closing-nobody")
def _nobody(visitor: Visitor) -> None:
    made = study(logged_in(visitor), items=4, double_share=1.0, targets={"overall": 0.01})
    take_turns([person(made, "p0")], 4)
    life.close(made.pk, Campaign.Reason.HAND)
    settle(made)
    dashboard(visitor, made).get_by_text("by no one who has entered").wait_for()
