"""The work itself: slots, assignments, judgments, scores, change marks and task leases."""

from datetime import datetime
from typing import Any, ClassVar

from django.db import models
from django.db.models import Exists, F, OuterRef, Q
from django.db.models.functions import Coalesce, Least

from annotate.models.annotators import Annotator, Participation
from annotate.models.base import Fact, FactQuerySet, newest_of_campaign
from annotate.models.campaigns import Campaign, Output

# Gold: tasks whose right answer is known, mixed in blind. They are paid, and are no judgments.


GOLD_BLOCK = 25  # tasks of a person, of which `Campaign.gold_share` are gold items


class GoldItem(models.Model):
    """A text with an objective defect, or none, and the answers that are right about it.

    It belongs to no system and has no slot, so it is in no sample. It does not
    change after the campaign has opened.
    """

    class Kind(models.TextChoices):
        GIVEN = "given", "from a file"
        PLANTED = "planted", "with a planted defect"  # by versions up to 0.2.0
        INSTRUCTION = "instruction", "asks for a certain answer"

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="gold")
    position = models.PositiveIntegerField()
    name = models.CharField(max_length=120)
    kind = models.CharField(max_length=12, choices=Kind, default=Kind.GIVEN)
    text = models.TextField()
    input = models.TextField(blank=True)
    paragraphs = models.JSONField(default=list)
    reference = models.TextField(blank=True, default="", db_default="")
    # {question: [values that are right]}; one about a paragraph is called "question.number".
    expected = models.JSONField()
    defect = models.CharField(max_length=40, blank=True)  # of a planted one: how it was made
    clean_text = models.TextField(blank=True)  # of a planted one: the text before
    confirmed_at = models.DateTimeField(null=True)  # by a person; others are never shown

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "position"], name="gold_position_once"),
            models.UniqueConstraint(fields=["campaign", "name"], name="gold_name_once"),
        ]

    def __str__(self) -> str:
        return self.name


class GoldAnswer(Fact):
    """What was submitted for a gold item. It stands in place of a judgment, and is none.

    right: whether all expected answers were given. It can be computed again.
    """

    assignment = models.OneToOneField(
        "annotate.Assignment", models.PROTECT, related_name="gold_answer"
    )
    campaign = models.ForeignKey(Campaign, models.PROTECT, related_name="+", db_index=False)
    item = models.ForeignKey(GoldItem, models.PROTECT, related_name="answers")
    annotator = models.ForeignKey(Annotator, models.PROTECT, related_name="+")
    instrument_version = models.CharField(max_length=20)
    response = models.JSONField()
    right = models.BooleanField()
    submitted_at = models.DateTimeField()
    elapsed_seconds = models.FloatField()
    active_seconds = models.FloatField(null=True)

    class Meta:
        indexes = [models.Index(fields=["campaign", "annotator"], name="gold_answer_by_person")]
        constraints = [
            models.CheckConstraint(
                condition=Q(active_seconds=None) | Q(active_seconds__gte=0),
                name="gold_active_positive",
            ),
        ]


class GoldCorrection(Fact):
    """What the same person submitted later for the same gold item.

    It is kept and decides nothing: the first answer counts.
    """

    answer = models.ForeignKey(GoldAnswer, models.PROTECT, related_name="corrections")
    number = models.PositiveSmallIntegerField()  # 1 for the first correction
    instrument_version = models.CharField(max_length=20)
    response = models.JSONField()
    submitted_at = models.DateTimeField()
    active_seconds = models.FloatField(null=True)  # of the correction alone

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["answer", "number"], name="gold_correction_once"),
            models.CheckConstraint(
                condition=Q(active_seconds=None) | Q(active_seconds__gte=0),
                name="gold_correction_active_positive",
            ),
        ]


class GoldFinding(models.Model):
    """What gold items say about a person, kept by a worker; the fields are those of its verdict.

    It can be thrown away: a worker makes it again.
    """

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="+", db_index=False)
    annotator = models.ForeignKey(Annotator, models.CASCADE, related_name="+")
    answered = models.PositiveIntegerField()
    used = models.PositiveIntegerField()
    wrong = models.PositiveIntegerField()
    by_honest = models.FloatField()
    by_guess = models.FloatField()
    listed = models.BooleanField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["campaign", "annotator"], name="gold_found_once")
        ]
        # As the page of gold shows them: who is listed, then the least likely of honest people.
        indexes = [
            models.Index(
                fields=["campaign", "-listed", "by_honest", "annotator"], name="gold_found_order"
            )
        ]


class GoldLook(models.Model):
    """When a campaign's gold answers were last looked at, and which; it can be thrown away.

    counts: of each item by its id, the answers and how many of them were right.
    """

    campaign = models.OneToOneField(Campaign, models.CASCADE, primary_key=True, related_name="+")
    state = models.CharField(max_length=80)
    at = models.DateTimeField()
    people = models.PositiveIntegerField()
    counts = models.JSONField(default=dict)


class Assignment(models.Model):
    """One annotator's lease on one output, or on a gold item, which no slot belongs to."""

    class Status(models.TextChoices):
        LEASED = "leased"
        SUBMITTED = "submitted"
        VERIFIED = "verified"
        RETURNED = "returned"
        EXPIRED = "expired"

    HELD = (Status.LEASED, Status.SUBMITTED, Status.VERIFIED)
    JUDGED = (Status.SUBMITTED, Status.VERIFIED)

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="assignments")
    participation = models.ForeignKey(Participation, models.PROTECT, related_name="assignments")
    annotator = models.ForeignKey(Annotator, models.PROTECT, related_name="assignments")
    output = models.ForeignKey(Output, models.PROTECT, null=True, related_name="assignments")
    gold = models.ForeignKey(
        GoldItem, models.PROTECT, null=True, related_name="assignments", db_index=False
    )
    status = models.CharField(max_length=10, choices=Status, default=Status.LEASED)
    leased_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True)  # first shown; a prefetched one is leased before
    expires_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    # What the page counted (`screening.signals.counts`); null: it did not, or that is erased.
    signals = models.JSONField(null=True)

    class Meta:
        indexes = [
            models.Index(
                fields=["campaign", "expires_at"],
                condition=Q(status="leased"),
                name="assignment_open_leases",
            ),
            # People on marketplaces pass through it; work by link is verified at once.
            models.Index(
                fields=["campaign"],
                condition=Q(status="submitted"),
                name="assignment_unconfirmed",
            ),
            # Few: given back, or of a unit that was given back.
            models.Index(
                fields=["campaign"], condition=Q(status="returned"), name="assignment_returned"
            ),
            models.Index(fields=["campaign", "annotator"], name="assignment_by_annotator"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["annotator", "output"],
                condition=Q(status__in=["leased", "submitted", "verified"]),
                name="nobody_twice_on_an_output",
            ),
            models.UniqueConstraint(
                fields=["gold", "annotator"],
                condition=Q(gold__isnull=False),
                name="nobody_twice_on_a_gold_item",
            ),
            models.CheckConstraint(
                condition=Q(output__isnull=False, gold=None) | Q(output=None, gold__isnull=False),
                name="output_or_gold",
            ),
        ]

    @staticmethod
    def has_work() -> Q:
        """Return the condition that it was submitted. It may have been returned since."""
        judged = Judgment.objects.filter(assignment=OuterRef("pk"))
        return Q(Exists(judged)) | Q(Exists(GoldAnswer.objects.filter(assignment=OuterRef("pk"))))


class Slot(models.Model):
    """One planned judgment of one output, fixed at import.

    A slot is free or held by one assignment, so more judgments than planned cannot exist.
    A judgment counts exactly while its assignment holds a slot and is verified.
    """

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="slots")
    output = models.ForeignKey(Output, models.CASCADE, related_name="slots")
    position = models.PositiveIntegerField()
    number = models.PositiveSmallIntegerField()
    assignment = models.OneToOneField(Assignment, models.PROTECT, null=True, related_name="slot")

    class Meta:
        ordering = ["position", "output_id", "number"]
        indexes = [
            models.Index(
                fields=["campaign", "position", "output", "number"],
                condition=Q(assignment=None),
                name="slot_free_in_order",
            ),
            # It also counts the held slots.
            models.Index(
                fields=["campaign", "assignment", "position", "output", "number"],
                name="slot_by_holder",
            ),
        ]
        constraints = [
            models.UniqueConstraint(fields=["output", "number"], name="slot_number_once")
        ]


class CampaignTotals(models.Model):
    """What a campaign has leased and spent: the row that a lease changes last (data rule 6).

    `annotate.campaigns.totals` alone writes it; `recount` counts it again from the facts.
    held: slots that are leased or judged. leased: open leases, those of gold items too.
    spent: the sum of the ledger, fees included.
    """

    campaign = models.OneToOneField(
        Campaign, models.CASCADE, primary_key=True, related_name="totals"
    )
    held = models.PositiveIntegerField(default=0)
    leased = models.PositiveIntegerField(default=0)
    spent = models.DecimalField(max_digits=14, decimal_places=2, default=0)


class Draft(models.Model):
    """What an annotator has entered so far. The revision detects a stale tab (rule 12)."""

    assignment = models.OneToOneField(Assignment, models.CASCADE, related_name="draft")
    revision = models.PositiveIntegerField(default=0)
    data = models.JSONField(default=dict)
    saved_at = models.DateTimeField(auto_now=True)


class CurrentJudgments(models.Manager[Any]):
    """The judgments that no later one supersedes."""

    def get_queryset(self) -> models.QuerySet[Any]:
        return FactQuerySet(self.model, using=self._db).filter(superseded_at=None)


class Judgment(Fact):
    """What was submitted, when, and under which version of the instrument (rule 1).

    A correction is a separate row, which supersedes the one that it corrects. `objects` and every
    relation to judgments leave superseded ones out; a join does not.
    """

    objects: ClassVar[CurrentJudgments] = CurrentJudgments()  # type: ignore[assignment]
    every = FactQuerySet.as_manager()
    # Seconds of work: the page's clock, limited by the server's; the server's if the page had none.
    TAKEN: ClassVar[Coalesce] = Coalesce(
        Least("active_seconds", "elapsed_seconds"), "elapsed_seconds"
    )

    assignment = models.ForeignKey(Assignment, models.PROTECT, related_name="judgments")
    campaign = models.ForeignKey(Campaign, models.PROTECT, related_name="judgments", db_index=False)
    output = models.ForeignKey(Output, models.PROTECT, related_name="judgments")
    annotator = models.ForeignKey(Annotator, models.PROTECT, related_name="judgments")
    instrument = models.CharField(max_length=40)
    instrument_version = models.CharField(max_length=20)
    response = models.JSONField()
    submitted_at = models.DateTimeField()
    elapsed_seconds = models.FloatField()
    active_seconds = models.FloatField(null=True)
    supersedes = models.OneToOneField(
        "self", models.PROTECT, null=True, related_name="superseded_by"
    )
    superseded_at = models.DateTimeField(null=True)  # the only field that changes, once

    class Meta:
        indexes = [newest_of_campaign("judgment_newest")]
        constraints = [
            models.UniqueConstraint(
                fields=["annotator", "output"],
                condition=Q(superseded_at=None),
                name="one_judgment_per_person_and_output",
            ),
            models.UniqueConstraint(
                fields=["assignment"],
                condition=Q(superseded_at=None),
                name="one_judgment_an_assignment",
            ),
            models.CheckConstraint(
                condition=Q(active_seconds=None) | Q(active_seconds__gte=0), name="active_positive"
            ),
        ]

    @classmethod
    def supersede(cls, judgment_id: int, *, at: datetime) -> bool:
        """Mark it as superseded in its successor's transaction; False if it already was."""
        every: models.QuerySet[Judgment] = models.QuerySet(cls)  # `objects` refuses changes
        return bool(every.filter(pk=judgment_id, superseded_at=None).update(superseded_at=at))


class Score(Fact):
    """The number that a criterion takes from a judgment. It can be recomputed.

    version: of the definition that computed it (`Instrument.scoring`). Estimates use one version.
    """

    judgment = models.ForeignKey(Judgment, models.PROTECT, related_name="scores")
    criterion = models.CharField(max_length=40)
    value = models.FloatField()
    version = models.CharField(max_length=20, default="1", db_default="1")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["judgment", "criterion"], name="one_score_a_criterion"),
            # NaN and the infinities violate it. In Postgres NaN = NaN holds, so bounds are used.
            models.CheckConstraint(
                condition=Q(value__gte=-1e6, value__lte=1e6, value=F("value")), name="score_finite"
            ),
        ]

    @classmethod
    def of(cls, campaign_id: int) -> "models.QuerySet[Score]":
        """Return the scores of a campaign's judgments, without superseded ones."""
        current = {"judgment__campaign": campaign_id, "judgment__superseded_at": None}
        return cls.objects.filter(**current)

    @classmethod
    def supersede(cls, *judgment_ids: int, by: str) -> None:
        """Delete the scores of other versions, in the transaction that writes those of `by`."""
        every: models.QuerySet[Score] = models.QuerySet(cls)  # `objects` refuses deletion
        every.filter(judgment__in=judgment_ids).exclude(version=by).delete()


class ChangeMark(models.Model):
    """A mark that the facts behind a campaign's estimates have changed (rule 11)."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="change_marks")
    reason = models.CharField(max_length=40)
    at = models.DateTimeField(auto_now_add=True)


class TaskLease(models.Model):
    """The right of one task to do something alone, until a time at most.

    It saves work and is not a guard: a task that outlasts its lease may run beside another, and
    both must be safe. No database session holds it, so it also ends with a connection pool or a
    killed worker.
    """

    name = models.CharField(max_length=60, unique=True)
    holder = models.CharField(max_length=32)
    expires_at = models.DateTimeField()


class PendingScore(models.Model):
    """A judgment whose scores take too long for the task that makes estimates.

    due_at: when it is tried (again); while a task processes it, when that task must be done.
    """

    judgment = models.OneToOneField(
        Judgment, models.CASCADE, primary_key=True, related_name="pending_score"
    )
    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="+")
    since = models.DateTimeField(auto_now_add=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    due_at = models.DateTimeField(db_index=True)
