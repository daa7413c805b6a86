"""The moment before a paid unit is handed in, in which its last text can be corrected."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db.models import Sum
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotate.campaigns import life
from annotate.common import tokens
from annotate.models import Judgment, LedgerEntry, Participation
from annotate.models.base import CloseReason
from annotate.work import leasing
from tests.annotate.market import arrive, posting, study
from tests.annotate.work.pages.test_correct_pages import SLIP
from tests.annotate.work.pages.working import JUDGED, call, submit, work_data, work_url
from tests.annotate.work.test_correcting import ago
from tests.factories import judge, leased
from tests.reviewed import flagged

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

Unit = Participation.Status
NOW = "?hand-in"


@pytest.fixture
def who(client: Client) -> Participation:
    """Somebody who has just done both tasks of a unit."""
    found = arrive(posting(tasks=2))
    judge(found)
    submit(client, found)
    return found


def state(who: Participation) -> str:
    who.refresh_from_db()
    return who.status


def shown(client: Client, who: Participation, query: str = "") -> str:
    return client.get(work_url(who) + query).content.decode()


def correcting(who: Participation) -> str:
    return reverse("annotate:correct", args=[tokens.participation_token(who.pk)])


def correct(client: Client, who: Participation, data: Any = None) -> Any:
    """Send another answer from a page of the correction, opened now unless `data` is its data."""
    data = data or work_data(client, correcting(who))
    body = JUDGED | {"response": SLIP, "after": data["correcting"]["after"]}
    return call(client, who, "correct", body, assignment=data["assignment"]["id"])


def paid(who: Participation) -> Decimal:
    rows = LedgerEntry.objects.filter(participation=who)
    return rows.aggregate(sum=Sum("amount"))["sum"] or Decimal(0)


def test_after_the_last_text_it_waits_and_offers_both(client: Client, who: Participation) -> None:
    page = shown(client, who)
    assert "Your work is saved, but not handed in yet." in page
    assert 'id="hand-in-now"' in page
    assert 'href="correct/" id="correct"' in page
    assert 'id="hand-in"' not in page, "nothing to send yet"
    assert 15 < work_data(client, work_url(who))["wait"] <= 20
    assert state(who) == Unit.ACTIVE


def test_who_does_not_wait_hands_in_at_once(client: Client, who: Participation) -> None:
    page = shown(client, who, NOW)
    assert 'id="hand-in" data-by-itself' in page
    assert state(who) == Unit.HANDED_IN
    assert "data-by-itself" not in shown(client, who, NOW), "by itself it goes once"


@pytest.mark.parametrize(
    "late",
    [timedelta(seconds=20), timedelta(minutes=4), timedelta(hours=3)],
    ids=["when the wait is over", "later", "hours later"],
)
def test_whoever_comes_later_hands_in_at_once(
    client: Client, who: Participation, late: timedelta
) -> None:
    ago(who, late)
    assert 'id="hand-in" data-by-itself' in shown(client, who)
    assert state(who) == Unit.HANDED_IN


def test_the_last_text_is_corrected_and_the_work_handed_in_and_paid_once(
    client: Client, who: Participation
) -> None:
    before = paid(who)
    shown(client, who)
    answer = correct(client, who)
    assert answer.status_code == 200
    assert state(who) == Unit.ACTIVE
    assert paid(who) == before
    ago(who, timedelta(seconds=40))  # a correction takes its time
    assert "data-by-itself" in client.get(answer.json()["next"]).content.decode()
    assert state(who) == Unit.HANDED_IN
    assert paid(who) == before == Decimal("0.80")
    later = Judgment.objects.filter(assignment__participation=who).latest("pk")
    assert later.supersedes_id is not None
    assert later.response["fluency"] == 0
    assert Judgment.objects.filter(assignment__participation=who).count() == 2


def test_the_page_of_the_correction_ends_with_the_time_for_it(
    client: Client, who: Participation
) -> None:
    data = work_data(client, correcting(who))
    assert 290 < data["correcting"]["seconds"] <= 300
    page = client.get(correcting(who)).content.decode()
    assert "Your work is handed in after that, or in 5 minutes at the latest." in page


def test_between_two_tasks_nothing_is_handed_in_for_a_correction(client: Client) -> None:
    who = arrive(posting(tasks=2))
    judge(who)
    leased(who)
    assert "seconds" not in work_data(client, correcting(who))["correcting"]
    assert "handed in" not in client.get(correcting(who)).content.decode()


def test_a_correction_after_the_hand_in_is_refused(client: Client, who: Participation) -> None:
    data = work_data(client, correcting(who))
    shown(client, who, NOW)
    sent = correct(client, who, data)
    assert sent.status_code == 410
    assert Judgment.every.filter(assignment__participation=who).count() == 2


def test_it_ends_before_the_time_of_the_unit(client: Client, who: Participation) -> None:
    end = timezone.now() + timedelta(seconds=70)
    Participation.objects.filter(pk=who.pk).update(deadline_at=end)
    assert work_data(client, work_url(who))["wait"] <= 10
    assert work_data(client, correcting(who))["correcting"]["seconds"] <= 10
    Participation.objects.filter(pk=who.pk).update(deadline_at=end - timedelta(seconds=11))
    assert "data-by-itself" in shown(client, who)


def no_corrections(_who: Participation, settings: Any) -> None:
    settings.CORRECTION = timedelta(0)


def no_wait(_who: Participation, settings: Any) -> None:
    settings.HAND_IN_WAIT = timedelta(0)


def under_review(who: Participation, _settings: Any) -> None:
    flagged(who)


def ended(who: Participation, _settings: Any) -> None:
    life.close(who.campaign_id, CloseReason.TARGET)
    life.finish(who.campaign_id)


@pytest.mark.parametrize("happens", [no_corrections, no_wait, under_review, ended])
def test_where_the_last_text_is_not_corrected_nothing_waits(
    client: Client, who: Participation, settings: Any, happens: Any
) -> None:
    happens(who, settings)
    assert "not handed in yet" not in shown(client, who)
    assert state(who) == Unit.HANDED_IN


def test_a_task_that_comes_free_meanwhile_goes_first(client: Client) -> None:
    made = study(items=2, systems=("alpha",))
    to = posting(made, tasks=2)
    other = arrive(to, "AW2", "U2")
    held = leased(other)
    who = arrive(to)
    judge(who)
    assert "not handed in yet" in shown(client, who), "nothing else is free"
    leasing.give_back(held.pk, participation_id=other.pk)
    assert client.get(work_url(who) + NOW, follow=True).status_code == 200
    assert state(who) == Unit.ACTIVE
    assert work_data(client, work_url(who))["assignment"] is not None
