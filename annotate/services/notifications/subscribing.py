"""Subscriptions to what happens in a campaign: made, tested and ended by people who run it."""

from collections.abc import Collection

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from annotate.errors import Conflict, Invalid, NotFound
from annotate.models import Notification, Subscription
from annotate.models.notifications import LONGEST_URL
from annotate.services import audit, locks
from annotate.services.notifications import destinations, intending
from annotate.services.notifications.events import EVENTS
from annotate.states import NotificationChannel

__all__ = ["LONGEST_URL", "end", "subscribe", "test"]
MOST = 20  # of a campaign at a time
NO_MAIL = "This server sends no mail. Use a webhook instead."


def subscribe(
    campaign_id: int, *, user_id: int, channel: str, events: Collection[str], url: str = ""
) -> Subscription:
    """Make a subscription. Raises `Invalid` for what cannot be, `Conflict` for too many."""
    _check(channel, events, url)
    with transaction.atomic():
        locks.campaign(campaign_id)
        mine = Subscription.objects.filter(campaign=campaign_id)
        _ask_for_room(mine.filter(ended_at=None), user_id, channel)
        now = timezone.now()
        made = Subscription.objects.create(
            campaign_id=campaign_id,
            user_id=user_id,
            channel=channel,
            url=url,
            events=[key for key in EVENTS if key in events],
            created_at=now,
            next_at=now,
            low_told=mine.filter(low_told=True).exists(),
        )
        _record("subscribe", made, user_id)
    return made


def end(campaign_id: int, public_id: str, *, actor_id: int) -> bool:
    """End a subscription; False if it has ended before."""
    with transaction.atomic():
        one = _get(campaign_id, public_id)
        rows = Subscription.objects.filter(pk=one.pk, ended_at=None)
        if not rows.update(ended_at=timezone.now()):
            return False
        _record("unsubscribe", one, actor_id)
    return True


def test(campaign_id: int, public_id: str) -> None:
    """Send a test soon; what waits after a failure is tried again now."""
    with transaction.atomic():
        locks.campaign(campaign_id)
        one = _get(campaign_id, public_id)
        if one.ended_at is not None:
            raise Conflict("This subscription has ended.")
        Subscription.objects.filter(pk=one.pk).update(next_at=timezone.now(), attempts=0)
        waiting = Notification.objects.filter(subscription=one, entry=None, sent_at=None)
        if waiting.filter(given_up_at=None).exists():
            raise Conflict("A test is on its way.")
        intending.store([one], None)


def _ask_for_room(active: QuerySet[Subscription], user_id: int, channel: str) -> None:
    if active.count() >= MOST:
        raise Conflict(f"A campaign has at most {MOST} subscriptions. End one first.")
    mails = active.filter(user=user_id, channel=NotificationChannel.MAIL)
    if channel == NotificationChannel.MAIL and mails.exists():
        raise Conflict("You get mails of this campaign already. End that first.")


def _check(channel: str, events: Collection[str], url: str) -> None:
    errors = {}
    if channel not in NotificationChannel.values:
        errors["channel"] = "Choose mail or webhook."
    elif channel == NotificationChannel.MAIL and not settings.SENDS_MAIL:
        errors["channel"] = NO_MAIL
    if not events or not set(events) <= set(EVENTS):
        errors["events"] = "Choose one event or more."
    if channel == NotificationChannel.WEBHOOK:
        try:
            destinations.parsed(url)
        except Invalid as refused:
            errors |= refused.errors
    elif url:
        errors["url"] = "A mail goes to the address of your account: leave this empty."
    if errors:
        raise Invalid(errors)


def _get(campaign_id: int, public_id: str) -> Subscription:
    mine = Subscription.objects.filter(campaign=campaign_id)
    found = mine.filter(public_id=public_id).first() if public_id.isalnum() else None
    if found is None:
        raise NotFound("There is no such subscription.")
    return found


def _record(verb: str, one: Subscription, actor_id: int) -> None:
    """Log it; of the address only the host, for the rest may be a secret."""
    to = destinations.parsed(one.url).host if one.url else ""
    audit.record(
        verb,
        campaign_id=one.campaign_id,
        actor_id=actor_id,
        subject=f"subscription:{one.public_id}",
        channel=one.channel,
        events=one.events,
        **({"host": to} if to else {}),
    )
