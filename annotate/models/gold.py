"""Gold: tasks whose right answer is known, mixed in blind. They are paid, and are no judgments."""

from django.db import models
from django.db.models import Q

from annotate.models.annotators import Annotator
from annotate.models.base import Fact
from annotate.models.campaigns import Campaign

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
