"""What a researcher is told after a pause or a reopening, and about what waits for them."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotate.campaigns import progress
from annotate.crowds import batches, outbox
from annotate.crowds.contract import Audience, Terms
from annotate.crowds.views import BatchForm
from annotate.models import Campaign, Membership, Participation, Review
from tests.crowds.batches.launching import came, launched
from tests.crowds.researcher import at, said
from tests.crowds.scripted import NO_MONEY, Scripted
from tests.factories import user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


def dashboard(client: Client, made: Campaign) -> Any:
    return client.get(reverse("estimation:dashboard", args=[made.public_id]))


def act(client: Client, made: Campaign, verb: str, **fields: str) -> Any:
    return client.post(reverse("annotate:act", args=[made.public_id, verb]), fields, follow=True)


def test_after_a_pause_one_is_led_to_another_batch(ada: Client, mine: Campaign) -> None:
    launched(mine, places=9)
    outbox.carry_out_due()
    paused = act(ada, mine, "pause")
    assert "its batches are stopped for good" in said(paused)[0]
    assert "launch another batch" in paused.context["board"].advice.text
    assert "After it is resumed, launch another batch" in ada.get(at(mine)).content.decode()

    opened = act(ada, mine, "open")  # the crowd was not told yet
    missing = progress.free(mine.pk).count()
    advice = opened.context["board"].advice
    assert (advice.title, advice.act) == ("Launch another batch", "launch")
    assert f"{missing} judgments are still missing" in advice.text
    outbox.carry_out_due()
    page = ada.get(at(mine)).content.decode()
    assert "No work is offered at the moment" in page
    assert f"{missing} judgments are still missing" in page
    form = ada.get(at(mine, "batch-new")).context["form"]
    assert form["places"].value() == -(-missing // form["tasks"].value())


def test_another_batch_starts_from_the_terms_of_the_last(ada: Client, mine: Campaign) -> None:
    terms = Terms(
        "Rate roads",
        "Read about roads.",
        ("roads", "news"),
        tasks=3,
        minutes=4.5,
        duration=timedelta(minutes=45),
        lifetime=timedelta(days=2),
        approve_after=timedelta(hours=6),
        auto_approval=timedelta(days=3),
        audience=Audience(countries=("US", "GB"), approved_work=7),
    )
    launched(mine, places=4, terms=terms)
    page = ada.get(at(mine, "batch-new"))
    assert "The form repeats the last batch" in page.content.decode()
    form = page.context["form"]
    again = BatchForm({**form.initial, "approval_rate": ""}, crowd="mturk")
    assert again.is_valid(), again.errors
    assert again.terms() == terms
    assert form["places"].value() == batches.suggested_places(mine.pk, 3)


@pytest.mark.slow
@pytest.mark.parametrize("why", ["review", "doubt"])
def test_what_the_crowd_is_about_to_pay_by_itself_is_told_in_time(
    ada: Client, mine: Campaign, why: str
) -> None:
    unit = came(launched(mine, places=4).postings.all()[0], "A1", "confirmed")
    told = ("is about to be paid", "before the crowd pays")  # among others, or as the next act

    def due(**later: float) -> list[bool]:
        at_ = timezone.now() + timedelta(**later)
        Participation.objects.filter(pk=unit.pk).update(
            auto_approval_at=at_, problem="Too little." if why == "doubt" else ""
        )
        pages = (dashboard(ada, mine), ada.get(at(mine)))
        return [any(words in page.content.decode() for words in told) for page in pages]

    if why == "review":
        assert due(hours=1) == [False, False]  # nobody doubts it
        Review.objects.create(
            campaign=mine, annotator=unit.annotator, status="open", opened_at=timezone.now()
        )
    assert due(hours=1) == [True, True]
    assert due(days=3) == [False, False]
    Participation.objects.filter(pk=unit.pk).update(status="approved")
    assert due(hours=1) == [False, False]


def test_what_waits_for_a_person_is_on_the_dashboard(
    ada: Client, mine: Campaign, scripted: Scripted
) -> None:
    assert "wait for your decision" not in dashboard(ada, mine).content.decode()
    scripted.will("publish", NO_MONEY)
    posting = launched(mine, places=14).postings.all()[0]
    outbox.carry_out_due()
    for name in ("A1", "A2"):
        unit = came(posting, name, "confirmed")
        Participation.objects.filter(pk=unit.pk).update(
            problem="It was handed in after 1 of 2 tasks.", submitted_at=timezone.now()
        )
    answer = dashboard(ada, mine)
    page = answer.content.decode()
    assert answer.context["board"].advice.key == "unfunded"
    assert "2 submissions wait for your decision" in page
    assert "1 operation" in page
    assert f'href="{at(mine)}">Decide' in page

    eve = user("eve")
    Membership.objects.create(campaign=mine, user=eve, role=Membership.Role.REVIEWER)
    ada.force_login(User.objects.get(username="eve"))
    assert "wait for your decision" not in dashboard(ada, mine).content.decode()
