"""A writing request with a key has one effect, however often it is sent."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.db import close_old_connections, connections
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotate import tasks
from annotate.accounts import tokens
from annotate.campaigns import life
from annotate.models import AuditEntry, Campaign, KeptAnswer, Subscription
from tests.factories import campaign, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]
ASKED = {"channel": "webhook", "url": "https://example.org/", "events": ["closed"]}


@pytest.fixture
def study() -> Campaign:
    return campaign(owner=user())


def program(name: str = "ada") -> Client:
    made = Client(raise_request_exception=False)
    made.force_login(user(name) if name != "ada" else _ada())
    return made


def _ada() -> Any:
    from django.contrib.auth.models import User

    return User.objects.get(username="ada")


def send(to: Client, url: str, body: Any = None, *, key: str = "k1", **more: Any) -> Any:
    headers = {"Idempotency-Key": key} if key else {}
    content = json.dumps(body if body is not None else {})
    return to.post(url, content, content_type="application/json", headers=headers, **more)


def notifications(study: Campaign) -> str:
    return reverse("api-notifications", args=[study.public_id])


def test_a_repeat_has_the_first_answer_and_no_effect(study: Campaign) -> None:
    ada = program()
    first = send(ada, notifications(study), ASKED)
    again = send(ada, notifications(study), ASKED)
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.json() == again.json()
    assert "Idempotency-Replayed" not in first
    assert again["Idempotency-Replayed"] == "true"
    assert Subscription.objects.count() == 1
    assert send(ada, notifications(study), ASKED, key="k2").json()["id"] != first.json()["id"]
    assert send(ada, notifications(study), ASKED, key="").status_code == 201
    assert Subscription.objects.count() == 3


def test_an_act_that_would_be_refused_the_second_time_answers_as_before(study: Campaign) -> None:
    ada = program()
    url = reverse("api-campaign-pause", args=[study.public_id])
    assert send(ada, url).json()["status"] == "paused"
    assert send(ada, url, key="k2").status_code == 409
    life.open_(study.pk)
    assert send(ada, url).json()["status"] == "paused", "the answer of then"
    study.refresh_from_db()
    assert study.status == "open", "and no second effect"


@pytest.mark.parametrize("change", ["body", "address", "kind"])
def test_a_key_is_for_one_request(study: Campaign, change: str) -> None:
    ada = program()
    send(ada, notifications(study), ASKED)
    other = campaign(owner=_ada(), name="Other")
    url = notifications(other if change == "address" else study)
    body = ASKED | ({"events": ["flag"]} if change == "body" else {})
    kind = "application/json; charset=utf-8" if change == "kind" else "application/json"
    headers = {"Idempotency-Key": "k1"}
    answer = ada.post(url, json.dumps(body), content_type=kind, headers=headers)
    assert answer.status_code == 409
    assert "another request" in answer.json()["message"]
    assert Subscription.objects.count() == 1


def test_an_error_is_not_kept(study: Campaign) -> None:
    ada = program()
    url = reverse("api-campaign-open", args=[study.public_id])
    assert send(ada, url).status_code == 409
    assert not KeptAnswer.objects.exists()
    life.pause(study.pk)
    assert send(ada, url).json()["status"] == "open"


def test_what_breaks_in_between_is_taken_back(
    study: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = program()

    def broken(*_args: Any, **_more: Any) -> None:
        raise RuntimeError

    with monkeypatch.context() as faulty:
        faulty.setattr(tokens, "keep", broken)
        assert send(ada, notifications(study), ASKED).status_code == 500
    assert not Subscription.objects.exists()
    assert not AuditEntry.objects.filter(verb="subscribe").exists()
    assert send(ada, notifications(study), ASKED).status_code == 201


def test_a_key_is_the_callers_own(study: Campaign) -> None:
    ada, eve = program(), program("eve")
    assert send(ada, notifications(study), ASKED).status_code == 201
    assert send(eve, notifications(study), ASKED).status_code == 404
    assert send(Client(), notifications(study), ASKED).status_code == 401


@pytest.mark.parametrize("key", [" ", "a b", "ä", "x" * 201])
def test_what_is_no_key_is_refused(study: Campaign, key: str) -> None:
    answer = send(program(), notifications(study), ASKED, key=key)
    assert answer.status_code == 422
    assert list(answer.json()["errors"]) == ["Idempotency-Key"]
    assert not Subscription.objects.exists()


def test_reading_with_a_key_reads(study: Campaign) -> None:
    ada = program()
    headers = {"Idempotency-Key": "k1"}
    assert ada.get(notifications(study), headers=headers).json()["results"] == []
    send(ada, notifications(study), ASKED, key="")
    assert len(ada.get(notifications(study), headers=headers).json()["results"]) == 1
    assert not KeptAnswer.objects.exists()


def test_a_campaign_is_imported_once() -> None:
    user()
    ada, url = program(), reverse("api-campaign-list")
    rows = [{"item": "a", "system": s, "output": s} for s in ("x", "y")]
    body = {"name": "News", "targets": {"overall": 0.2}, "outputs": rows}
    first, again = send(ada, url, body), send(ada, url, body)
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json()["id"] == again.json()["id"]
    assert send(ada, url, body, key="x" * 201).status_code == 422
    assert Campaign.objects.count() == 1


def test_answers_are_forgotten_after_a_day(study: Campaign) -> None:
    send(program(), notifications(study), ASKED)
    assert tasks.forget_answers() == 0
    KeptAnswer.objects.update(created_at=timezone.now() - timedelta(days=1, seconds=1))
    assert tasks.forget_answers() == 1


@pytest.fixture
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(8) as pool:
        yield pool


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_eight_at_once_are_one(threads: ThreadPoolExecutor) -> None:
    study = campaign(owner=user())
    ada = _ada()
    clients = [Client(raise_request_exception=False) for _ in range(8)]
    for one in clients:
        one.force_login(ada)

    def act(one: Client) -> tuple[int, str]:
        try:
            answer = send(one, notifications(study), ASKED)
            return answer.status_code, answer.json().get("id", answer.json().get("error"))
        finally:
            close_old_connections()
            connections.close_all()

    found = set(threads.map(act, clients))
    assert Subscription.objects.count() == 1
    stored = Subscription.objects.get().public_id
    assert found == {(201, stored)}
