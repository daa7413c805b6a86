"""Accounts of researchers: settings, where they are signed in, tokens, invitations and mails.

Secrets are stored as digests. `annotate.common.tokens` makes and compares them.
"""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from annotate.models.base import Fact, NotificationChannel, new_public_id, newest_of_campaign
from annotate.models.campaigns import Campaign, Membership

LONGEST_NAME = 60  # characters of a token's name
DIGEST = 64  # hexadecimal digits of SHA-256


class Profile(models.Model):
    """What a person has chosen for their pages. Accounts without a row use the usual settings.

    look_small, look_large: how the user name looks (`annotate.common.text`). They are stored for
    names that people chose themselves, so that no two of these look alike.
    """

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, models.CASCADE, primary_key=True, related_name="profile"
    )
    time_zone = models.CharField(max_length=64, blank=True)  # "": the server's
    language = models.CharField(max_length=12, blank=True)  # of dates and numbers; "": English
    look_small = models.CharField(max_length=32, unique=True, null=True)
    look_large = models.CharField(max_length=32, unique=True, null=True)


class SignIn(models.Model):
    """A browser with which somebody has signed in; its row is deleted with its session."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="sign_ins")
    session_key = models.CharField(max_length=40, unique=True)
    browser = models.CharField(max_length=200, blank=True)
    address = models.CharField(max_length=64, blank=True)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"sign-in {self.pk}"


class ApiToken(models.Model):
    """A secret with which a script acts as its owner. Only its digest is stored."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=LONGEST_NAME)
    digest = models.CharField(max_length=DIGEST, unique=True)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)
    used_on = models.DateField(null=True)

    def __str__(self) -> str:
        return self.name

    @property
    def has_ended(self) -> bool:
        return self.expires_at is not None and self.expires_at <= timezone.now()


class RecoveryCode(models.Model):
    """A code that replaces the app of a second factor once. Its row is deleted on use."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="recovery_codes", db_index=False
    )
    digest = models.CharField(max_length=DIGEST)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "digest"], name="recovery_code_once")
        ]


class Invitation(models.Model):
    """An offer of a role in a campaign, accepted by a link. Only the link's digest is stored.

    An invitation ends when it is used up, expired or revoked, and when the person who made it is
    no owner of the campaign any more.
    """

    public_id = models.CharField(max_length=16, unique=True, default=new_public_id, editable=False)
    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="invitations")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    role = models.CharField(max_length=12, choices=Membership.Role)
    email = models.EmailField(blank=True)  # "": handed on as a link
    digest = models.CharField(max_length=DIGEST, unique=True)
    most_uses = models.PositiveSmallIntegerField(default=1)
    uses = models.PositiveSmallIntegerField(default=0)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(uses__lte=models.F("most_uses")), name="invitation_uses"
            )
        ]

    def __str__(self) -> str:
        return self.public_id


class Mail(models.Model):
    """A mail that is to be sent: committed with what causes it, then sent by a worker.

    Secrets are not stored: the worker makes the text when it sends it. A mail may arrive twice
    where a worker died while it was sending.
    problem: why the last attempt failed.
    """

    class Kind(models.TextChoices):
        INVITATION = "invitation"
        RESET = "reset"

    kind = models.CharField(max_length=12, choices=Kind)
    to = models.EmailField()
    invitation = models.ForeignKey(Invitation, models.CASCADE, null=True, related_name="mails")
    created_at = models.DateTimeField()
    due_at = models.DateTimeField()
    attempts = models.PositiveSmallIntegerField(default=0)
    sent_at = models.DateTimeField(null=True)
    given_up_at = models.DateTimeField(null=True)
    problem = models.CharField(max_length=200, blank=True)

    class Meta:
        indexes = [
            models.Index(
                fields=["due_at"], condition=Q(sent_at=None, given_up_at=None), name="mail_due"
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}"


class KeptAnswer(models.Model):
    """The answer to a writing request of the API that came with a key of the caller's.

    It is written in the transaction of the act: there is an answer exactly if there is an effect.
    digest: of the request, so that a key is not used for another one.
    """

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="+", db_index=False
    )
    key = models.CharField(max_length=200)
    digest = models.CharField(max_length=64)
    answered = models.PositiveSmallIntegerField(null=True)  # with this status
    content = models.TextField(blank=True)
    created_at = models.DateTimeField(db_index=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "key"], name="kept_answer_once")]


# Who did what, and when. Written in the transaction of the act.


LONGEST_SUBJECT = 240  # "system:" and the longest name of a system
LAUNCHES = ("launch", "extend")  # acts that agree to a cost of a batch
# Routine: written for every text and paid unit, and for single things unless a person acts.
_THINGS = ("operation:", "posting:", "tutorial_run:")
_OF_THINGS = Q(*(("subject__startswith", thing) for thing in _THINGS), _connector=Q.OR)
_ROUTINE = Q(verb__in=("submitted", "returned", "expired")) | Q(
    subject__startswith="participation:"
)
FEED = ~_ROUTINE & ~(Q(actor=None) & _OF_THINGS)
ON_PEOPLE = Q(subject__startswith="annotator:")


class AuditEntry(Fact):
    """One act. `actor` is null for automatic acts of Plumbline."""

    campaign = models.ForeignKey(
        Campaign, models.PROTECT, null=True, related_name="audit", db_index=False
    )
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True)
    verb = models.CharField(max_length=40)
    subject = models.CharField(max_length=LONGEST_SUBJECT, blank=True)
    detail = models.JSONField(default=dict)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["subject"], condition=Q(verb__in=LAUNCHES), name="audit_launches"),
            newest_of_campaign("audit_newest"),
            models.Index(fields=["campaign", "id"], condition=FEED, name="audit_feed"),
            models.Index(
                fields=["campaign", "subject", "id"], condition=ON_PEOPLE, name="audit_on_people"
            ),
        ]


# Subscriptions to a campaign's events, and the notifications to send.


LONGEST_URL = 500


class Subscription(models.Model):
    """A subscription to events: by mail to the person, or by a webhook to their address.

    events: keys of `annotate.common.audit.EVENTS`.
    next_at: nothing is sent before this. attempts: failed ones in a row, and one under way.
    problem: why the last attempt failed; "" if it did not.
    low_told: it is known that most of the budget is used.
    """

    Channel = NotificationChannel

    public_id = models.CharField(max_length=16, unique=True, default=new_public_id, editable=False)
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

    @property
    def is_mail(self) -> bool:
        return self.channel == self.Channel.MAIL


class Notification(models.Model):
    """One event for one subscription. entry: the act; null for a test that somebody asked for.

    Its text is made when it is sent. It may arrive twice where a worker died while it was sending:
    receivers tell by the public id.
    """

    public_id = models.CharField(max_length=16, unique=True, default=new_public_id, editable=False)
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
