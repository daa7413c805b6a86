"""Subscriptions to what happens in a campaign, and the news that its budget is low."""

from collections.abc import Collection
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Count, Q, QuerySet
from django.utils import timezone

from annotate.common import audit, locks
from annotate.common.audit import EVENTS
from annotate.common.errors import Conflict, Invalid, NotFound
from annotate.models import Campaign, Notification, Subscription
from annotate.models.base import CampaignStatus, NotificationChannel
from annotate.notifications import sending
from annotate.pay import budget

PERCENT = 80


def note_low() -> int:
    """Log it for each campaign to which it happens, once; return for how many."""
    asking = Subscription.objects.filter(ended_at=None, low_told=False).values("campaign")
    found = Campaign.objects.filter(pk__in=asking, status=CampaignStatus.OPEN, budget__isnull=False)
    return sum(_note(campaign.pk) for campaign in found if _is_low(campaign))


def _is_low(campaign: Campaign) -> bool:
    return budget.committed(campaign) * 100 >= (campaign.budget or 0) * PERCENT


def _note(campaign_id: int) -> bool:
    with transaction.atomic():
        campaign = locks.campaign(campaign_id)
        untold = Subscription.objects.filter(campaign=campaign, ended_at=None, low_told=False)
        if not untold.update(low_told=True):
            return False
        audit.record(
            "budget_low",
            campaign_id=campaign.pk,
            committed=str(budget.committed(campaign)),
            budget=str(campaign.budget),
            currency=campaign.currency,
        )
    return True


# Subscriptions to what happens in a campaign: made, tested and ended by people who run it.


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
        audit.store([one], None)


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
            sending.parsed(url)
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
    to = sending.parsed(one.url).host if one.url else ""
    audit.record(
        verb,
        campaign_id=one.campaign_id,
        actor_id=actor_id,
        subject=f"subscription:{one.public_id}",
        channel=one.channel,
        events=one.events,
        **({"host": to} if to else {}),
    )


# A campaign's subscriptions, and the results of what was sent.


MOST_ENDED = 20


def notifications_of(campaign_id: int) -> list[Any]:
    """Return the subscriptions of a campaign, then those that have ended, the newest first.

    Each with the notifications that wait (`waiting`) and could not be sent (`given_up`).
    """
    rows = of_campaign(campaign_id)
    return [*rows.filter(ended_at=None), *rows.exclude(ended_at=None).order_by("-id")[:MOST_ENDED]]


def of_campaign(campaign_id: int) -> QuerySet[Any]:
    unsent = Q(notifications__sent_at=None)
    return (
        Subscription.objects.filter(campaign=campaign_id)
        .select_related("user")
        .annotate(
            waiting=Count("notifications", unsent & Q(notifications__given_up_at=None)),
            given_up=Count("notifications", unsent & Q(notifications__given_up_at__isnull=False)),
        )
    )
