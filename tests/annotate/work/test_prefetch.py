"""The next task is reserved ahead, and its time starts when it is seen."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotate.campaigns import life
from annotate.models import Assignment, Campaign, Judgment, Participation
from annotate.work import leasing, submitting
from annotate.work.admission import NoTask
from tests.annotate.work.pages.working import BEST, call, expire, submit, work_data, work_url
from tests.factories import GOOD, campaign, leased, person

pytestmark = [pytest.mark.orm, pytest.mark.django_db]


@pytest.fixture
def who() -> Participation:
    return person(campaign())


def ahead(client, who: Participation, after: object) -> dict:
    answer = call(client, who, "ahead", assignment=after)
    assert answer.status_code == 200
    coming = answer.json()["coming"]
    return coming["data"] if coming else {"assignment": None}


def test_the_page_after_shows_another_task_and_always_the_same(client, who):
    now = work_data(client, work_url(who))["assignment"]
    page = ahead(client, who, now["id"])
    assert page["assignment"]["id"] != now["id"]
    assert page["assignment"]["text"] != now["text"]
    again = ahead(client, who, now["id"])
    assert again["assignment"]["id"] == page["assignment"]["id"]
    assert Assignment.objects.count() == 2
    assert work_data(client, work_url(who))["assignment"]["id"] == now["id"]


def test_a_task_whose_time_ran_out_on_its_page_does_not_come_after_itself(client, who):
    """It would be leased anew, and what was written for it could not be submitted any more."""
    now = leased(who)
    expire(now)
    page = ahead(client, who, now.pk)
    assert Assignment.objects.get(pk=page["assignment"]["id"]).output_id != now.output_id
    submitting.submit_judgment(now.pk, participation_id=who.pk, raw=GOOD)
    assert Judgment.objects.get().assignment_id == now.pk


@pytest.mark.parametrize("act", ["close", "pause"])
def test_only_an_open_campaign_hands_out_ahead(client, who, act):
    now = leased(who).pk
    if act == "close":
        life.close(who.campaign_id, Campaign.Reason.HAND)
    else:
        life.pause(who.campaign_id)
    assert ahead(client, who, now)["assignment"] is None
    assert Assignment.objects.count() == 1


def test_what_comes_free_in_closing_is_for_whoever_is_done(client):
    who = person(campaign(double_share=0))
    other = person(who.campaign, "p2")
    gap = leased(other)
    now = leased(who).pk
    life.close(who.campaign_id, Campaign.Reason.HAND)
    leasing.give_back(gap.pk, participation_id=other.pk)
    assert ahead(client, who, now)["assignment"] is None
    submit(client, who)
    assert leased(who).output_id == gap.output_id


def test_the_cap_counts_the_one_ahead(client):
    who = person(campaign(annotator_cap=1))
    got = leasing.lease_ahead(who.pk, after=leased(who).pk)
    assert isinstance(got, NoTask)
    assert got.reason == "cap"


def test_the_receipt_names_the_task_reserved_and_todays_words(client, who):
    now = leased(who)
    later = leasing.lease_ahead(who.pk, after=now.pk)
    receipt = submit(client, who).json()
    assert receipt["assignment"] == later.pk
    assert receipt["words"]["title"].startswith("Task 2 · Rate short texts")
    assert receipt["words"]["texts"] == {
        "place": "Task 2 of at most 25",
        "today": "1 task",
        "earned": "$0.40",
        "notice": "",
        "correct": "Correct the last text",
    }
    assert leasing.lease(who.pk).pk == later.pk


def test_a_reservation_that_is_over_is_not_promised(client, who):
    now = leased(who)
    over = leasing.lease_ahead(who.pk, after=now.pk)
    expire(over)
    receipt = submit(client, who).json()
    assert receipt["assignment"] != over.pk
    assert receipt["coming"]["data"]["assignment"]["id"] == receipt["assignment"]


def test_time_starts_when_the_page_is_first_shown(client, who):
    now = leased(who)
    assert now.started_at is None
    client.get(work_url(who))
    first = Assignment.objects.get().started_at
    assert first is not None
    client.get(work_url(who))
    assert Assignment.objects.get().started_at == first


def test_one_fetched_ahead_starts_when_the_one_before_is_done(client, who):
    now = leased(who).pk
    later = ahead(client, who, now)["assignment"]["id"]
    call(client, who, "heartbeat", assignment=now)
    assert Assignment.objects.get(pk=later).started_at is None
    Assignment.objects.update(leased_at=timezone.now() - timedelta(seconds=600))
    assert submit(client, who).json()["assignment"] == later
    Assignment.objects.filter(pk=now).update(ended_at=timezone.now() - timedelta(seconds=20))
    submit(client, who)
    assert 20 <= Judgment.objects.get(assignment=later).elapsed_seconds < 40


@pytest.mark.parametrize("status", ["returned", "expired"])
def test_a_task_given_back_ends_before_the_next_and_an_expired_one_does_not(client, who, status):
    now = leased(who).pk
    later = ahead(client, who, now)["assignment"]["id"]
    Assignment.objects.update(leased_at=timezone.now() - timedelta(seconds=600))
    if status == "returned":
        leasing.give_back(now, participation_id=who.pk)
    else:
        expire(Assignment.objects.get(pk=now))
        leasing.expire_due(who.campaign_id, now=timezone.now())
    submitting.submit_judgment(later, participation_id=who.pk, raw=GOOD)
    assert (Judgment.objects.get().elapsed_seconds < 60) == (status == "returned")


@pytest.mark.parametrize(("started", "expected"), [(timedelta(seconds=20), 20), (None, 600)])
def test_elapsed_time_counts_from_the_start_else_from_the_lease(who, started, expected):
    now = timezone.now()
    Assignment.objects.filter(pk=leased(who).pk).update(
        leased_at=now - timedelta(seconds=600), started_at=started and now - started
    )
    submitting.submit_judgment(leased(who).pk, participation_id=who.pk, raw=GOOD)
    assert expected <= Judgment.objects.get().elapsed_seconds < expected + 20


def test_a_heartbeat_extends_the_one_ahead_as_well(client, who):
    now = leased(who)
    later = leasing.lease_ahead(who.pk, after=now.pk)
    soon = timezone.now() + timedelta(seconds=30)
    Assignment.objects.update(expires_at=soon)
    call(client, who, "heartbeat", assignment=now.pk)
    assert Assignment.objects.get(pk=later.pk).expires_at > soon
    assert Assignment.objects.get(pk=now.pk).expires_at > soon


def test_answers_to_another_wording_are_not_taken_and_kept(client, who):
    now = leased(who).pk
    call(client, who, "draft", {"revision": 0, "data": {"fluency": 1}})
    body = {"response": BEST, "version": "0"}
    answer = call(client, who, "submit", body, assignment=now)
    assert answer.status_code == 409
    assert answer.json()["error"] == "stale_version"
    assert "kept" in answer.json()["message"]
    page = work_data(client, work_url(who))["assignment"]
    assert page["draft"]["data"] == {"fluency": 1}
    body["version"] = page["version"]
    assert call(client, who, "submit", body, assignment=now).status_code == 200


@pytest.mark.parametrize("version", [None, 1, ["1"]])
def test_who_does_not_say_what_was_asked_is_told_to(client, who, version):
    body = {"response": BEST, "version": version}
    answer = call(client, who, "submit", body if version else {"response": BEST})
    assert answer.status_code == 422
    assert "“version”" in answer.json()["errors"]["version"]
    assert not Judgment.objects.exists()


def test_a_judgment_names_the_version_that_asked_not_the_one_it_was_planned_with(client, who):
    Campaign.objects.update(instrument_version="0")  # planned before the built-in one was revised
    now = leased(who).pk
    version = work_data(client, work_url(who))["assignment"]["version"]
    body = {"response": BEST, "version": version}
    assert call(client, who, "submit", body, assignment=now).status_code == 200
    assert Judgment.objects.get().instrument_version == version == "2"
