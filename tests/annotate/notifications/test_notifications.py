"""Who runs a campaign is told what happens there: once, in order, and nobody else is."""

import json
from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.core import mail
from django.db import transaction
from django.utils import timezone

from annotate import tasks
from annotate.campaigns import life
from annotate.common import audit
from annotate.common.audit import EVENTS
from annotate.common.errors import Conflict, Invalid, NotFound
from annotate.models import AuditEntry, Campaign, Membership, Notification, Subscription
from annotate.models.base import CloseReason
from annotate.notifications import sending, subscriptions
from tests.annotate.notifications.receiving import Receiver, receiver
from tests.annotate.review.test_own_review import flag
from tests.factories import campaign, judge, person, user

pytestmark = [pytest.mark.orm, pytest.mark.django_db]
ALL = tuple(EVENTS)


@pytest.fixture(autouse=True)
def sends(settings: Any) -> None:
    settings.SENDS_MAIL = settings.PRIVATE_WEBHOOKS = True
    settings.PUBLIC_URL = "https://plumbline.example"


@pytest.fixture
def far() -> Iterator[Receiver]:
    with receiver() as side:
        yield side


@pytest.fixture
def study() -> Campaign:
    ada = user()
    ada.email = "ada@example.org"
    ada.save()
    return campaign(owner=ada)


def owner(study: Campaign) -> int:
    return Membership.objects.get(campaign=study, role="owner").user_id


def hook(study: Campaign, far: Receiver, *events: str) -> Subscription:
    return subscriptions.subscribe(
        study.pk, user_id=owner(study), channel="webhook", events=events or ALL, url=far.url
    )


def by_mail(study: Campaign, *events: str) -> Subscription:
    return subscriptions.subscribe(
        study.pk, user_id=owner(study), channel="mail", events=events or ALL
    )


def later(**span: float) -> None:
    """Let this time pass for everything that waits."""
    for one in Subscription.objects.all():
        Subscription.objects.filter(pk=one.pk).update(next_at=one.next_at - timedelta(**span))
    for notification in Notification.objects.all():
        before = notification.created_at - timedelta(**span)
        Notification.objects.filter(pk=notification.pk).update(created_at=before)


def acts(far: Receiver) -> list[str]:
    return [one["data"]["act"] for one in far.told]


def test_a_webhook_is_told_each_event_once_and_in_order(study: Campaign, far: Receiver) -> None:
    one = hook(study, far)
    life.pause(study.pk)
    life.open_(study.pk)
    life.close(study.pk, CloseReason.HAND, actor_id=owner(study))
    assert far.got == [], "the act has called nobody"
    assert sending.send_due() == 3
    assert sending.send_due() == 0
    assert acts(far) == ["pause", "open", "close"]
    told = far.told[-1]
    assert told["type"] == "decision"
    assert told["data"]["campaign"] == study.public_id
    assert told["data"]["by"] == "a person"
    assert told["data"]["detail"] == {"reason": "hand"}
    assert told["data"]["url"].startswith("https://plumbline.example/campaigns/")
    _path, headers, body = far.got[-1]
    name, at = headers["webhook-id"], headers["webhook-timestamp"]
    own = sending.secret(one.public_id)
    assert headers["webhook-signature"] == sending.signature(own, name, at, body)
    assert abs(int(at) - timezone.now().timestamp()) < 60
    assert len({headers["webhook-id"] for _path, headers, _body in far.got}) == 3


def test_only_chosen_events_of_this_campaign_are_told(study: Campaign, far: Receiver) -> None:
    hook(study, far, "closed")
    other = campaign(owner=user("bob"))
    life.close(other.pk, CloseReason.HAND)
    life.finish(other.pk)
    life.close(study.pk, CloseReason.HAND)
    assert not Notification.objects.exists()
    life.finish(study.pk, reason="hand")
    assert sending.send_due() == 1
    assert [one["type"] for one in far.told] == ["closed"]


def test_a_system_is_named_and_an_annotator_is_not(study: Campaign, far: Receiver) -> None:
    hook(study, far)
    alpha = study.systems.get(name="alpha")
    assert life.stop_system(alpha.pk, reason="target")
    who = person(study, "Grace Hopper")
    judge(who)
    flag(who, "timing")
    sending.send_due()
    stopped, flagged = far.told
    assert stopped["data"]["system"] == "alpha"
    assert (flagged["type"], flagged["data"]["detail"]["tier"]) == ("flag", "pause")
    told = json.dumps(flagged)
    assert not any(
        name in told for name in ("Grace", who.annotator.pseudonym, f"annotator:{who.annotator_id}")
    )


def test_what_is_taken_back_is_not_told(study: Campaign, far: Receiver) -> None:
    hook(study, far)
    with transaction.atomic():
        life.pause(study.pk)
        transaction.set_rollback(True)
    assert sending.send_due() == 0
    assert not Notification.objects.exists()


def test_a_failure_is_tried_again_later_and_first(study: Campaign, far: Receiver) -> None:
    one = hook(study, far)
    far.statuses = [500, 503, 200]
    life.pause(study.pk)
    assert sending.send_due() == 0
    life.open_(study.pk)
    assert sending.send_due() == 0, "it is not its turn"
    assert sending.send(one.pk) == 0, "nor by the message of the new event"
    assert len(far.got) == 1
    (told,) = subscriptions.notifications_of(study.pk)
    assert (told.problem, told.waiting) == ("The receiver answered 500.", 2)
    later(seconds=61)
    assert sending.send_due() == 0
    later(seconds=61)
    assert sending.send_due() == 0, "two minutes after the second failure"
    later(seconds=61)
    assert sending.send_due() == 2
    assert acts(far) == ["pause", "pause", "pause", "open"]
    ids = [headers["webhook-id"] for _path, headers, _body in far.got]
    assert len(set(ids)) == 2, "what is repeated has the same id"
    (told,) = subscriptions.notifications_of(study.pk)
    assert (told.problem, told.waiting) == ("", 0)
    assert Subscription.objects.get().attempts == 0


def test_after_three_days_a_notification_is_given_up_and_after_thirty_forgotten(
    study: Campaign, far: Receiver
) -> None:
    hook(study, far)
    far.statuses = [500]
    life.pause(study.pk)
    sending.send_due()
    later(days=3, seconds=1)
    far.statuses = [200]
    assert sending.send_due() == 0
    (told,) = subscriptions.notifications_of(study.pk)
    assert (told.waiting, told.given_up) == (0, 1)
    later(days=30)
    sending.send_due()
    assert not Notification.objects.exists()


def test_waits_double_up_to_an_hour(study: Campaign, far: Receiver) -> None:
    one = hook(study, far)
    far.statuses = [500]
    life.pause(study.pk)
    waits = []
    for _ in range(12):
        before = timezone.now()
        sending.send(one.pk)
        after = Subscription.objects.get().next_at
        waits.append(round((after - before).total_seconds() / 60))
        Subscription.objects.update(next_at=before)
    assert waits == [1, 2, 4, 8, 16, 32, 60, 60, 60, 60, 60, 60]


def test_a_receiver_that_is_gone_ends_it(study: Campaign, far: Receiver) -> None:
    hook(study, far)
    far.statuses = [410]
    life.pause(study.pk)
    life.open_(study.pk)
    sending.send_due()
    (told,) = subscriptions.notifications_of(study.pk)
    assert told.ended_at is not None
    assert "410" in told.problem
    assert len(far.got) == 1


@pytest.mark.parametrize("loss", ["role", "member", "account"])
def test_who_no_longer_runs_the_campaign_is_told_nothing(
    study: Campaign, far: Receiver, loss: str
) -> None:
    hook(study, far)
    by_mail(study)
    life.pause(study.pk)
    mine = Membership.objects.filter(campaign=study)
    if loss == "role":
        mine.update(role="viewer")
    elif loss == "member":
        mine.delete()
    else:
        user_ = mine.get().user
        user_.is_active = False
        user_.save()
    later(minutes=2)
    assert sending.send_due() == 0
    assert (far.got, mail.outbox) == ([], [])
    assert not Subscription.objects.filter(ended_at=None).exists()


def test_what_happens_in_a_minute_is_one_mail(study: Campaign) -> None:
    by_mail(study)
    Campaign.objects.filter(pk=study.pk).update(name="News\nof today")
    life.pause(study.pk)
    life.open_(study.pk)
    assert sending.send_due() == 0
    later(seconds=61)
    assert sending.send_due() == 2
    (letter,) = mail.outbox
    assert letter.to == ["ada@example.org"]
    assert letter.subject == "News of today: 2 events"
    assert "The campaign is paused." in letter.body
    assert f"https://plumbline.example/campaigns/{study.public_id}/notifications/" in letter.body
    assert sending.send_due() == 0


def test_many_events_are_a_short_mail_and_a_long_name_a_short_subject(study: Campaign) -> None:
    by_mail(study)
    system = "s" * 80
    for _ in range(30):
        audit.record("stop_system", campaign_id=study.pk, subject=f"system:{system}\nX: y")
    later(seconds=61)
    sending.send_due()
    assert "- and 10 more" in mail.outbox[0].body
    audit.record("stop_system", campaign_id=study.pk, subject="system:s\nBcc: x@y.org")
    later(seconds=61)
    sending.send_due()
    assert mail.outbox[1].subject.endswith("Collection stops for the system s Bcc: x@y.org.")
    assert mail.outbox[1].recipients() == ["ada@example.org"]
    audit.record("stop_system", campaign_id=study.pk, subject=f"system:{system * 2}")
    later(seconds=61)
    sending.send_due()
    assert len(mail.outbox[2].subject) == 150


def test_a_mail_uses_the_time_zone_of_its_reader(study: Campaign) -> None:
    from annotate.accounts import accounts as own_settings

    own_settings.change(owner(study), time_zone="Asia/Tokyo", language="")
    by_mail(study)
    life.pause(study.pk)
    later(seconds=61)
    sending.send_due()
    assert " JST: The campaign is paused." in mail.outbox[0].body


def test_no_address_is_a_problem_that_is_told(study: Campaign) -> None:
    by_mail(study)
    user_ = Membership.objects.get(campaign=study).user
    user_.email = ""
    user_.save()
    life.pause(study.pk)
    later(seconds=61)
    assert sending.send_due() == 0
    assert (
        subscriptions.notifications_of(study.pk)[0].problem == "Your account has no e-mail address."
    )


def test_a_low_budget_is_told_once() -> None:
    made = campaign(owner=user(), budget=Decimal("1.00"), reward=Decimal("0.20"), items=20)
    who = person(made)
    with receiver() as far:
        hook(made, far, "budget")
        for _ in range(3):
            judge(who)
        assert tasks.send_notifications() == 0
        judge(who)
        assert tasks.send_notifications() == 1
        assert tasks.send_notifications() == 0
        hook(made, far, "budget")
        assert tasks.send_notifications() == 0
    (told,) = far.told
    assert told["data"]["detail"] == {"committed": "0.80", "budget": "1.00", "currency": "USD"}
    assert AuditEntry.objects.filter(verb="budget_low").count() == 1


def test_two_workers_note_a_low_budget_once(study: Campaign) -> None:
    by_mail(study)
    assert subscriptions._note(study.pk)
    assert not subscriptions._note(study.pk)
    assert AuditEntry.objects.filter(verb="budget_low").count() == 1


def test_a_test_is_sent_at_once_with_what_waits(study: Campaign, far: Receiver) -> None:
    one = hook(study, far, "status")
    far.statuses = [500, 200]
    life.pause(study.pk)
    sending.send_due()
    subscriptions.test(study.pk, one.public_id)
    with pytest.raises(Conflict, match="on its way"):
        subscriptions.test(study.pk, one.public_id)
    assert sending.send(one.pk) == 2
    assert [told["type"] for told in far.told] == ["status", "status", "test"]
    assert "works" in far.told[-1]["data"]["text"]


def test_an_ended_subscription_is_silent(study: Campaign, far: Receiver) -> None:
    one = hook(study, far)
    life.pause(study.pk)
    assert subscriptions.end(study.pk, one.public_id, actor_id=owner(study))
    assert not subscriptions.end(study.pk, one.public_id, actor_id=owner(study))
    life.open_(study.pk)
    assert sending.send_due() == 0
    with pytest.raises(Conflict, match="ended"):
        subscriptions.test(study.pk, one.public_id)


def test_a_subscription_of_another_campaign_is_not_there(study: Campaign, far: Receiver) -> None:
    one = hook(study, far)
    other = campaign(owner=user("bob"))
    for name in (one.public_id, "x\x00", ""):
        with pytest.raises(NotFound):
            subscriptions.end(other.pk, name, actor_id=owner(other))


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"channel": "pigeon", "url": ""}, "channel"),
        ({"events": ()}, "events"),
        ({"events": ("closed", "judgment")}, "events"),
        ({"url": "ftp://example.org/"}, "url"),
        ({"url": ""}, "url"),
        ({"channel": "mail", "url": "https://example.org/"}, "url"),
    ],
)
def test_wrong_wishes_are_refused(study: Campaign, wrong: dict[str, Any], field: str) -> None:
    asked = {"channel": "webhook", "events": ALL, "url": "https://example.org/"} | wrong
    with pytest.raises(Invalid) as refused:
        subscriptions.subscribe(study.pk, user_id=owner(study), **asked)
    assert list(refused.value.errors) == [field]


def test_there_is_one_mail_for_a_person_and_twenty_for_a_campaign(
    study: Campaign, far: Receiver
) -> None:
    by_mail(study)
    with pytest.raises(Conflict, match="already"):
        by_mail(study)
    for _ in range(19):
        hook(study, far)
    with pytest.raises(Conflict, match="at most 20"):
        hook(study, far)


def test_the_log_names_the_host_alone(study: Campaign) -> None:
    subscriptions.subscribe(
        study.pk,
        user_id=owner(study),
        channel="webhook",
        events=["closed"],
        url="https://hooks.example.org/services/very-secret",
    )
    entry = AuditEntry.objects.get(verb="subscribe")
    assert entry.detail["host"] == "hooks.example.org"
    assert "very-secret" not in json.dumps(entry.detail)


def test_a_worker_that_died_in_a_call_is_followed_by_another(
    study: Campaign, far: Receiver
) -> None:
    one = hook(study, far)
    life.pause(study.pk)
    assert sending._claim(one, timezone.now())
    assert sending.send_due() == 0, "the claim lasts a minute"
    later(seconds=61)
    assert sending.send_due() == 1


def test_an_address_that_is_no_longer_allowed_delays_nobody_else(
    study: Campaign, far: Receiver, settings: Any
) -> None:
    hook(study, far)
    by_mail(study)
    life.pause(study.pk)
    later(seconds=61)
    settings.PRIVATE_WEBHOOKS = False
    assert sending.send_due() == 1
    assert len(mail.outbox) == 1
    told = {one.is_mail: one.problem for one in subscriptions.notifications_of(study.pk)}
    assert told == {True: "", False: "The address begins with https://."}


def test_two_workers_do_not_send_one_notification_twice(study: Campaign, far: Receiver) -> None:
    one = hook(study, far)
    life.pause(study.pk)
    seen = Subscription.objects.get(pk=one.pk)
    assert sending.send(one.pk) == 1
    assert not sending._claim(seen, timezone.now()), "what it saw is over"
