"""What a researcher tells the annotators of a campaign beyond its title."""

from django.db import models

from annotate.models.campaigns import Campaign


class CampaignTexts(models.Model):
    """A researcher's own texts; a campaign without any has no row. They are fixed with the plan.

    consent: who does not accept it gets no task. ethics: the approval's number, or why none was
    needed; it stands under the consent and in the report.
    """

    campaign = models.OneToOneField(
        Campaign, models.CASCADE, primary_key=True, related_name="texts"
    )
    consent = models.TextField(blank=True)
    ethics = models.CharField(max_length=300, blank=True)
    instructions = models.TextField(blank=True)
