"""One submit: a judgment in, the task after the next one out, in one transaction."""

import re
from datetime import timedelta
from decimal import Decimal

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotate.campaigns import life, totals
from annotate.models import Assignment, Campaign, CampaignTotals, Judgment, LedgerEntry
from annotate.pay import ledger
from annotate.work import leasing, submitting
from tests.annotate.work.pages.working import JUDGED, call, submit
from tests.factories import GOOD, campaign, judge, leased, person

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

AROUND = re.compile(r"^(BEGIN|COMMIT|SAVEPOINT|RELEASE|PREPARE)")
LOCK = re.compile(r'FROM "annotate_campaign" .*FOR ')


def statements(client: Client, who, verb: str, body=None, *, assignment: int) -> list[str]:
    with CaptureQueriesContext(connection) as captured:
        answer = call(client, who, verb, body, assignment=assignment)
    assert answer.status_code == 200, answer.content
    found = [one["sql"] for one in captured.captured_queries]
    return [one for one in found if not AROUND.match(one)]


def at_work(study: Campaign, name: str = "p1", *, done: int = 2):
    """Return a person with one task on the page and one in hand, after some that are done."""
    who = person(study, name)
    for _ in range(done):
        judge(who)
    now = leased(who)
    leasing.lease_ahead(who.pk, after=now.pk)
    return who, now.pk


@pytest.mark.slow
@pytest.mark.parametrize(
    ("items", "people", "done"), [(30, 1, 2), (60, 8, 2), (150, 1, 2), (150, 4, 20)]
)
def test_a_submit_takes_twenty_statements_whatever_has_been_before(client, items, people, done):
    study = campaign(items=items, budget=Decimal(90_000), max_judgments=90_000, tutorial=False)
    for n in range(1, people):
        at_work(study, f"other-{n}", done=done // 2)
    who, now = at_work(study, done=done)
    call(client, who, "draft", {"revision": 0, "data": {}}, assignment=now)
    found = statements(client, who, "submit", JUDGED, assignment=now)
    assert len(found) <= 20, found
    assert not any(LOCK.search(one) for one in found)


def test_a_draft_takes_three_statements_and_a_heartbeat_two(client):
    who, now = at_work(campaign(items=20))
    for revision in (0, 1, 2):
        body = {"revision": revision, "data": {"fluency": 1}}
        assert len(statements(client, who, "draft", body, assignment=now)) <= 3
    assert len(statements(client, who, "heartbeat", assignment=now)) == 2


def test_each_lease_is_counted(client):
    study = campaign(items=40)
    who, _now = at_work(study)
    before = CampaignTotals.objects.get(campaign=study)
    receipt = submit(client, who).json()
    after = CampaignTotals.objects.get(campaign=study)
    assert (after.held, after.leased) == (before.held + 1, before.leased)
    assert after.spent == before.spent + study.reward
    assert receipt["coming"]["data"]["assignment"]["id"] == Assignment.objects.latest("pk").pk
    assert receipt["assignment"] != Assignment.objects.latest("pk").pk
    assert Assignment.objects.filter(status="leased").count() == 2


def test_nothing_in_hand_brings_the_next_task_itself(client):
    study = campaign(items=40)
    at_work(study, "other")
    receipt = submit(client, person(study)).json()
    assert receipt["coming"]["data"]["assignment"]["id"] == receipt["assignment"]


def pause(study: Campaign) -> None:
    life.pause(study.pk)


def close(study: Campaign) -> None:
    life.close(study.pk, Campaign.Reason.HAND)


@pytest.mark.parametrize("act", [pause, close])
def test_after_a_pause_or_the_end_nothing_is_leased(client, act):
    study = campaign(items=40)
    who, _now = at_work(study)
    act(study)
    receipt = submit(client, who).json()
    assert receipt["coming"] is None
    assert Assignment.objects.filter(status="leased").count() == 1


def test_after_a_change_the_new_terms_count(client):
    study = campaign(items=40, reward=Decimal("0.40"))
    who, _now = at_work(study)
    submit(client, who)
    life.pause(study.pk)
    Campaign.objects.filter(pk=study.pk).update(reward=Decimal("0.55"))
    life.open_(study.pk)
    for _ in range(3):
        submit(client, who)
    paid = list(LedgerEntry.objects.order_by("-pk").values_list("amount", flat=True)[:3])
    assert paid == [Decimal("0.55")] * 3


@pytest.mark.slow
@pytest.mark.parametrize("limit", [{"budget": Decimal("4.00")}, {"max_judgments": 10}])
def test_the_last_leases_look_at_the_limits(client, limit):
    study = campaign(items=40, reward=Decimal("0.40"), annotator_cap=None, **limit)
    who, _now = at_work(study, done=1)
    while submit(client, who).json()["assignment"]:
        assert list(totals.each([study.public_id], mend=False)) == [(study.public_id, [])]
    assert Judgment.objects.count() == 10
    assert leasing.lease(who.pk).reason == next(iter(limit))


def test_the_cap_binds_on_the_way(client):
    study = campaign(items=40, annotator_cap=5)
    other, _now = at_work(study, "other")
    submit(client, other)
    who = person(study)
    while submit(client, who).json()["assignment"]:
        pass
    assert Judgment.objects.filter(annotator=who.annotator_id).count() == 5
    assert leasing.lease(who.pk).reason == "cap"


def test_what_was_undone_leaves_nothing(monkeypatch, client):
    """The first way fails at its last statement: with the campaign locked, all is stored once."""
    study = campaign(items=40)
    who, _now = at_work(study)
    real, refused = totals.change, []

    def change(*args, **how):
        refused.append(args)
        return len(refused) > 1 and real(*args, **how)

    monkeypatch.setattr(totals, "change", change)
    before = Judgment.objects.count()
    receipt = submit(client, who).json()
    assert receipt["coming"] is not None
    assert Judgment.objects.count() == LedgerEntry.objects.count() == before + 1
    assert Assignment.objects.filter(status="leased").count() == 2


def test_recount_finds_wrong_totals_and_mends_them(capsys):
    study = campaign(items=40, budget=Decimal("20.00"), reward=Decimal("0.40"))
    at_work(study)
    call_command("recount")
    assert "1 campaigns agree" in capsys.readouterr().out
    CampaignTotals.objects.filter(campaign=study).update(leased=1000)
    with pytest.raises(CommandError, match="1 of 1"):
        call_command("recount", study.public_id)
    assert "the total “leased” is 1000, and the facts say 2" in capsys.readouterr().out
    with pytest.raises(CommandError):
        call_command("recount", "--mend")
    call_command("recount")


def test_recount_finds_a_lease_without_a_slot(capsys):
    study = campaign(items=40)
    at_work(study)
    study.slots.filter(assignment__status="leased").update(assignment=None)
    with pytest.raises(CommandError):
        call_command("recount")
    assert "2 leases hold no slot" in capsys.readouterr().out


def test_a_repeated_submit_brings_the_first_receipt_whatever_is_asked_by_now(client):
    """The first answer was lost; the wording has changed meanwhile."""
    who, now = at_work(campaign(items=40))
    first = call(client, who, "submit", JUDGED, assignment=now)
    again = call(client, who, "submit", JUDGED | {"version": "another"}, assignment=now)
    assert (first.status_code, again.status_code) == (200, 200)
    assert again.json()["earned"] == first.json()["earned"]
    assert Judgment.objects.filter(assignment=now).count() == 1


def test_an_assignment_earns_once():
    study = campaign()
    judge(person(study))
    with pytest.raises(IntegrityError), transaction.atomic():
        ledger.earn_task(
            Assignment.objects.get(), campaign=study, kind=LedgerEntry.Kind.COMPENSATION
        )
    assert LedgerEntry.objects.count() == 1


def test_a_judgment_keeps_what_the_server_knows():
    study = campaign()
    who = person(study)
    mine = leased(who)
    Assignment.objects.filter(pk=mine.pk).update(leased_at=timezone.now() - timedelta(seconds=90))
    submitting.submit_judgment(
        mine.pk,
        participation_id=who.pk,
        active_seconds=40.0,
        raw=GOOD | {"elapsed_seconds": 1, "distance": 99, "reward": 50},
    )
    judgment = Judgment.objects.get()
    assert 90 <= judgment.elapsed_seconds < 120
    assert judgment.active_seconds == 40.0
    assert judgment.response == GOOD | {"distance": 0}
    assert judgment.instrument_version == study.instrument_version
    assert LedgerEntry.objects.get().amount == study.reward


def test_a_failure_while_paying_leaves_no_judgment(monkeypatch):
    who = person(campaign())
    mine = leased(who)

    def fail(*args, **kwargs):
        raise RuntimeError("the ledger is on fire")

    monkeypatch.setattr(ledger, "earn_task", fail)
    with pytest.raises(RuntimeError):
        submitting.submit_judgment(mine.pk, participation_id=who.pk, raw=GOOD)
    mine.refresh_from_db()
    assert mine.status == Assignment.Status.LEASED
    assert not Judgment.objects.exists()
