"""Campaigns with reviews and rulings, for tests of what they do to numbers."""

from typing import Any

from django.contrib.auth.models import User

from annotate.models import Campaign, Participation, Review, Ruling
from annotate.review import reviews, rulings
from annotate.screening.base import Verdict
from annotate.work import admission, leasing, submitting
from estimation import deferred, refresh

LEVELS = (1, 0, 1, -1, 1, 0)


def respond(index: int, **changes: Any) -> dict[str, Any]:
    level = LEVELS[index % len(LEVELS)]
    edit = None if level == 1 else f"A better text, number {index}, about the council and its work."
    return {"fluency": level, "redundancy": level, "overall": level, "edit": edit, **changes}


def take_turns(people: list[Participation], n: int, **changes: Any) -> int:
    """Let people judge in turn; return how many judgments they gave."""
    given = 0
    for index in range(n):
        who = people[index % len(people)]
        got = leasing.lease(who.pk)
        if isinstance(got, admission.NoTask):
            continue
        submitting.submit_judgment(got.pk, participation_id=who.pk, raw=respond(index, **changes))
        given += 1
    return given


def settle(made: Campaign) -> Campaign:
    """Estimate until nothing changes any more, then do what is measured after that."""
    for _round in range(10):
        if not refresh.refresh(made.pk):
            deferred.MEASURING.carry_out(made.pk)
            deferred.FORECASTING.carry_out(made.pk)
            deferred.LOOKING.carry_out(made.pk)
            made.refresh_from_db()
            return made
    raise AssertionError("the estimates never settle")


def flag(who: Participation, *screens: str) -> Review:
    fired = [
        Verdict(screen, 0, True, 3.0, None, None, 10.0, 6, True)
        for screen in screens or ("too_fast",)
    ]
    reviews.flag(who.campaign_id, who.annotator_id, fired)
    return Review.objects.get(campaign=who.campaign_id, annotator=who.annotator_id)


def by_hand(who: Participation, actor: User) -> Review:
    pk = reviews.open_by_hand(who.campaign_id, who.annotator_id, actor_id=actor.pk)
    return Review.objects.get(pk=pk)


def rule(review: Review, actor: User, *acts: Ruling.Act) -> None:
    last = review.rulings.order_by("-pk").first()
    rulings.rule(
        review.pk, acts, actor_id=actor.pk, reason="Copied answers.", seen=last.pk if last else 0
    )


def exclude(who: Participation, actor: User, *screens: str) -> Review:
    """Exclude somebody's work, flagged by these screens or by hand without any."""
    review = flag(who, *screens) if screens else by_hand(who, actor)
    rule(review, actor, Ruling.Act.EXCLUDE)
    return review
