"""Sends notifications: each subscription is an ordered queue, which waits after a failure."""

import logging
import time
from datetime import datetime, timedelta
from smtplib import SMTPException

from django.conf import settings
from django.core.mail import EmailMessage
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from annotate.models import Membership, Notification, Subscription
from annotate.services import attempts
from annotate.services.accounts.mailing import said
from annotate.services.notifications import calling, letters, payloads

AT_ONCE = 100  # notifications of a subscription in one turn
TURN = 40.0  # seconds after which a turn begins no further call: the claim lasts a minute
GATHER = timedelta(minutes=1)  # what happens in this time is one mail
GIVEN_UP = timedelta(days=3)  # a notification that nobody has taken
KEPT = timedelta(days=30)

logger = logging.getLogger(__name__)


def send_due() -> int:
    """Send what is due in all campaigns, and forget what is old; return how many were sent."""
    now = timezone.now()
    Notification.objects.filter(created_at__lt=now - KEPT).delete()
    _waiting().filter(created_at__lt=now - GIVEN_UP).update(given_up_at=now)
    until, n = time.monotonic() + TURN, 0
    for pk in list(_due(now).values_list("pk", flat=True)):
        if time.monotonic() < until:
            n += send(pk)
    return n


def send(subscription_id: int) -> int:
    """Send what waits for one subscription, if it is due; return how many were sent.

    Call it outside transactions. What fails is tried again after 1, 2, 4 … 60 minutes, for three
    days, before anything later: the receiver sees events in their order.
    """
    now = timezone.now()
    one = _due(now).filter(pk=subscription_id).select_related("user", "campaign").first()
    if one is None or not _claim(one, now):
        return 0
    if not _may_know(one):
        _end(one)
        return 0
    waiting = list(_waiting().filter(subscription=one).select_related("entry")[:AT_ONCE])
    for notification in waiting:
        notification.subscription = one
    if not waiting:
        return 0  # another worker has sent it between
    try:
        return _mailed(waiting) if one.channel == Subscription.Channel.MAIL else _called(waiting)
    except calling.Failed as error:
        _failed(one, str(error))
    except (OSError, SMTPException, ValueError) as error:
        _failed(one, said(error))
    return 0


def _called(waiting: list[Notification]) -> int:
    until, n = time.monotonic() + TURN, 0
    for notification in waiting:
        if time.monotonic() > until:
            break
        content, now = payloads.body(notification), timezone.now()
        url = notification.subscription.url
        status = calling.post(url, content, payloads.headers(notification, content, at=now))
        if status == calling.GONE:
            _end(notification.subscription, "The receiver answered 410: it wishes no more of this.")
            return n
        _sent([notification])
        n += 1
    return n


def _mailed(waiting: list[Notification]) -> int:
    one = waiting[0].subscription
    letter = letters.of(waiting)
    if not one.user.email:
        raise calling.Failed("Your account has no e-mail address.")
    sender = settings.DEFAULT_FROM_EMAIL
    EmailMessage(letter.subject, letter.text, sender, [one.user.email]).send()
    _sent(waiting)
    return len(waiting)


def _sent(notifications: list[Notification]) -> None:
    now = timezone.now()
    Notification.objects.filter(pk__in=[one.pk for one in notifications]).update(sent_at=now)
    mine = Subscription.objects.filter(pk=notifications[0].subscription_id)
    mine.update(attempts=0, next_at=now, problem="", last_sent_at=now)


def _failed(one: Subscription, problem: str) -> None:
    logger.warning("notifications of %s wait: %s", one.public_id, problem)
    Subscription.objects.filter(pk=one.pk).update(problem=problem)


def _end(one: Subscription, problem: str = "") -> None:
    rows = Subscription.objects.filter(pk=one.pk, ended_at=None)
    rows.update(ended_at=timezone.now(), problem=problem)


def _waiting() -> QuerySet[Notification]:
    return Notification.objects.filter(sent_at=None, given_up_at=None).order_by("id")


def _due(now: datetime) -> QuerySet[Subscription]:
    """Select the subscriptions with something to send; mails gather what happens in a minute."""
    mine = _waiting().filter(subscription=OuterRef("pk"))
    mail = Q(channel=Subscription.Channel.MAIL)
    ready = (~mail & Exists(mine)) | (mail & Exists(mine.filter(created_at__lte=now - GATHER)))
    return Subscription.objects.filter(ready, ended_at=None, next_at__lte=now).order_by("next_at")


def _claim(one: Subscription, now: datetime) -> bool:
    """Move the next attempt into the future, for this worker alone."""
    mine = Subscription.objects.filter(pk=one.pk, attempts=one.attempts, next_at=one.next_at)
    again = attempts.next_at(one.attempts, now)
    return bool(mine.update(attempts=one.attempts + 1, next_at=again))


def _may_know(one: Subscription) -> bool:
    """Return whether the person still runs the campaign."""
    mine = Membership.objects.filter(campaign=one.campaign_id, user=one.user_id)
    return one.user.is_active and mine.filter(role__in=Membership.RUN).exists()
