"""A campaign with somebody whom a screen has flagged, as reviewers meet it."""

import json
import random
from dataclasses import asdict, replace
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotate.common import tokens
from annotate.models import (
    Annotator,
    Appeal,
    Assignment,
    Campaign,
    Flag,
    Judgment,
    Membership,
    Participation,
    Review,
    Ruling,
    Screening,
)
from annotate.review import evidence, reviews, rulings
from annotate.review import queries as review_queries
from annotate.screening.base import Verdict
from annotate.work import scoring, submitting
from tests import remembered
from tests.factories import campaign, leased, person, rows, user

EDIT = "The council of the district met on Monday, as it is told."
# Long enough for the screen of reading time.
REST = (
    "Its members spoke about the old bridge, the new timetable of the ferry and the roof of the "
    "library, and they will meet again in three weeks."
)


def fired(screen: str = "too_fast") -> Verdict:
    return Verdict(
        screen,
        0,
        True,
        0.4,
        None,
        0.7,
        1.0,
        6,
        True,
        {"seconds": 3.0, "others_seconds": 41.0, "share_of_others": 0.07},
    )


def study(owner: User, **changes: Any) -> Campaign:
    """An open campaign in which six people have judged four outputs each."""
    return remembered.again(_study, owner, **changes)


def _study(owner: User, *, items: int = 30, **changes: Any) -> Campaign:
    written = [replace(row, output=f"{row.output} {REST}") for row in rows(items)]
    made = campaign(owner=owner, rows_=written, targets={"overall": 0.01}, **changes)
    for i, name in enumerate("abcdef"):
        for j in range(4):
            poor = (i + j) % 3 == 0
            _judge(person(made, name), 40.0 + 7 * i + 3 * j, **_answer(poor))
    return made


def spammer(made: Campaign, name: str = "spammer", n: int = 6) -> Participation:
    """Somebody fast who finds everything perfect; half of their outputs others have judged."""
    who = person(made, name)
    for k in range(n):
        _judge(who, 3.0 + k / 10)
    scoring.ensure(made.pk)
    return who


def shared(who: Participation) -> Participation:
    """Let another one work on until two of their outputs have a second judge."""
    mine = Judgment.objects.filter(annotator=who.annotator_id).values("output")
    others = Judgment.objects.filter(output__in=mine).exclude(annotator=who.annotator_id)
    for _task in range(12):
        if others.count() == 2:
            break
        _judge(person(who.campaign, "a"), 40.0, **_answer(poor=True))
    return who


def waiting(user_id: int) -> list[review_queries.Case]:
    """Everybody who waits for a ruling of this person, in turn."""
    left = review_queries.left_to_others(user_id)
    return review_queries.queue_page(user_id, review_queries.asked({}, size=1000), left)[1]


def flagged(who: Participation, *screens: str) -> Review:
    reviews.flag(who.campaign_id, who.annotator_id, [fired(s) for s in screens or ("too_fast",)])
    return Review.objects.get(campaign=who.campaign_id, annotator=who.annotator_id)


def rule(review: Review, actor: User, *acts: Ruling.Act, reason: str = "Fast.") -> list[Ruling]:
    """Rule as somebody who has seen the last ruling."""
    last = review.rulings.order_by("-pk").first()
    return rulings.rule(
        review.pk, acts, actor_id=actor.pk, reason=reason, seen=last.pk if last else 0
    )


def joined(made: Campaign, name: str = "eve", role: str = Membership.Role.REVIEWER) -> User:
    """Let somebody be a reviewer of this campaign."""
    member = User.objects.filter(username=name).first() or user(name)
    Membership.objects.create(campaign=made, user=member, role=role)
    return member


def logged_in(who: User) -> Client:
    client = Client()
    client.force_login(who)
    return client


def at(review: Review, part: str = "") -> str:
    """Return the address of the case, or of what is sent from its page."""
    name = f"annotate:review{'-' + part if part else ''}"
    return reverse(name, args=[review.campaign.public_id, review.annotator.pseudonym])


def text(answer: Any) -> str:
    return " ".join(answer.content.decode().split())


def own_page(who: Participation | Review) -> str:
    """Return what somebody reads on their own page; of a review, whom it is about."""
    if isinstance(who, Review):
        who = Participation.objects.get(campaign=who.campaign_id, annotator=who.annotator_id)
    return text(Client().get(reverse("annotate:me", args=[tokens.participation_token(who.pk)])))


def appeal(who: Participation, said: Any = "I read fast.", token: str = "") -> Any:
    """Appeal as the own page does."""
    token = token or tokens.participation_token(who.pk)
    return Client().post(
        reverse("annotate:appeal"),
        json.dumps({"text": said}),
        content_type="application/json",
        headers={"Authorization": f"Bearer {token}"},
    )


def screened(made: Campaign) -> None:
    """Keep what the screens say now, for reviewers, without flagging anybody."""
    state, columns = evidence.state(made.pk), evidence.columns(made)
    assert columns is not None
    Campaign.objects.filter(pk=made.pk).update(screened=state)
    Screening.objects.filter(campaign=made).delete()
    assert reviews.keep(made.pk, state, columns, reviews.verdicts_of(made, columns))
    made.refresh_from_db()


def case(owner: User, **changes: Any) -> Review:
    """Such a campaign with somebody flagged in it."""
    return remembered.again(_case, owner, **changes)


def _case(owner: User, **changes: Any) -> Review:
    found = flagged(shared(spammer(_study(owner, **changes))))
    screened(found.campaign)
    return found


def _answer(poor: bool) -> dict[str, Any]:
    return {"overall": -1, "redundancy": 0, "edit": EDIT} if poor else {}


def _judge(who: Participation, seconds: float, **answer: Any) -> Judgment:
    began = timezone.now() - timedelta(minutes=5)
    assignment = leased(who)
    Assignment.objects.filter(pk=assignment.pk).update(leased_at=began, started_at=began)
    raw = {"fluency": 1, "redundancy": 1, "overall": 1, "edit": None} | answer
    receipt = submitting.submit_judgment(
        assignment.pk, participation_id=who.pk, raw=raw, active_seconds=seconds
    )
    return Judgment.objects.get(pk=receipt.judgment_id)


def queue(made: Campaign, n: int, *, seed: int = 0, ruled: float = 0.2) -> None:
    """Add n reviews; many are as old as each other, so their order needs more than the time."""
    choose, now = random.Random(seed), timezone.now()
    people = Annotator.objects.bulk_create(
        Annotator(crowd="link", external_id=f"{made.pk}-{seed}-{i}") for i in range(n)
    )
    Participation.objects.bulk_create(
        Participation(campaign=made, annotator=one, verified_at=now) for one in people
    )
    rows = Review.objects.bulk_create(
        Review(
            campaign=made,
            annotator=one,
            status="cleared" if choose.random() < ruled else "open",
            opened_at=now - timedelta(hours=choose.randrange(5)),
        )
        for one in people
    )
    Review.objects.filter(campaign=made, status="cleared").update(ruled_at=now)
    Flag.objects.bulk_create(
        Flag(review=row, screen="too_fast", verdict=asdict(fired()), at=now) for row in rows
    )
    Appeal.objects.bulk_create(
        Appeal(
            review=row, text="Look.", made_at=now, due_at=now + timedelta(days=choose.randrange(3))
        )
        for row in rows
        if choose.random() < 0.3
    )
