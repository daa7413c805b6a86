"""Annotators, their paid units, their tutorials, and their feedback on the work."""

from collections.abc import Collection
from typing import Any

from django.db import models
from django.db.models import Q

from annotate.models.base import Fact, new_public_id, newest_of_campaign
from annotate.models.campaigns import Campaign
from annotate.models.crowds import Posting

OPEN_LINK = "open-"  # with the campaign's id: the environment of people by its open link


class Annotator(models.Model):
    """One person on one crowd. Exports carry the pseudonym only."""

    crowd = models.CharField(max_length=20)
    environment = models.CharField(max_length=40, default="live")
    external_id = models.CharField(max_length=120)
    pseudonym = models.CharField(max_length=16, unique=True, default=new_public_id)
    created_at = models.DateTimeField(auto_now_add=True)
    # By link, the keys of the name (`text.names`), for people who entered by an open link. Among
    # people from before names were compared, only the first of equivalent names has them.
    name_small = models.CharField(max_length=32, blank=True, default="")
    name_large = models.CharField(max_length=32, blank=True, default="")
    holds_name = models.BooleanField(default=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["crowd", "environment", "external_id"], name="annotator_once"
            ),
            models.UniqueConstraint(
                fields=["environment", "name_small"],
                condition=Q(holds_name=True),
                name="name_once_in_small",
            ),
            models.UniqueConstraint(
                fields=["environment", "name_large"],
                condition=Q(holds_name=True),
                name="name_once_in_large",
            ),
        ]
        indexes = [
            models.Index(
                fields=["name_small"], condition=~Q(name_small=""), name="annotator_name_small"
            ),
            models.Index(
                fields=["name_large"], condition=~Q(name_large=""), name="annotator_name_large"
            ),
        ]

    @classmethod
    def by_name(cls, names: "Collection[str] | models.QuerySet[Any, Any]") -> models.QuerySet[Any]:
        """Select the people whom personal links for these names let in."""
        return cls.objects.filter(crowd="link", environment="live", external_id__in=names)

    @property
    def by_open_link(self) -> bool:
        """Return whether they entered by the open link of one campaign, under a chosen name."""
        return self.environment.startswith(OPEN_LINK)

    @staticmethod
    def from_open_link(prefix: str = "") -> Q:
        """Return the same as a condition; `prefix` leads to the annotator."""
        return Q(**{f"{prefix}environment__startswith": OPEN_LINK})


class Participation(models.Model):
    """One paid unit on a crowd; it holds one or more assignments, and pay attaches to it.

    By link it is a person's whole visit: it stays `active`, is verified from the start, and is
    paid by hand. On a marketplace it is what the crowd calls an assignment or a submission.
    """

    class Status(models.TextChoices):
        ACTIVE = "active", "working"
        HANDED_IN = "handed_in", "handed in here, not confirmed by the crowd yet"
        CONFIRMED = "confirmed", "handed in, as the crowd confirms"
        APPROVED = "approved", "approved by the crowd"
        REJECTED = "rejected", "rejected at the crowd"
        LEFT = "left", "given back, or time ran out"

    # The crowd lists it as handed in by this person, whatever discrepancies there are.
    LISTED = (Status.CONFIRMED, Status.APPROVED, Status.REJECTED)

    campaign = models.ForeignKey(
        Campaign, models.CASCADE, related_name="participations", db_index=False
    )
    annotator = models.ForeignKey(Annotator, models.PROTECT, related_name="participations")
    external_key = models.CharField(max_length=120, blank=True)
    status = models.CharField(max_length=10, choices=Status, default=Status.ACTIVE)
    entered_at = models.DateTimeField(auto_now_add=True)
    verified_at = models.DateTimeField(null=True)  # only verified work counts and is paid
    consented_at = models.DateTimeField(null=True)  # where the campaign has a consent text
    # Which version of that text was accepted then.
    consented_to = models.PositiveSmallIntegerField(default=1, db_default=1)
    background_at = models.DateTimeField(null=True)  # where it asks people about themselves
    # On marketplaces:
    posting = models.ForeignKey(Posting, models.PROTECT, null=True, related_name="participations")
    listing = models.CharField(max_length=120, blank=True)  # as claimed, until it is verified
    tasks = models.PositiveIntegerField(null=True)  # that it holds, as announced
    receipt = models.CharField(max_length=32, blank=True)  # our nonce: shows that our page sent it
    submit_to = models.CharField(max_length=300, blank=True)
    deadline_at = models.DateTimeField(null=True)  # the crowd accepts nothing after it
    handed_in_at = models.DateTimeField(null=True)
    submitted_at = models.DateTimeField(null=True)  # according to the crowd
    auto_approval_at = models.DateTimeField(null=True)
    problem = models.TextField(blank=True)  # the discrepancy between the crowd and this database

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "annotator", "external_key"], name="participation_once"
            )
        ]
        indexes = [
            newest_of_campaign("participation_newest"),
            models.Index(
                fields=["posting", "status"],
                condition=Q(posting__isnull=False),
                name="participation_of_posting",
            ),
            # The paid units that are not decided: few, as the others are approved or given back.
            models.Index(
                fields=["campaign", "posting"],
                condition=Q(posting__isnull=False, status__in=("active", "handed_in", "confirmed")),
                name="participation_undecided",
            ),
        ]

    @property
    def is_sure(self) -> bool:
        """Return whether a crowd has confirmed that this unit is this person's.

        Before that (on MTurk, until they hand it in), anyone may enter under any name. Such a visit
        sees only its own unit's data, and cannot appeal.
        """
        return self.verified_at is not None or self.status in self.LISTED


class TutorialRun(models.Model):
    """One annotator's progress in one version of an instrument's tutorial, in one or two rounds.

    Started under the participation that is paid the bonus for passing it. `covers`: the digests of
    the questions of the version that was passed, so that a new version asks only what changed.
    """

    ALL = "*"  # covers every version: passed before there were rounds

    annotator = models.ForeignKey(Annotator, models.PROTECT, related_name="tutorial_runs")
    participation = models.ForeignKey(Participation, models.PROTECT, related_name="tutorial_runs")
    instrument = models.CharField(max_length=40)
    version = models.CharField(max_length=64)
    started_at = models.DateTimeField()
    passed_at = models.DateTimeField(null=True)
    # The bonus promised for passing; a ledger row once it is due. 0: none, or paid before.
    promised = models.DecimalField(max_digits=6, decimal_places=2, default=0)
    # The bonus is in the ledger. It is noted afterwards, so that the open promises are few to read.
    settled = models.BooleanField(default=False, db_default=False)
    covers = models.JSONField(default=list)

    class Meta:
        indexes = [
            models.Index(
                fields=["participation"],
                condition=Q(promised__gt=0, settled=False),
                name="tutorial_run_promised",
            ),
            models.Index(
                fields=["started_at"], condition=Q(passed_at=None), name="tutorial_run_under_way"
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["annotator", "instrument", "version"], name="tutorial_run_once"
            )
        ]


class TutorialRound(models.Model):
    """One of at most two rounds of a tutorial that a campaign allows a person.

    drawn: the questions as [key, number of the draw], in their order.
    asked, mark, right: graded questions, how many must be right at first, and how many were.
    """

    run = models.ForeignKey(TutorialRun, models.PROTECT, related_name="rounds")
    annotator = models.ForeignKey(Annotator, models.PROTECT, related_name="tutorial_rounds")
    campaign = models.ForeignKey(
        Campaign, models.PROTECT, db_index=False, related_name="tutorial_rounds"
    )
    number = models.PositiveSmallIntegerField()
    drawn = models.JSONField()
    asked = models.PositiveSmallIntegerField()
    mark = models.PositiveSmallIntegerField()
    right = models.PositiveSmallIntegerField(null=True)
    passed = models.BooleanField(null=True)
    begun_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["campaign", "annotator"], name="tutorial_rounds_here")]
        constraints = [
            models.UniqueConstraint(
                fields=["run", "campaign", "number"], name="tutorial_round_once"
            ),
            models.UniqueConstraint(
                fields=["run"], condition=Q(ended_at=None), name="one_open_round"
            ),
        ]

    @property
    def share(self) -> float:
        """Return the share of right first answers."""
        return (self.right or 0) / self.asked if self.asked else 1.0


class TutorialAnswer(Fact):
    """The first answer to a tutorial question in a round, as graded; `digest` names its content.

    Answers without a round are older than rounds: those questions were asked until they were right.
    """

    run = models.ForeignKey(TutorialRun, models.PROTECT, related_name="answers")
    round = models.ForeignKey(TutorialRound, models.PROTECT, null=True, related_name="answers")
    annotator = models.ForeignKey(Annotator, models.PROTECT, related_name="tutorial_answers")
    question = models.CharField(max_length=40)
    digest = models.CharField(max_length=64)
    response = models.JSONField()
    correct = models.BooleanField()
    active_seconds = models.FloatField(null=True)
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["round", "question"], name="one_answer_a_question")
        ]


class Feedback(Fact):
    """An annotator's opinion of the work: at most one per session, every part optional."""

    participation = models.ForeignKey(Participation, models.PROTECT, related_name="feedback")
    clarity = models.PositiveSmallIntegerField(null=True)
    enjoyment = models.PositiveSmallIntegerField(null=True)
    pay = models.PositiveSmallIntegerField(null=True)
    comment = models.TextField(blank=True)
    at = models.DateTimeField(auto_now_add=True)


# What a researcher tells the annotators of a campaign beyond its title.


class CampaignTexts(models.Model):
    """A researcher's own texts; a campaign without any has no row.

    consent: who does not accept it gets no task. consent_version: counts its changes; who accepted
    an earlier version is asked again. ethics: the approval's number, or why none was needed; it
    stands under the consent and in the report. instructions_at: when the instructions were last
    amended. background: what people are asked about themselves
    (annotate/studies/queries.py).
    """

    campaign = models.OneToOneField(
        Campaign, models.CASCADE, primary_key=True, related_name="texts"
    )
    consent = models.TextField(blank=True)
    ethics = models.CharField(max_length=300, blank=True)
    instructions = models.TextField(blank=True)
    background = models.TextField(blank=True)
    consent_version = models.PositiveSmallIntegerField(default=1, db_default=1)
    instructions_at = models.DateTimeField(null=True)


class EarlierConsent(Fact):
    """That somebody accepted a version of the consent text, and later a newer one.

    The participation itself has the newest that was accepted; the log has the texts.
    """

    participation = models.ForeignKey(
        Participation, models.PROTECT, related_name="earlier_consents", db_index=False
    )
    version = models.PositiveSmallIntegerField()
    accepted_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["participation", "version"], name="consent_once")
        ]


class BackgroundAnswers(models.Model):
    """A person's answers about themselves in one participation; never changed.

    answers: one of those offered for each of the campaign's questions, in their order; "" where
    they would rather not say.
    """

    participation = models.OneToOneField(
        Participation, models.CASCADE, primary_key=True, related_name="background"
    )
    answers = models.JSONField()
    answered_at = models.DateTimeField(auto_now_add=True)
