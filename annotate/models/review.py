"""Screens' flags and reviewers' rulings: what counts, what is paid, who may continue."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotate.models.annotators import Annotator
from annotate.models.base import Fact, ItemMeasure
from annotate.models.campaigns import Campaign, System
from annotate.models.work import Judgment


class Review(models.Model):
    """Whether an annotator's work in a campaign is under review, listed, cleared or excluded.

    Listed work is worth a look: nothing pauses for it, and nothing waits for a ruling on it.
    Counting and pay are separate questions: exclusion never implies refusing pay.
    """

    class Status(models.TextChoices):
        OPEN = "open", "waits for a ruling"
        LISTED = "listed", "worth a look"
        CLEARED = "cleared", "cleared"
        EXCLUDED = "excluded", "excluded"

    campaign = models.ForeignKey(Campaign, models.PROTECT, related_name="reviews")
    annotator = models.ForeignKey(Annotator, models.PROTECT, related_name="reviews")
    status = models.CharField(max_length=10, choices=Status)
    pay_refused = models.BooleanField(default=False)
    opened_at = models.DateTimeField()
    ruled_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["campaign", "annotator"], name="review_once"),
            models.CheckConstraint(
                condition=Q(pay_refused=False) | Q(status="excluded"),
                name="only_excluded_work_is_refused_pay",
            ),
        ]
        indexes = [
            models.Index(fields=["campaign"], condition=Q(status="open"), name="review_waiting")
        ]


class Screening(models.Model):
    """When the screens' verdicts on everybody in a campaign were last kept, and their values.

    state: the judgments that they had seen, as in `Campaign.screened`.
    values: the values of each screen that measured anything, ascending, as numpy's npz.
    It can be thrown away: a worker makes it again.
    """

    campaign = models.OneToOneField(Campaign, models.CASCADE, primary_key=True, related_name="+")
    state = models.CharField(max_length=80)
    at = models.DateTimeField()
    people = models.PositiveIntegerField()
    values = models.BinaryField()


class Calibration(models.Model):
    """The cut-offs of a campaign's screens, from its work up to so many judgments.

    cutoffs: (listed, paused) by screen. settings: those of the screens that were used.
    It can be thrown away: a worker makes it again.
    """

    campaign = models.OneToOneField(Campaign, models.CASCADE, primary_key=True, related_name="+")
    judgments = models.PositiveIntegerField()
    at = models.DateTimeField()
    cutoffs = models.JSONField()
    settings = models.JSONField()


class ScreenedAnnotator(models.Model):
    """The verdicts on one annotator, at the last screening that their work was part of.

    Excluded work is not part of it, so the verdicts on it stay as they were when it was excluded.
    others_seconds: the median active time of everybody else's judgments.
    """

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="+", db_index=False)
    annotator = models.ForeignKey(Annotator, models.CASCADE, related_name="+")
    state = models.CharField(max_length=80)
    at = models.DateTimeField()
    verdicts = models.JSONField()
    others_seconds = models.FloatField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["campaign", "annotator"], name="screened_once")
        ]


class SignalKey(models.Model):
    """The key of a campaign's hashes of networks and devices; it exists while signals are counted.

    seen: the id of the last judgment whose signals were looked at. confirmed: until when people
    whom their crowd confirmed were looked at. It is deleted after everything that it has hashed.
    """

    campaign = models.OneToOneField(Campaign, models.CASCADE, primary_key=True, related_name="+")
    key = models.BinaryField()
    seen = models.PositiveBigIntegerField(default=0)
    confirmed = models.DateTimeField(null=True)


class SignalFinding(models.Model):
    """What the signals of an annotator's page say, as evidence for a reviewer.

    It has no influence on tasks, pay or estimates. listed: at least one piece of `evidence` lists
    this person. place, rhythm: what is compared with other accounts. aside: kinds of evidence that
    a reviewer has looked at and put aside.
    """

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="+", db_index=False)
    annotator = models.ForeignKey(Annotator, models.CASCADE, related_name="+")
    at = models.DateTimeField()
    listed = models.BooleanField(default=False)
    evidence = models.JSONField(default=list)
    place = models.JSONField(null=True)
    rhythm = models.JSONField(default=list)
    aside = models.JSONField(default=list)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["campaign", "annotator"], name="signals_found_once")
        ]
        indexes = [
            models.Index(fields=["campaign"], condition=Q(listed=True), name="signals_listed")
        ]


class Flag(Fact):
    """A screen that fired, with the numbers that it used.

    tier: "list" or "pause". arming: how often the person had been cleared before.
    """

    review = models.ForeignKey(Review, models.PROTECT, related_name="flags")
    screen = models.CharField(max_length=20)
    verdict = models.JSONField()
    at = models.DateTimeField()
    tier = models.CharField(max_length=5, default="pause")
    arming = models.PositiveSmallIntegerField(default=0)

    class Meta:
        # A screen flags a person once for each tier, and again only on work after a ruling.
        constraints = [
            models.UniqueConstraint(
                fields=["review", "screen", "tier", "arming"], name="flag_once_armed"
            )
        ]


class Ruling(Fact):
    """One act of a reviewer, with the reason that the annotator reads.

    blind: the reviewer could not see the campaign's results, and never had seen them.
    late: it reverses an exclusion that was final, when its effect on the estimates was visible.
    opened: the reviewer had opened the case since its newest flag; null: made before this was kept.
    """

    class Act(models.TextChoices):
        CLEAR = "clear", "cleared: the work counts"
        EXCLUDE = "exclude", "excluded from the estimates"
        RESTORE = "restore", "brought back into the estimates"
        REFUSE = "refuse", "pay refused"
        REPAY = "repay", "pay restored"
        BLOCK = "block", "blocked from future work"
        UNBLOCK = "unblock", "block lifted"

    review = models.ForeignKey(Review, models.PROTECT, related_name="rulings")
    act = models.CharField(max_length=10, choices=Act)
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT)
    reason = models.TextField(blank=True)
    at = models.DateTimeField()
    blind = models.BooleanField(default=False)
    late = models.BooleanField(default=False)
    opened = models.BooleanField(null=True)


class CaseOpened(Fact):
    """A reviewer has opened the case of an annotator: one row after each newest flag."""

    campaign = models.ForeignKey(Campaign, models.PROTECT, related_name="+", db_index=False)
    annotator = models.ForeignKey(Annotator, models.PROTECT, related_name="+")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        indexes = [
            models.Index(fields=["campaign", "annotator", "user"], name="case_opened_by"),
        ]


class ResultsSeen(Fact):
    """A person who may rule has opened results of a campaign, after its ruling `after_ruling`.

    One row for each person and ruling (0: before any); looking again adds nothing.
    """

    campaign = models.ForeignKey(Campaign, models.PROTECT, related_name="+")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    after_ruling = models.PositiveBigIntegerField()
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "user", "after_ruling"], name="results_seen_once"
            )
        ]


class Exclusion(models.Model):
    """An excluded judgment: it has freed its slot, until it is restored."""

    judgment = models.ForeignKey(Judgment, models.PROTECT, related_name="exclusions")
    ruling = models.ForeignKey(Ruling, models.PROTECT, related_name="exclusions")
    restored_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["judgment"], condition=Q(restored_at=None), name="excluded_once"
            )
        ]


class Appeal(models.Model):
    """What an annotator writes against a flag or a ruling, and the answer.

    own_ruling: the author of the ruling answered it, as the only reviewer.
    """

    review = models.ForeignKey(Review, models.PROTECT, related_name="appeals")
    text = models.TextField()
    made_at = models.DateTimeField()
    due_at = models.DateTimeField()  # when the answer is due
    answered_at = models.DateTimeField(null=True)
    upheld = models.BooleanField(null=True)
    answer = models.TextField(blank=True)
    own_ruling = models.BooleanField(default=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["review"], condition=Q(answered_at=None), name="one_open_appeal"
            )
        ]


class Block(models.Model):
    """An annotator to whom a researcher's campaigns lease no more tasks."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="blocks")
    annotator = models.ForeignKey(Annotator, models.PROTECT, related_name="blocks")
    ruling = models.ForeignKey(Ruling, models.PROTECT, related_name="blocks")
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["owner", "annotator"], condition=Q(ended_at=None), name="blocked_once"
            )
        ]


# What workers compute about a campaign because it would take too long for a page.
#
# All of it can be thrown away.


class ItemOrder(models.Model):
    """The items that have a figure, in the order of it. A worker makes it; it can be thrown away.

    system: whose texts it is about, null for all. judgments: how many counted when it was made.
    positions: of the items, as little-endian int32, in order. figures: theirs, as little-endian
    float32.
    """

    Measure = ItemMeasure

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="+", db_index=False)
    system = models.ForeignKey(System, models.CASCADE, null=True, related_name="+")
    criterion = models.CharField(max_length=40)
    measure = models.CharField(max_length=12, choices=Measure)
    at = models.DateTimeField(auto_now_add=True)
    judgments = models.PositiveIntegerField()
    positions = models.BinaryField()
    figures = models.BinaryField()

    class Meta:
        indexes = [
            models.Index(fields=["campaign", "measure", "criterion"], name="item_order_of_campaign")
        ]


class NextStep(models.Model):
    """What the dashboard of a collecting campaign advises, for lists; only derived.

    key: of the advice. waits: whether nothing has to be done. at: when it was looked at.
    """

    campaign = models.OneToOneField(Campaign, models.CASCADE, primary_key=True)
    key = models.CharField(max_length=30)
    title = models.CharField(max_length=200)
    waits = models.BooleanField()
    at = models.DateTimeField()


class WorkTimes(models.Model):
    """How long people took in a large campaign, and how many people's judgments count.

    seconds: one judgment, the median of people's means; None without any. per_hour: judgments in an
    hour of active time, the median of people; least_per_hour: what nine of ten people reach.
    people: those with judgments that count; refused: those whose pay was refused. state: of the
    campaign before they were read, at `at`; took: seconds that it took to read them.
    """

    campaign = models.OneToOneField(Campaign, models.CASCADE, primary_key=True, related_name="+")
    state = models.CharField(max_length=80)
    at = models.DateTimeField()
    took = models.FloatField()
    seconds = models.FloatField(null=True)
    per_hour = models.FloatField(null=True)
    least_per_hour = models.FloatField(null=True)
    people = models.PositiveIntegerField()
    refused = models.PositiveIntegerField()
