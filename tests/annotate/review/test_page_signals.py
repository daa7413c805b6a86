"""Signals of the page: stored as counts and keyed hashes, looked at, erased; they stop nobody."""

import json
from datetime import timedelta

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotate.campaigns import life
from annotate.models import (
    Assignment,
    AuditEntry,
    Batch,
    Campaign,
    Flag,
    Judgment,
    Participation,
    Posting,
    Review,
    SignalFinding,
    SignalKey,
)
from annotate.review import eligibility, evidence, findings
from annotate.screening.signals import PageCounts
from annotate.tasks import look_at_signals
from annotate.work import submitting, task
from tests import reviewed
from tests.annotate.work.pages.working import BEST, JUDGED, call, invitation, work_data, work_url
from tests.factories import campaign, change, leased, person, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]

ON = {"signals": {"on": True}}
EDIT = "This is quite another text, which a program wrote in its own words from the start."
PASTED = {"pasted": 90, "pastes": 1, "keys": 2, "screen": "1920 1080 24 1 Europe/Berlin 8 de"}
NETWORK, AGENT = "192.0.2.77", "Mozilla/5.0 (Nobody’s own browser)"


def sent(client: Client, who: Participation, signals, **changes):
    response = {"response": BEST | changes, "active_seconds": 12.5, "signals": signals}
    return call(client, who, "submit", JUDGED | response)


def at(network: str = NETWORK) -> Client:
    return Client(REMOTE_ADDR=network, HTTP_USER_AGENT=AGENT)


def judge(who: Participation, signals=None, *, network: str = NETWORK, **changes) -> None:
    page = {"signals": PASTED if signals is None else signals, "network": network, "agent": AGENT}
    raw = {**BEST, **changes}
    submitting.submit_judgment(leased(who).pk, participation_id=who.pk, raw=raw, **page)


def rewritten(who: Participation, n: int = 6, **changes) -> None:
    for _ in range(n):
        judge(who, fluency=-1, edit=EDIT, **changes)


def pasting(study: Campaign) -> Participation:
    """Let somebody paste until signals list them, wherever their gold items come.

    At most 5 of 25 tasks are gold, and signals need 6 tasks that are not.
    """
    who = person(study, "pastes")
    rewritten(who, 22)
    return who


def everything_stored() -> str:
    """All rows of the application, as text."""
    rows = [
        str(list(model._default_manager.values()))
        for model in apps.get_app_config("annotate").get_models()
    ]
    return "\n".join(rows)


def close(study: Campaign, *, days: float) -> None:
    life.close(study.pk, Campaign.Reason.HAND)
    life.finish(study.pk)
    change(study, closed_at=timezone.now() - timedelta(days=days))


def test_counts_and_keyed_hashes_are_stored_and_nothing_else():
    study = campaign(items=20, screening=ON)
    who = person(study)
    answer = sent(at(), who, PASTED | {"typed": "secret words", "text": "secret words"})
    assert answer.status_code == 200
    (kept,) = Assignment.objects.filter(signals__isnull=False).values_list("signals", flat=True)
    assert set(kept) == {"pasted", "pastes", "keys", "network", "device"}
    assert (kept["pasted"], kept["keys"]) == (90, 2)
    stored = everything_stored()
    for raw in (NETWORK, AGENT, "secret words", "Europe/Berlin"):
        assert raw not in stored
    other = campaign(items=20, screening=ON)
    sent(at(), person(other), PASTED)
    again = Assignment.objects.filter(campaign=other).filter(signals__isnull=False).get().signals
    assert again["network"] != kept["network"]  # each campaign has its own key
    assert again["device"] != kept["device"]


def test_signals_are_off_unless_somebody_switches_them_on():
    study = campaign(items=20)
    who = person(study)
    assert sent(at(), who, PASTED).status_code == 200
    assert not Assignment.objects.filter(signals__isnull=False).exists()
    assert not SignalKey.objects.exists()
    assert work_data(at(), work_url(who))["assignment"]["signals"] is False


HOSTILE = [None, "x", [], 7, {}, {"pasted": "a" * 1000}, {"keys": 1e308, "typed": -5}]
HOSTILE += [{"rhythm": {"deep": [[[[[]]]]]}}, {"rhythm": [10**30] * 9999}, {"screen": "\0" * 9}]


@pytest.mark.parametrize("value", HOSTILE)
def test_no_value_of_signals_loses_a_judgment(value):
    who = person(campaign(items=20, screening=ON))
    assert sent(at(), who, value).status_code == 200
    assert Judgment.objects.count() == 1
    kept = Assignment.objects.filter(signals__isnull=False).values_list("signals", flat=True)
    assert len(json.dumps(list(kept))) < 600


def test_late_work_has_its_signals_too():
    study = campaign(items=20, screening=ON)
    who = person(study)
    Assignment.objects.filter(pk=leased(who).pk).update(expires_at=timezone.now())
    late = Assignment.objects.get()
    life.expire_all()
    page = {"signals": PASTED, "network": NETWORK, "agent": AGENT}
    submitting.submit_judgment(late.pk, participation_id=who.pk, raw=BEST, **page)
    assert Assignment.objects.get(pk=late.pk).signals["pasted"] == 90


def queue(who: User) -> list[str]:
    return [one.pseudonym for one in reviewed.waiting(who.pk)]


def kinds_of(who: Participation) -> list[str]:
    key = (who.campaign.public_id, who.annotator.pseudonym)
    return [one.evidence.kind for one in evidence.reasons([key]).get(key, [])]


def test_pasted_edits_list_somebody_and_stop_nobody():
    """By construction no screen and no flag; here, that nothing at all changes for the person."""
    study = campaign(owner=(ada := user()), items=20, screening=ON)
    who, honest = person(study, "pastes"), person(study, "types")
    rewritten(who)
    for _ in range(6):
        judge(honest, {"typed": 95, "keys": 120}, fluency=-1, edit=EDIT)
    before = AuditEntry.objects.count()
    assert look_at_signals() == 2
    assert look_at_signals() == 0  # nothing is looked at twice
    assert queue(ada) == [who.annotator.pseudonym]
    assert (kinds_of(who), kinds_of(honest)) == (["typing"], [])
    assert [one.status for one in Review.objects.all()] == ["listed"]
    assert not Flag.objects.exists()
    assert AuditEntry.objects.count() == before + 1
    assert AuditEntry.objects.latest("pk").verb == "list"
    assert eligibility.barred(study.pk, who.annotator_id) == ""
    assert leased(who)
    assert not eligibility.waiting(study.pk)  # it does not hold back closing
    assert queue(user("bob")) == []


def test_whoever_has_been_ruled_on_is_not_listed_again():
    study = campaign(owner=(ada := user()), items=20, screening=ON)
    who = person(study)
    rewritten(who)
    Review.objects.create(
        campaign=study, annotator=who.annotator, status="cleared", opened_at=timezone.now()
    )
    look_at_signals()
    assert queue(ada) == []


@pytest.mark.slow
def test_the_same_network_and_device_are_seen_together_later_ones_too():
    study = campaign(items=60, screening=ON, annotator_cap=None)
    first, second = person(study, "one"), person(study, "two")
    elsewhere = [person(study, f"p{n}") for n in range(3)]
    for n, who in enumerate([first, *elsewhere]):
        for _ in range(6):
            judge(who, network=NETWORK if who is first else f"198.51.100.{n}")
    look_at_signals()
    kinds = {row.annotator_id: [one["kind"] for one in row.evidence] for row in rows()}
    assert all("double" not in found for found in kinds.values())
    for _ in range(6):
        judge(second)
    assert look_at_signals() == 1
    kinds = {row.annotator_id: [one["kind"] for one in row.evidence] for row in rows()}
    assert [who for who in kinds if "double" in kinds[who]] == sorted(
        [first.annotator_id, second.annotator_id]
    )
    look = evidence.look_at_signals(study, first.annotator_id)
    assert look.lines[-1].evidence.numbers["accounts"] == 2


def rows():
    return SignalFinding.objects.order_by("annotator")


@pytest.mark.slow
def test_signals_and_key_go_thirty_days_after_closing(monkeypatch):
    monkeypatch.setattr(findings, "BATCH", 2)  # so that it takes several steps
    study, going_on = campaign(items=20, screening=ON), campaign(items=20, screening=ON)
    for each in (study, going_on):
        rewritten(person(each))
    look_at_signals()
    close(study, days=29.9)
    assert findings.erase_due() == 0
    close_again = timezone.now() - timedelta(days=30.1)
    change(study, closed_at=close_again)
    assert look_at_signals() == 0  # the task that runs every minute erases
    assert findings.erase_due() == 0
    assert list(SignalKey.objects.values_list("campaign", flat=True)) == [going_on.pk]
    assert set(SignalFinding.objects.values_list("campaign", flat=True)) == {going_on.pk}
    kept = Assignment.objects.filter(signals__isnull=False).values_list("campaign", flat=True)
    assert set(kept) == {going_on.pk}
    assert Judgment.objects.filter(campaign=study).count() == 6


def test_the_key_is_there_as_long_as_anything_that_it_hashed(monkeypatch):
    """A worker that dies while it erases leaves the key, by which the next one finds the rest."""
    monkeypatch.setattr(findings, "BATCH", 2)
    study = campaign(items=20, screening=ON)
    rewritten(person(study))
    look_at_signals()
    close(study, days=31)
    left = iter([None])

    class Dies(Exception):
        pass

    def atomic():
        next(left, None)
        raise Dies

    with monkeypatch.context() as broken:
        broken.setattr(findings.transaction, "atomic", atomic)
        with pytest.raises(Dies):
            findings.erase_due()
    assert SignalKey.objects.exists()
    findings.erase_due()
    assert not SignalKey.objects.exists()
    assert not SignalFinding.objects.exists()


def test_after_closing_nothing_is_counted_and_a_reopened_campaign_has_a_key_again():
    study = campaign(owner=(ada := user()), items=20, screening=ON)
    assert task.signal_keys_of(study)
    close(study, days=31)
    study.refresh_from_db()
    assert task.signal_keys_of(study) is None
    findings.erase_due()
    life.reopen(study.pk, actor_id=ada.pk, why="more")
    study.refresh_from_db()
    assert task.signal_keys_of(study)
    assert findings.erase_due() == 0


@pytest.mark.parametrize("on", [True, False])
def test_people_are_told_before_they_join(client, on):
    study = campaign(items=20, screening=ON if on else {})
    for address in (invitation(study), invitation(study, "a-person")):
        page = client.get(address).content.decode()
        assert ("how you type" in page) is on
    german = campaign(items=20, screening=ON if on else {}, language="de")
    page = client.get(invitation(german)).content.decode()
    assert ("wie Sie tippen" in page) is on


def test_counts_have_a_place_for_everything_the_page_sends():
    assert PageCounts.stored({"pasted": 3}).pasted == 3


@pytest.mark.slow
def test_reviewers_read_the_evidence_in_plain_words(client):
    study = campaign(owner=(ada := user()), items=20, screening=ON)
    who = person(study)
    rewritten(who)
    name = who.annotator.pseudonym
    client.force_login(ada)
    page = client.get(reverse("annotate:review", args=[study.public_id, name])).content.decode()
    assert "The page has not counted anything" in page
    look_at_signals()
    page = client.get(reverse("annotate:review", args=[study.public_id, name])).content.decode()
    said = "Pasted 100\u00a0% of the 540 characters in 6 edits; typed 0\u00a0%."
    assert said in page
    assert "Lists this person" in page
    queue = client.get(reverse("annotate:reviews")).content.decode()
    assert said in queue
    assert "Worth a look" in queue
    answer = client.get(reverse("api-review", args=[study.public_id, name])).json()
    typing = answer["signals"][0]
    assert (typing["kind"], typing["listed"], typing["n"]) == ("typing", True, 6)
    assert typing["text"].startswith(said)
    client.force_login(user("bob"))
    assert said not in client.get(reverse("annotate:reviews")).content.decode()


def test_a_reviewer_puts_evidence_aside_until_there_is_other_evidence(client):
    study = campaign(owner=(ada := user()), items=20, screening=ON)
    who = person(study)
    rewritten(who)
    look_at_signals()
    address = reverse("annotate:review-signals", args=[study.public_id, who.annotator.pseudonym])
    client.force_login(user("bob"))
    assert client.post(address).status_code == 404
    assert queue(ada)
    client.force_login(ada)
    assert client.post(address).status_code == 302
    assert queue(ada) == []
    assert not Review.objects.exists()
    client.post(address)
    assert AuditEntry.objects.filter(verb="put_signals_aside", actor=ada).count() == 1
    rewritten(who, 1)  # more of the same
    look_at_signals()
    assert queue(ada) == []
    row = SignalFinding.objects.get()
    double = row.evidence[0] | {"kind": "double"}
    SignalFinding.objects.update(evidence=[*row.evidence, double])
    look_at_signals()
    assert queue(ada) == [who.annotator.pseudonym]
    assert kinds_of(who) == ["double"]


def test_work_that_a_crowd_confirms_later_is_looked_at_then():
    study = campaign(items=30, screening=ON)
    late = person(study, "late")
    Participation.objects.filter(pk=late.pk).update(verified_at=None, posting=listed_batch(study))
    late.refresh_from_db()
    rewritten(late)
    rewritten(person(study, "other"), 3)
    assert look_at_signals() == 1
    Participation.objects.filter(pk=late.pk).update(verified_at=timezone.now())
    Assignment.objects.filter(participation=late).update(status="verified")
    assert look_at_signals() == 1
    assert SignalFinding.objects.get(annotator=late.annotator).listed


def listed_batch(study: Campaign) -> Posting:
    batch = Batch.objects.create(
        campaign=study,
        crowd="mturk",
        environment="live",
        places=1,
        tasks=5,
        reward=1,
        terms={},
        key="k",
        created_at=timezone.now(),
    )
    return Posting.objects.create(batch=batch, places=1)
