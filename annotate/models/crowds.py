"""Publications on a crowd, and operations to be done there, with what each tells the crowd.

References to rows of the database are foreign keys of the operation (`crowd.Operation`), not part
of this.
"""

import json
from decimal import Decimal
from typing import Annotated, Any, ClassVar, Self

from django.conf import settings
from django.db import models
from django.db.models import Q
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from annotate.models.base import Fact, ImmutableError, new_public_id
from annotate.models.campaigns import Campaign

# Postgres stores no NUL in JSON.
Words = Annotated[str, StringConstraints(min_length=1, pattern=r"^[^\x00]*$")]
Cents = Annotated[Decimal, Field(gt=0, max_digits=10, decimal_places=2)]
Places = Annotated[int, Field(ge=1, le=2**31 - 1)]


class Payload(BaseModel):
    """The exact words of the call, so a repeated call sends the same. `kind`: of the operation."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")
    kind: ClassVar[str]

    @classmethod
    def of(cls, op: "Operation") -> Self:
        """Return an operation's payload; `TypeError` if it is of another kind."""
        if op.kind != cls.kind:
            raise TypeError(f"operation {op.pk} is a {op.kind}, not a {cls.kind}")
        return cls.from_json(op.payload)

    @classmethod
    def from_json(cls, value: Any) -> Self:
        """Read the output of `model_dump(mode="json")`; raises pydantic's `ValidationError`."""
        return cls.model_validate_json(json.dumps(value))


class PublishPayload(Payload):
    kind = "publish"
    places: Places
    url: Words


class AddPlacesPayload(Payload):
    kind = "add_places"
    places: Places


class StopPayload(Payload):
    kind = "stop"


class ArchivePayload(Payload):
    kind = "archive"


class ApprovePayload(Payload):
    kind = "approve"


class RejectPayload(Payload):
    kind = "reject"
    reason: str = Field(pattern=r"^[^\x00]*$")  # the crowd decides whether it accepts an empty one


class OverridePayload(Payload):
    kind = "override"


class BonusPayload(Payload):
    """The payment of a bonus.

    listing, unit, person: the crowd's names of the unit that carries the bonus. It may differ from
        the unit of the operation.
    amount: without fees.
    """

    kind = "bonus"
    listing: Words
    unit: Words
    person: Words
    amount: Cents
    reason: Words


class ExcludePayload(Payload):
    """group: the name of the list at the crowd."""

    kind = "exclude"
    person: Words
    group: Words


class IncludePayload(Payload):
    kind = "include"
    person: Words
    group: Words


class MessagePayload(Payload):
    kind = "message"
    people: Annotated[tuple[Words, ...], Field(min_length=1)]
    subject: Words
    text: Words


FORMS: dict[str, type[Payload]] = {
    form.kind: form
    for form in (
        PublishPayload,
        AddPlacesPayload,
        StopPayload,
        ArchivePayload,
        ApprovePayload,
        RejectPayload,
        OverridePayload,
        BonusPayload,
        ExcludePayload,
        IncludePayload,
        MessagePayload,
    )
}


def payloads_stored(kind: str, value: Any) -> dict[str, Any]:
    """Return a payload, or its JSON, in the form in which it is stored.

    Raises `ValueError` for an unknown kind, a payload of another kind, and invalid content.
    """
    form = FORMS.get(kind)
    if form is None:
        raise ValueError(f"There is no kind of operation “{kind}”.")
    if isinstance(value, Payload):
        if value.kind != kind:
            raise ValueError(f"A payload of the kind {value.kind} does not belong to a {kind}.")
        value = value.model_dump(mode="json", warnings="none")
    return form.from_json(value).model_dump(mode="json")


class PayloadField(models.JSONField):
    """JSON in the form of its row's kind, checked whenever the row is written."""

    def pre_save(self, model_instance: models.Model, add: bool) -> dict[str, Any]:
        return payloads_stored(model_instance.kind, super().pre_save(model_instance, add))  # type: ignore[attr-defined]

    def deconstruct(self) -> Any:
        """Describe it to migrations as plain JSON, because the forms may change."""
        name, _path, positional, named = super().deconstruct()
        return name, "django.db.models.JSONField", positional, named


# Publications on a crowd, and operations to be done there: intents before effects (rule 3).


class Batch(models.Model):
    """One launch: a number of submissions of a campaign, on one crowd, under the same terms."""

    public_id = models.CharField(max_length=16, unique=True, default=new_public_id, editable=False)
    campaign = models.ForeignKey(Campaign, models.PROTECT, related_name="batches")
    crowd = models.CharField(max_length=20)
    environment = models.CharField(max_length=80)
    terms = models.JSONField()  # the request: `annotate.batch_terms.Terms`
    reward = models.DecimalField(max_digits=8, decimal_places=2)  # of one paid unit
    tasks = models.PositiveIntegerField()  # that a unit holds
    places = models.PositiveIntegerField()  # units that were confirmed, with extensions
    key = models.CharField(max_length=80, unique=True)  # of the request; a repeat creates nothing
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True)
    created_at = models.DateTimeField()
    stopped_at = models.DateTimeField(null=True)  # intended to stop; its postings follow

    class Meta:
        ordering = ["-id"]


class Posting(models.Model):
    """One listing on the crowd: a HIT, a study."""

    class Status(models.TextChoices):
        PLANNED = "planned", "being published"
        OPEN = "open"
        DRAINING = "draining", "stopped; some are still at it"
        CLOSED = "closed"
        FAILED = "failed", "could not be published"

    batch = models.ForeignKey(Batch, models.PROTECT, related_name="postings")
    public_id = models.CharField(max_length=16, unique=True, default=new_public_id, editable=False)
    places = models.PositiveIntegerField()
    status = models.CharField(max_length=10, choices=Status, default=Status.PLANNED)
    # Free slots of a closing campaign that it offers again, which makes it a refill.
    gaps = models.ManyToManyField("annotate.Slot", related_name="refills")
    environment = models.CharField(max_length=80)
    external_id = models.CharField(max_length=120, blank=True)
    external_group = models.CharField(max_length=120, blank=True)
    url = models.CharField(max_length=500, blank=True)
    code = models.CharField(max_length=40, blank=True)  # completion code
    expires_at = models.DateTimeField(null=True)
    looked_at = models.DateTimeField(null=True)  # when the crowd was last asked
    available = models.PositiveIntegerField(null=True)  # as the crowd counted then
    pending = models.PositiveIntegerField(null=True)
    problem = models.TextField(blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["environment", "external_id"],
                condition=~Q(external_id=""),
                name="posting_once",
            )
        ]


ABOUT_POSTINGS = ("publish", "add_places", "stop", "archive")
ABOUT_PAY = ("approve", "reject", "override", "bonus")
ABOUT_PEOPLE = ("exclude", "include")
KINDS = (*ABOUT_POSTINGS, *ABOUT_PAY, *ABOUT_PEOPLE, "message")


def _have(kinds: tuple[str, ...], relation: str) -> Q:
    return ~Q(kind__in=kinds) | Q((f"{relation}__isnull", False))


def _alone_have(kinds: tuple[str, ...], relation: str) -> Q:
    return _have(kinds, relation) & (Q(kind__in=kinds) | Q((f"{relation}__isnull", True)))


# By the code of the reason; otherwise by the status of an operation.
REMEDIES = {
    "funds": "Top up the account at the crowd, then try again.",
    "configuration": "Correct the settings of this installation. It then continues automatically.",
    "environment": "Name that environment in the settings again. It then continues automatically.",
    "unlisted": "Look for this submission on the crowd’s own pages. If it is handed in there, "
    "try again; if not, drop this: it is not tried any more. "
    "What is still owed can be given as a bonus.",
    "pending": "Nothing to do: it is tried again automatically, at growing intervals.",
    "sent": "Nothing to do: before the next attempt, Plumbline checks whether it happened.",
    "refused": "Correct what the message names, then try again, or drop it.",
    "unclear": "Check on the crowd’s own pages whether it happened, and say so here.",
}


class OperationQuerySet(models.QuerySet["Operation"]):
    """The intended effect is immutable; only its state changes."""

    WORK = ("attempts", "due_at", "sent_at", "claimed_until", "claim")
    CHANGES = frozenset(("status", "done_at", "code", "message", *WORK))

    def update(self, **changes: Any) -> int:
        if fixed := sorted(changes.keys() - self.CHANGES):
            raise ImmutableError(f"Of an operation these never change: {', '.join(fixed)}.")
        return super().update(**changes)


class Operation(models.Model):
    """An intended effect on a crowd. Committed before it is tried; safe to carry out twice.

    `key` is the reason, one row per reason. It is never parsed. `token` is the crowd's idempotency
    key. Foreign keys say what it is about, and `payload` what the crowd is told.
    """

    class Kind(models.TextChoices):
        PUBLISH = "publish"
        ADD_PLACES = "add_places", "add places"
        STOP = "stop"
        ARCHIVE = "archive"
        APPROVE = "approve"
        REJECT = "reject"
        OVERRIDE = "override", "approve after a rejection"
        BONUS = "bonus"
        EXCLUDE = "exclude"
        INCLUDE = "include", "lift an exclusion"
        MESSAGE = "message"

    class Status(models.TextChoices):
        PENDING = "pending"  # not tried, or known not to have happened
        SENT = "sent"  # tried; its effect is not known yet
        DONE = "done"
        REFUSED = "refused"
        UNCLEAR = "unclear", "a person must look whether it happened"
        DROPPED = "dropped", "no longer wanted"

    OPEN = (Status.PENDING, Status.SENT)
    STUCK = (Status.UNCLEAR, Status.REFUSED)  # nothing happens until a person acts
    UNDONE = (*OPEN, Status.UNCLEAR)  # it may still happen, or may have happened
    NOT_HAPPENED = (Status.PENDING, Status.REFUSED)  # it is known not to have happened

    campaign = models.ForeignKey(Campaign, models.PROTECT, related_name="operations")
    batch = models.ForeignKey(Batch, models.PROTECT, null=True, related_name="operations")
    posting = models.ForeignKey(Posting, models.PROTECT, null=True, related_name="operations")
    participation = models.ForeignKey(
        "annotate.Participation", models.PROTECT, null=True, related_name="operations"
    )
    entry = models.ForeignKey(  # the ledger row that a bonus pays
        "annotate.LedgerEntry", models.PROTECT, null=True, related_name="operations"
    )
    annotator = models.ForeignKey(  # the person whom an exclusion concerns
        "annotate.Annotator", models.PROTECT, null=True, related_name="operations"
    )
    crowd = models.CharField(max_length=20)
    environment = models.CharField(max_length=80)
    kind = models.CharField(max_length=12, choices=Kind)
    key = models.CharField(max_length=120, unique=True)
    token = models.CharField(max_length=36, unique=True)
    payload = PayloadField()
    status = models.CharField(max_length=10, choices=Status, default=Status.PENDING)
    attempts = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField()
    due_at = models.DateTimeField()
    sent_at = models.DateTimeField(null=True)  # first sent in the current life of its token
    claimed_until = models.DateTimeField(null=True)  # one worker has it until then
    claim = models.CharField(max_length=36, blank=True)
    done_at = models.DateTimeField(null=True)
    code = models.CharField(max_length=120, blank=True)
    message = models.TextField(blank=True)

    objects = OperationQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        indexes = [
            models.Index(
                fields=["due_at"],
                condition=Q(status__in=["pending", "sent"]),
                name="operation_due",
            ),
            models.Index(fields=["campaign", "status"], name="operation_by_campaign"),
        ]
        constraints = [
            models.CheckConstraint(condition=Q(kind__in=KINDS), name="operation_of_known_kind"),
            models.CheckConstraint(
                condition=_have(ABOUT_POSTINGS, "posting"), name="operation_has_posting"
            ),
            models.CheckConstraint(
                condition=_have((*ABOUT_PAY, "message"), "participation"),
                name="operation_has_participation",
            ),
            models.CheckConstraint(
                condition=_alone_have(("bonus",), "entry"), name="operation_has_entry"
            ),
            models.CheckConstraint(
                condition=_alone_have(ABOUT_PEOPLE, "annotator"), name="operation_has_annotator"
            ),
            models.UniqueConstraint(
                fields=["entry"], condition=~Q(status="dropped"), name="operation_one_bonus"
            ),
        ]

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise ImmutableError("An operation is written once; its status changes by an UPDATE.")
        super().save(*args, **kwargs)

    @property
    def of_batch(self) -> str:
        """Return the public id of its batch, or ""."""
        return self.batch.public_id if self.batch else ""

    @property
    def of_posting(self) -> str:
        return self.posting.public_id if self.posting else ""

    @property
    def of_annotator(self) -> str:
        """Return the pseudonym, if it is about a person's unit."""
        return self.participation.annotator.pseudonym if self.participation else ""

    @property
    def needs_a_person(self) -> bool:
        return self.status in self.STUCK

    @property
    def droppable(self) -> bool:
        """Return whether it is known not to have happened."""
        return self.status in self.NOT_HAPPENED

    @property
    def remedy(self) -> str:
        """Return what to do about it. The message says what happened."""
        return REMEDIES.get(self.code) or REMEDIES.get(self.status, "")


class CrowdEvent(Fact):
    """A notification from a crowd, stored once."""

    crowd = models.CharField(max_length=20)
    environment = models.CharField(max_length=80)
    external_id = models.CharField(max_length=120)
    at = models.DateTimeField()
    listing = models.CharField(max_length=120, blank=True)
    unit = models.CharField(max_length=120, blank=True)
    received_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["crowd", "environment", "external_id"], name="crowd_event_once"
            )
        ]
