"""Qualifying once, and what annotators say about the work."""

from django.db import models
from django.db.models import Q

from annotate.models.annotator import Annotator, Participation
from annotate.models.base import Fact


class TutorialRun(models.Model):
    """One annotator's way through one version of an instrument's tutorial.

    Begun under the participation that is paid the bonus for passing it.
    """

    annotator = models.ForeignKey(Annotator, models.PROTECT, related_name="tutorial_runs")
    participation = models.ForeignKey(Participation, models.PROTECT, related_name="tutorial_runs")
    instrument = models.CharField(max_length=40)
    version = models.CharField(max_length=64)
    started_at = models.DateTimeField()
    passed_at = models.DateTimeField(null=True)
    # What passing it has promised; a row of the ledger once it is due. 0: nothing, or paid before.
    promised = models.DecimalField(max_digits=6, decimal_places=2, default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["annotator", "instrument", "version"], name="tutorial_run_once"
            )
        ]


class TutorialAnswer(Fact):
    """One answer to one tutorial question, as graded.

    `digest` names the question's content: in a new version, unchanged questions stay answered.
    """

    run = models.ForeignKey(TutorialRun, models.PROTECT, related_name="answers")
    annotator = models.ForeignKey(Annotator, models.PROTECT, related_name="tutorial_answers")
    question = models.CharField(max_length=40)
    digest = models.CharField(max_length=64)
    response = models.JSONField()
    correct = models.BooleanField()
    active_seconds = models.FloatField(null=True)
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["annotator", "digest"],
                condition=Q(correct=True),
                name="one_right_answer_a_question",
            )
        ]


class Feedback(Fact):
    """What an annotator thought of the work: at most once a session, every part optional."""

    participation = models.ForeignKey(Participation, models.PROTECT, related_name="feedback")
    clarity = models.PositiveSmallIntegerField(null=True)
    enjoyment = models.PositiveSmallIntegerField(null=True)
    pay = models.PositiveSmallIntegerField(null=True)
    comment = models.TextField(blank=True)
    at = models.DateTimeField(auto_now_add=True)
