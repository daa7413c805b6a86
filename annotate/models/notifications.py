"""Subscriptions to a campaign's events, and the notifications to send."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotate.models.audit import AuditEntry
from annotate.models.base import public_id
from annotate.models.campaigns import Campaign
from annotate.states import NotificationChannel

LONGEST_URL = 500


class Subscription(models.Model):
    """A subscription to events: by mail to the person, or by a webhook to their address.

    events: keys of `annotate.services.notifications.events.EVENTS`.
    next_at: nothing is sent before this. attempts: failed ones in a row, and one under way.
    problem: why the last attempt failed; "" if it did not.
    low_told: it is known that most of the budget is used.
    """

    Channel = NotificationChannel

    public_id = models.CharField(max_length=16, unique=True, default=public_id, editable=False)
    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="subscriptions")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    channel = models.CharField(max_length=8, choices=Channel)
    url = models.CharField(max_length=LONGEST_URL, blank=True)  # of a webhook; may hold a secret
    events = models.JSONField()
    created_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    next_at = models.DateTimeField()
    attempts = models.PositiveSmallIntegerField(default=0)
    problem = models.CharField(max_length=200, blank=True)
    low_told = models.BooleanField(default=False)
    last_sent_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "user"],
                condition=Q(channel=NotificationChannel.MAIL, ended_at=None),
                name="one_mail_subscription",
            )
        ]

    def __str__(self) -> str:
        return self.public_id


class Notification(models.Model):
    """One event for one subscription. entry: the act; null for a test that somebody asked for.

    Its text is made when it is sent. It may arrive twice where a worker died while it was sending:
    receivers tell by the public id.
    """

    public_id = models.CharField(max_length=16, unique=True, default=public_id, editable=False)
    subscription = models.ForeignKey(
        Subscription, models.CASCADE, related_name="notifications", db_index=False
    )
    entry = models.ForeignKey(
        AuditEntry, models.PROTECT, null=True, related_name="+", db_index=False
    )
    created_at = models.DateTimeField()
    sent_at = models.DateTimeField(null=True)
    given_up_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["id"]
        indexes = [
            models.Index(fields=["subscription", "id"], name="notification_newest"),
            models.Index(
                fields=["subscription", "created_at"],
                condition=Q(sent_at=None, given_up_at=None),
                name="notification_waiting",
            ),
        ]

    def __str__(self) -> str:
        return self.public_id
