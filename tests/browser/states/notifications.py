"""Notifications: who is told what happens in a campaign, and how it fares."""

from datetime import timedelta

from django.test import override_settings
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import expect

from annotate.models import Campaign, Notification, Subscription
from annotate.notifications import subscriptions
from tests.browser.states import Visitor, state
from tests.browser.states.researcher import logged_in, study


def told(owner_id: int, made: Campaign) -> None:
    """A mail, a webhook that fails, one that works and one that has ended."""
    asked = {"user_id": owner_id, "events": ("closed", "decision", "flag")}
    subscriptions.subscribe(made.pk, channel="mail", **asked)
    hooks = [
        subscriptions.subscribe(made.pk, channel="webhook", url=url, **asked)
        for url in (
            "https://hooks.example.org/services/T024BE7LD/B0271JXPU/a-long-part-that-is-a-secret",
            "https://example.org/plumbline",
            "https://old.example.org/plumbline",
        )
    ]
    now = timezone.now()
    Notification.objects.create(subscription=hooks[0], created_at=now)
    rows = Subscription.objects
    rows.filter(pk=hooks[0].pk).update(
        problem="The receiver answered 500.", attempts=2, next_at=now + timedelta(minutes=4)
    )
    rows.filter(pk=hooks[1].pk).update(last_sent_at=now)
    subscriptions.end(made.pk, hooks[2].public_id, actor_id=owner_id)


@state("notifications/told")
def _told(visitor: Visitor) -> None:
    visitor.staying.enter_context(override_settings(SENDS_MAIL=True))
    owner = logged_in(visitor)
    made = study(owner)
    told(owner.pk, made)
    page = visitor.goto(reverse("annotate:notifications", args=[made.public_id]))
    page.get_by_text("Secret that signs its calls").first.click()
    expect(page.get_by_text("The receiver answered 500.")).to_be_visible()


@state("notifications/nobody")
def _nobody(visitor: Visitor) -> None:
    made = study(logged_in(visitor))
    page = visitor.goto(reverse("annotate:notifications", args=[made.public_id]))
    page.get_by_label("Address of the webhook").fill("http://example.org/")
    page.get_by_role("button", name="Tell me").click()
    expect(page.get_by_text("The address begins with https://.")).to_be_visible()
