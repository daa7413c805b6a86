"""The researcher's pages of batches: what is shown, launched, extended, stopped and answered."""

from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotate.campaigns import exports, life
from annotate.common import audit
from annotate.common.marks import posting_changed
from annotate.crowds import outbox
from annotate.crowds import views as crowds_views
from annotate.models import (
    Batch,
    Campaign,
    Membership,
    Operation,
    Participation,
    Posting,
    Review,
)
from annotate.models.crowds import StopPayload
from annotate.pay import budget
from tests.crowds import operations
from tests.crowds.batches.launching import came, launched
from tests.crowds.researcher import at, hidden, said
from tests.crowds.scripted import NO_MONEY, Scripted
from tests.factories import campaign, person, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


# ---------------------------------------------------------------- the list


def test_campaigns_by_link_lead_to_their_links(ada: Client) -> None:
    made = campaign(owner=User.objects.get())
    page = ada.get(at(made)).content.decode()
    assert reverse("annotate:people", args=[made.public_id]) in page
    assert ada.get(at(made, "batch-new")).headers["Location"] == at(made)


def test_without_a_batch_it_says_what_to_do(ada: Client, mine: Campaign) -> None:
    page = ada.get(at(mine)).content.decode()
    assert "Nothing is published yet" in page
    assert "Sandbox: no real money" in page
    assert at(mine, "batch-new") in page
    life.pause(mine.pk)
    assert "open it first" in ada.get(at(mine)).content.decode()


def test_the_real_world_is_marked(ada: Client, mine: Campaign, scripted: Scripted) -> None:
    scripted.environment = "production"
    assert "Production: real people, real money" in ada.get(at(mine)).content.decode()
    scripted.environment = "localhost:8123"
    assert "localhost:8123: not Amazon Mechanical Turk itself" in ada.get(at(mine)).content.decode()


def test_reviewers_see_work_but_neither_money_nor_acts(ada: Client, mine: Campaign) -> None:
    batch = launched(mine)
    bea = user("bea")
    Membership.objects.create(campaign=mine, user=bea, role="reviewer")
    ada.force_login(bea)
    page = ada.get(at(mine)).content.decode()
    assert "Confirmed" in page
    assert "$" not in page
    assert "<form" not in page[page.index("<main") :]
    for name, more in (
        ("batch-new", ()),
        ("batch-stop", (batch.public_id,)),
        ("batch-extend", (batch.public_id,)),
    ):
        assert ada.get(at(mine, name, *more)).status_code == 403
    assert ada.post(at(mine, "batches-look")).status_code == 403
    op = Operation.objects.first()
    assert ada.post(at(mine, "batch-operation", op.pk, "drop")).status_code == 403


def test_the_page_refreshes_only_what_has_changed(ada: Client, mine: Campaign) -> None:
    launched(mine)
    page = ada.get(at(mine))
    have = page.context["fingerprint"]
    assert ada.get(at(mine, "batches-now"), {"have": have}).status_code == 204
    outbox.carry_out_due()
    now = ada.get(at(mine, "batches-now"), {"have": have})
    assert now.status_code == 200
    assert "<html" not in now.content.decode()
    Posting.objects.update(status="closed")
    assert ada.get(at(mine, "batches-now")).status_code == 286


def test_the_queries_do_not_grow(
    ada: Client, mine: Campaign, django_assert_max_num_queries: Any
) -> None:
    launched(mine, places=9, key="a")
    outbox.carry_out_due()
    with django_assert_max_num_queries(23) as first:
        ada.get(at(mine))
    for n in range(3):
        batch = launched(mine, places=10, key=f"k{n}")
        came(batch.postings.all()[0], f"p{n}")
    outbox.carry_out_due()
    with django_assert_max_num_queries(len(first)):
        ada.get(at(mine))


# ---------------------------------------------------------------- stop, extend, look


def test_stopping_asks_first(ada: Client, mine: Campaign) -> None:
    batch = launched(mine)
    outbox.carry_out_due()
    page = ada.get(at(mine, "batch-stop", batch.public_id))
    assert "People who have just accepted may finish" in page.content.decode()
    assert not Batch.objects.exclude(stopped_at=None).exists()
    first = ada.post(at(mine, "batch-stop", batch.public_id), follow=True)
    again = ada.post(at(mine, "batch-stop", batch.public_id), follow=True)
    assert ("being stopped" in said(first)[0], "already" in said(again)[0]) == (True, True)
    assert Operation.objects.filter(kind="stop").count() == batch.postings.count()


def test_a_batch_of_another_campaign_is_not_there(ada: Client, mine: Campaign) -> None:
    other = campaign(crowd="mturk", reward=Decimal("0.50"))
    batch = launched(other, places=5)
    op = Operation.objects.get(batch=batch, posting=batch.postings.first())
    for name in ("batch-stop", "batch-extend"):
        assert ada.post(at(mine, name, batch.public_id)).status_code == 404
    assert ada.post(at(mine, "batch-operation", op.pk, "drop")).status_code == 404


def test_extending_shows_the_cost_then_asks_once(ada: Client, mine: Campaign) -> None:
    batch = launched(mine, places=4)
    outbox.carry_out_due()
    address = at(mine, "batch-extend", batch.public_id)
    start = ada.get(address).context["form"].initial
    sent = {**start, "places": 3, "act": "offer"}
    shown = ada.post(address, sent)
    assert "Extend in the sandbox for $3.60" in shown.content.decode()
    sent |= {"act": "extend", "confirmed": hidden(shown, "confirmed")}
    for _ in range(2):
        ada.post(address, sent)
    batch.refresh_from_db()
    assert batch.places == 7
    wrong = ada.post(address, {**sent, "places": 5})
    assert (wrong.status_code, "$6.00 now" in wrong.content.decode()) == (409, True)


def test_extending_takes_a_tick_where_it_is_real(
    ada: Client, mine: Campaign, scripted: Scripted
) -> None:
    scripted.environment = "production"
    batch = launched(mine, places=4)
    address = at(mine, "batch-extend", batch.public_id)
    sent = {"key": "k", "places": 3, "act": "extend", "confirmed": "3.60"}
    assert ada.post(address, sent).status_code == 422
    ada.post(address, {**sent, "sure": "on"})
    batch.refresh_from_db()
    assert batch.places == 7


def test_looking_asks_a_worker_for_each_posting(
    ada: Client, mine: Campaign, django_capture_on_commit_callbacks: Any
) -> None:
    batch = launched(mine, places=14)
    asked: list[int] = []

    def listen(sender: object, *, posting_id: int, **_signal: object) -> None:
        asked.append(posting_id)

    posting_changed.connect(listen)
    with django_capture_on_commit_callbacks(execute=True):
        assert "Nothing is published" in said(ada.post(at(mine, "batches-look"), follow=True))[0]
    outbox.carry_out_due()
    with django_capture_on_commit_callbacks(execute=True):
        answer = ada.post(at(mine, "batches-look"), follow=True)
    posting_changed.disconnect(listen)
    assert "being asked" in said(answer)[0]
    assert sorted(asked) == sorted(batch.postings.values_list("pk", flat=True))


# ---------------------------------------------------------------- what needs a person


def test_what_was_refused_is_told_and_tried_again(
    ada: Client, mine: Campaign, scripted: Scripted
) -> None:
    scripted.will("publish", NO_MONEY)
    launched(mine, places=4)
    outbox.carry_out_due()
    page = ada.get(at(mine)).content.decode()
    assert "1 thing waits for you" in page
    assert "Publish 4 places" in page
    assert "Top up the account" in page
    op = Operation.objects.get()
    answer = ada.post(at(mine, "batch-operation", op.pk, "retry"), follow=True)
    assert "tried again" in said(answer)[0]
    outbox.carry_out_due()
    op.refresh_from_db()
    assert op.status == "done"
    late = ada.post(at(mine, "batch-operation", op.pk, "retry"), follow=True)
    assert "There is no need to" in said(late)[0]


def test_all_that_was_refused_is_tried_again_at_once(
    ada: Client, mine: Campaign, scripted: Scripted
) -> None:
    scripted.will("publish", NO_MONEY, NO_MONEY)
    launched(mine, places=14)
    outbox.carry_out_due()
    assert "Try all 2 again" in ada.get(at(mine)).content.decode()
    ada.post(at(mine, "batches-retry"))
    outbox.carry_out_due()
    assert set(Posting.objects.values_list("status", flat=True)) == {"open"}


def test_what_may_not_be_tried_again_says_why_once(
    ada: Client, mine: Campaign, scripted: Scripted
) -> None:
    scripted.will("publish", NO_MONEY, NO_MONEY)
    launched(mine, places=14)
    outbox.carry_out_due()
    Campaign.objects.filter(pk=mine.pk).update(budget=Decimal("1.00"))
    answer = ada.post(at(mine, "batches-retry"), follow=True)
    (told,) = said(answer)
    assert "may cost $8.40, but only $1.00" in told
    assert set(Posting.objects.values_list("status", flat=True)) == {"failed"}


@pytest.mark.parametrize(("verb", "status"), [("happened", "done"), ("not-happened", "pending")])
def test_a_person_says_whether_it_happened(
    ada: Client, mine: Campaign, verb: str, status: str
) -> None:
    batch = launched(mine, places=4)
    stop = operations.on_posting(StopPayload(), batch.postings.get())
    Operation.objects.filter(pk=stop.pk).update(status="unclear", message="Look there.")
    page = ada.get(at(mine)).content.decode()
    assert "It is unknown whether it happened" in page
    ada.post(at(mine, "batch-operation", stop.pk, verb))
    stop.refresh_from_db()
    assert stop.status == status


def test_dropping_only_what_has_not_happened(
    ada: Client, mine: Campaign, scripted: Scripted
) -> None:
    scripted.will("publish", NO_MONEY)
    launched(mine, places=4)
    outbox.carry_out_due()
    op = Operation.objects.get()
    ada.post(at(mine, "batch-operation", op.pk, "drop"))
    op.refresh_from_db()
    assert op.status == "dropped"
    answer = ada.post(at(mine, "batch-operation", op.pk, "drop"), follow=True)
    assert "cannot be dropped" in said(answer)[0]
    assert ada.post(at(mine, "batch-operation", op.pk, "burn")).status_code == 404


# ---------------------------------------------------------------- the ways here


# ---------------------------------------------------------------- the pages around


def test_nobody_is_paid_by_hand_whom_a_crowd_pays(ada: Client, mine: Campaign) -> None:
    posting = launched(mine).postings.all()[0]
    came(posting, "A1")
    page = ada.get(at(mine, "pay")).content.decode()
    assert "Make a list" not in page
    assert at(mine) in page
    people = ada.get(at(mine, "people")).content.decode()
    assert "Pay-out lists" not in people


def test_what_comes_and_goes_by_itself_is_not_told_as_an_act(mine: Campaign) -> None:
    for subject in ("posting:abc", "operation:1", "tutorial_run:1", "participation:1"):
        audit.record("x", campaign_id=mine.pk, subject=subject)
    ada = User.objects.get(username="ada")
    audit.record("operation_retried", campaign_id=mine.pk, actor_id=ada.pk, subject="operation:1")
    told = [act.verb for act in exports.acts_of(mine.pk)]
    assert "x" not in told
    assert "operation_retried" in told


# ---------------------------------------------------------------- units in doubt


@pytest.fixture
def doubted(mine: Campaign) -> Participation:
    """Handed in with less than it holds: a person decides."""
    unit = came(launched(mine).postings.all()[0], "AWORKER-OF-HERS", "confirmed")
    Participation.objects.filter(pk=unit.pk).update(
        problem="It was handed in after 1 of 2 tasks.", submitted_at=timezone.now()
    )
    return unit


def test_a_unit_in_doubt_is_shown_with_both_ways_out(
    ada: Client, mine: Campaign, doubted: Participation
) -> None:
    page = ada.get(at(mine)).content.decode()
    assert "1 submission waits for your decision" in page
    assert "after 1 of 2 tasks" in page
    assert at(mine, "review", doubted.annotator.pseudonym) in page
    assert "AWORKER-OF-HERS" not in page  # pseudonyms outside of the page of pay
    answer = ada.post(at(mine, "unit-accept", doubted.pk), follow=True)
    assert "paid as soon as" in said(answer)[0]
    assert "waits for your decision" not in answer.content.decode()
    again = ada.post(at(mine, "unit-accept", doubted.pk), follow=True)
    assert "Nothing about this work waits" in said(again)[0]
    by_link = person(campaign(owner=User.objects.get(username="ada")), "by-link")
    refused = ada.post(at(by_link.campaign, "unit-accept", by_link.pk), follow=True)
    assert "came by a link" in said(refused)[0]
    doubted.refresh_from_db()
    assert doubted.problem == ""


def test_a_large_campaign_does_not_add_up_its_budget_to_ask_about_a_unit(
    ada: Client, mine: Campaign, doubted: Participation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The box stands there whether it is needed or not; without it the service still refuses."""
    came(doubted.posting, "ANOTHER-WORKER", "confirmed")
    Campaign.objects.filter(pk=mine.pk).update(budget=Decimal("0.01"))
    assert "beyond its budget: pay it anyway" in ada.get(at(mine)).content.decode()
    monkeypatch.setattr(crowds_views, "MANY", 1)
    with monkeypatch.context() as patched:
        patched.setattr(budget, "excess", lambda *_: pytest.fail("added up"))
        page = ada.get(at(mine)).content.decode()
    assert "Pay it even if the campaign is beyond its budget" in page
    assert "required" not in page.partition('name="beyond_budget"')[2].partition(">")[0]
    ada.post(at(mine, "unit-accept", doubted.pk))
    doubted.refresh_from_db()
    assert doubted.problem
    ada.post(at(mine, "unit-accept", doubted.pk), {"beyond_budget": "1"})
    doubted.refresh_from_db()
    assert doubted.problem == ""


def test_refused_pay_is_a_decision(mine: Campaign, doubted: Participation) -> None:
    assert [one.pk for one in budget.disputed(mine.pk)] == [doubted.pk]
    Review.objects.create(
        campaign=mine,
        annotator=doubted.annotator,
        status="excluded",
        pay_refused=True,
        opened_at=timezone.now(),
    )
    assert not budget.disputed(mine.pk)
