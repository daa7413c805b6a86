"""Notifications to send: rows committed with the act, for its subscribers."""

from django.db import transaction
from django.utils import timezone

from annotate.models import AuditEntry, Notification, Subscription
from annotate.services.notifications import events
from annotate.signals import notifications_intended

WEBHOOK = Subscription.Channel.WEBHOOK


def of_act(entry: AuditEntry) -> None:
    """Store a notification for each subscription that asks for this act, in the act's transaction.

    Acts that are no event, such as judgments, cost nothing here.
    """
    event = events.of(entry.verb)
    if event is None or entry.campaign_id is None:
        return
    rows = Subscription.objects.filter(campaign=entry.campaign_id, ended_at=None)
    store([one for one in rows if event.key in one.events], entry)


def store(asking: list[Subscription], entry: AuditEntry | None) -> None:
    """Store a notification for each; webhooks are called after the commit, mails a minute later."""
    now = timezone.now()
    Notification.objects.bulk_create(
        Notification(subscription=one, entry=entry, created_at=now) for one in asking
    )
    hooks = [one.pk for one in asking if one.channel == WEBHOOK]
    transaction.on_commit(lambda: _announce(hooks), robust=True)


def _announce(subscription_ids: list[int]) -> None:
    for pk in subscription_ids:
        notifications_intended.send_robust(sender=None, subscription_id=pk)
