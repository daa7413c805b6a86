"""What a researcher tells the annotators of a campaign beyond its title."""

from django.db import models

from annotate.models.annotators import Participation
from annotate.models.campaigns import Campaign


class CampaignTexts(models.Model):
    """A researcher's own texts; a campaign without any has no row. They are fixed with the plan.

    consent: who does not accept it gets no task. ethics: the approval's number, or why none was
    needed; it stands under the consent and in the report. background: what people are asked about
    themselves (selectors/studies/background.py).
    """

    campaign = models.OneToOneField(
        Campaign, models.CASCADE, primary_key=True, related_name="texts"
    )
    consent = models.TextField(blank=True)
    ethics = models.CharField(max_length=300, blank=True)
    instructions = models.TextField(blank=True)
    background = models.TextField(blank=True)


class BackgroundAnswers(models.Model):
    """What somebody told about themselves under one participation; it is never changed.

    answers: one of those offered for each of the campaign's questions, in their order; "" where
    they would rather not say.
    """

    participation = models.OneToOneField(
        Participation, models.CASCADE, primary_key=True, related_name="background"
    )
    answers = models.JSONField()
    answered_at = models.DateTimeField(auto_now_add=True)
