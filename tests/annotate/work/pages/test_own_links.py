"""An annotator's links live until rulings, appeals and pay are final, and 30 days more."""

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal

import pytest
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotate.campaigns import life
from annotate.common import tokens
from annotate.models import (
    Appeal,
    Campaign,
    LedgerEntry,
    Participation,
    Payout,
    Review,
    Ruling,
    TutorialRun,
)
from annotate.review import appeals, rulings
from tests.annotate.work.pages.working import call, invitation, later, work_url
from tests.factories import campaign, judge, leased, person, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

LONG_AGO = timedelta(days=100)


@pytest.fixture
def ada() -> User:
    return user()


@pytest.fixture
def who(ada: User) -> Participation:
    """Somebody with one judgment, whose campaign was closed 100 days ago and has paid them."""
    made = campaign(owner=ada)
    worker = person(made)
    judge(worker)
    pay(worker)
    life.close(made.pk, reason="by_hand", actor_id=ada.pk)
    life.finish(made.pk)
    back_then()
    return worker


def back_then() -> None:
    """Everything that has happened was 100 days ago."""
    then = timezone.now() - LONG_AGO
    Campaign.objects.update(closed_at=then)
    QuerySet(LedgerEntry).update(at=then)
    QuerySet(Payout).update(at=then)


def pay(who: Participation, amount: str = "0.40") -> None:
    Payout.objects.create(participation=who, amount=Decimal(amount), key=f"test:{amount}")


def old_page(who: Participation, days: int = 40) -> str:
    with later(-days):
        return reverse("annotate:me", args=[tokens.participation_token(who.pk)])


def status(client: Client, who: Participation) -> int:
    return client.get(old_page(who)).status_code


def unpaid(who: Participation) -> None:
    pay(who, "-0.40")
    back_then()


def promised(who: Participation) -> None:
    TutorialRun.objects.create(
        annotator=who.annotator,
        participation=who,
        instrument="language_quality",
        version="1",
        started_at=timezone.now(),
        passed_at=timezone.now(),
        promised=Decimal("0.75"),
    )


def waiting(who: Participation) -> None:
    Review.objects.create(
        campaign=who.campaign,
        annotator=who.annotator,
        status=Review.Status.OPEN,
        opened_at=timezone.now() - LONG_AGO,
    )


def ruled(who: Participation, *acts: Ruling.Act) -> Review:
    actor = User.objects.get()
    rulings.rule_on_person(
        who.campaign_id, who.annotator_id, acts, actor_id=actor.pk, reason="So it is.", seen=0
    )
    return Review.objects.get()


def excluded(who: Participation) -> None:
    ruled(who, Ruling.Act.EXCLUDE)


def blocked(who: Participation) -> None:
    """They may appeal as long as the block lasts."""
    ruled(who, Ruling.Act.EXCLUDE, Ruling.Act.BLOCK)
    Review.objects.update(opened_at=timezone.now() - LONG_AGO)
    QuerySet(Ruling).update(at=timezone.now() - LONG_AGO)


def appealed(who: Participation) -> None:
    blocked(who)
    appeals.make(who.campaign_id, who.annotator_id, text="I read fast.")
    Appeal.objects.update(made_at=timezone.now() - LONG_AGO + timedelta(days=1))


def answered(who: Participation) -> None:
    appealed(who)
    review = Review.objects.get()
    appeals.dismiss(review.pk, actor_id=User.objects.get().pk, answer="It stays so.")


def reopened(who: Participation) -> None:
    Campaign.objects.update(closed_at=None)


def test_30_days_after_all_is_final_a_link_ends(client: Client, who: Participation) -> None:
    answer = client.get(old_page(who))
    assert answer.status_code == 410
    assert "This link has expired" in answer.content.decode()
    Campaign.objects.update(closed_at=timezone.now() - timedelta(days=29))
    assert status(client, who) == 200
    assert client.get(old_page(who, days=1)).status_code == 200


@pytest.mark.parametrize(
    "happens", [unpaid, promised, waiting, excluded, blocked, appealed, answered, reopened]
)
def test_a_link_lives_while_something_can_come(
    client: Client, who: Participation, happens: Callable[[Participation], None]
) -> None:
    happens(who)
    assert status(client, who) == 200


def test_the_end_follows_the_answer_of_an_appeal(client: Client, who: Participation) -> None:
    answered(who)
    Appeal.objects.update(answered_at=timezone.now() - timedelta(days=31))
    QuerySet(Ruling).update(at=timezone.now() - LONG_AGO)
    assert status(client, who) == 410


def test_work_goes_on_by_a_link_of_last_year(client: Client) -> None:
    worker = person(campaign())
    with later(-300):
        token, page = tokens.participation_token(worker.pk), work_url(worker)
    assert client.get(page).status_code == 200
    answer = call(client, worker, "heartbeat", assignment=leased(worker).pk, token=token)
    assert answer.status_code == 200


def test_a_personal_invitation_leads_to_the_own_page_after_the_end(
    client: Client, who: Participation
) -> None:
    personal = invitation(who.campaign, who.annotator.external_id)
    assert client.get(personal).status_code == 410
    unpaid(who)
    assert "Your work and pay" in client.get(personal, follow=True).content.decode()
    assert client.get(invitation(who.campaign, "another")).status_code == 410
