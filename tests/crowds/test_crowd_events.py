"""Events are hints: kept once, from their crowd alone, and answered by a look."""

import json
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse

from annotate.common.marks import posting_changed
from annotate.crowds import reconciling
from annotate.models import CrowdEvent
from tests.crowds.market import Market, Status

pytestmark = pytest.mark.orm


@pytest.fixture
def looked(django_capture_on_commit_callbacks):  # type: ignore[no-untyped-def]
    """What is announced, carried out at once."""
    seen: list[int] = []

    def look(sender: object, *, posting_id: int, **_signal: object) -> None:
        seen.append(posting_id)
        reconciling.reconcile(posting_id)

    posting_changed.connect(look)
    with django_capture_on_commit_callbacks(execute=True):
        pass
    yield seen
    posting_changed.disconnect(look)


def send(market: Market, raw: bytes, headers: dict[str, str]) -> int:
    client = Client(enforce_csrf_checks=True)
    answer = client.post(
        reverse("annotate:crowd-events", args=["prolific"]),
        raw,
        content_type="application/json",
        headers=headers,
    )
    return answer.status_code


@pytest.mark.parametrize("told", ["unit", "listing"])
def test_an_event_makes_us_look_at_its_posting_once(
    prolific: Market, looked: list[int], told: str, django_capture_on_commit_callbacks
) -> None:
    unit = prolific.done()
    kind, resource = (
        ("submission.status.change", unit.unit)
        if told == "unit"
        else ("study.status.change", unit.listing)
    )
    event = prolific.far.event(kind, resource)
    with django_capture_on_commit_callbacks(execute=True):
        assert send(prolific, *event) == 204
        assert send(prolific, *event) == 204
    assert looked == [prolific.posting().pk]
    assert prolific.of(unit).status == Status.CONFIRMED
    assert CrowdEvent.objects.count() == 1


def test_old_news_is_kept_and_not_looked_at(
    prolific: Market, looked: list[int], django_capture_on_commit_callbacks
) -> None:
    unit = prolific.done()
    late = prolific.far.event("submission.status.change", unit.unit)
    prolific.pass_time(timedelta(minutes=1))
    prolific.sync()
    with django_capture_on_commit_callbacks(execute=True):
        assert send(prolific, *late) == 204
    assert looked == []
    assert CrowdEvent.objects.count() == 1


def test_what_the_crowd_did_not_sign_is_refused(prolific: Market) -> None:
    raw, headers = prolific.far.event("submission.status.change", "x" * 24)
    assert send(prolific, raw, {}) == 401
    assert send(prolific, raw + b" ", headers) == 401
    assert send(prolific, json.dumps({}).encode(), headers) == 401
    assert not CrowdEvent.objects.exists()


def test_events_about_what_we_do_not_know_are_kept_and_harmless(prolific: Market) -> None:
    event = prolific.far.event("submission.status.change", "f" * 24)
    assert reconciling.receive("prolific", *event)
    assert not reconciling.receive("prolific", *event)


def test_crowds_that_tell_nothing_are_not_listened_to(mturk: Market, client: Client) -> None:
    answer = client.post(
        reverse("annotate:crowd-events", args=["mturk"]), b"{}", content_type="application/json"
    )
    assert answer.status_code == 404
