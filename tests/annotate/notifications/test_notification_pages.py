"""The page and the API of notifications: for those who run the campaign."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotate.accounts import tokens
from annotate.models import Campaign, Notification, Subscription
from annotate.notifications import sending, subscriptions
from tests.annotate.researcher import owner_of
from tests.factories import user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]
ASKED = {"channel": "webhook", "url": "https://example.org/h?x=1", "events": ["closed", "flag"]}


@pytest.fixture(autouse=True)
def sends(settings: Any) -> None:
    settings.SENDS_MAIL = True


def page(made: Campaign) -> str:
    return reverse("annotate:notifications", args=[made.public_id])


def test_a_webhook_is_made_tested_and_ended_on_the_page(ada: Client, mine: Campaign) -> None:
    assert "Nobody yet" in ada.get(page(mine)).content.decode()
    assert ada.post(page(mine), ASKED).status_code == 302
    one = Subscription.objects.get()
    shown = ada.get(page(mine)).content.decode()
    assert "https://example.org/h?x=1" in shown
    assert sending.secret(one.public_id) in shown
    assert "Nothing has been sent yet." in shown
    at = [mine.public_id, one.public_id]
    ada.post(reverse("annotate:notification-test", args=at))
    assert Notification.objects.filter(entry=None).count() == 1
    assert "1 notification is on the way." in ada.get(page(mine)).content.decode()
    again = ada.post(reverse("annotate:notification-test", args=at), follow=True)
    assert "A test is on its way." in again.content.decode()
    ada.post(reverse("annotate:notification-end", args=at))
    shown = ada.get(page(mine)).content.decode()
    assert "Nobody yet" in shown
    assert "Notifications that have ended" in shown
    assert sending.secret(one.public_id) not in shown


def test_without_a_mail_server_only_webhooks_are_offered(
    ada: Client, mine: Campaign, settings: Any
) -> None:
    settings.SENDS_MAIL = False
    assert "By e-mail to me" not in ada.get(page(mine)).content.decode()
    assert ada.post(page(mine), ASKED | {"channel": "mail", "url": ""}).status_code == 422


def test_the_page_costs_the_same_for_one_and_for_twenty(
    ada: Client, mine: Campaign, django_assert_max_num_queries: Any
) -> None:
    for _ in range(20):
        subscriptions.subscribe(mine.pk, user_id=owner_of(ada).pk, **ASKED)
    with django_assert_max_num_queries(12):
        ada.get(page(mine))


def test_a_program_does_the_same(ada: Client, mine: Campaign) -> None:
    made = tokens.make_token(owner_of(ada).pk, name="t", days=1)
    program = Client(headers={"Authorization": f"Token {made[1]}"})
    url = reverse("api-notifications", args=[mine.public_id])
    assert program.get(url).json()["results"] == []
    answer = program.post(url, ASKED, content_type="application/json")
    assert answer.status_code == 201
    told = answer.json()
    assert (told["channel"], told["events"], told["waiting"]) == ("webhook", ["closed", "flag"], 0)
    assert told["secret"] == sending.secret(told["id"])
    test = reverse("api-notification-test", args=[mine.public_id, told["id"]])
    assert program.post(test).status_code == 202
    assert program.post(test).status_code == 409
    end = reverse("api-notification-end", args=[mine.public_id, told["id"]])
    assert program.post(end).json()["ended_at"] is not None
    assert program.post(end).status_code == 200, "safe to repeat"
    wrong = program.post(url, ASKED | {"url": "x"}, content_type="application/json")
    assert (wrong.status_code, list(wrong.json()["errors"])) == (422, ["url"])


def test_a_stranger_finds_nothing(mine: Campaign) -> None:
    eve = Client()
    eve.force_login(user("eve"))
    assert eve.get(page(mine)).status_code == 404
    assert eve.post(page(mine), ASKED).status_code == 404
