"""What a researcher tells the annotators of a campaign beyond its title."""

from django.db import models

from annotate.models.annotators import Participation
from annotate.models.base import Fact
from annotate.models.campaigns import Campaign


class CampaignTexts(models.Model):
    """A researcher's own texts; a campaign without any has no row.

    consent: who does not accept it gets no task. consent_version: counts its changes; who accepted
    an earlier version is asked again. ethics: the approval's number, or why none was needed; it
    stands under the consent and in the report. instructions_at: when the instructions were last
    amended. background: what people are asked about themselves
    (selectors/studies/background.py).
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
