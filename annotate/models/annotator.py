"""Who judges: annotators, and the paid units of a crowd through which they come."""

from django.db import models

from annotate.models.base import public_id
from annotate.models.campaign import Campaign


class Annotator(models.Model):
    """One person on one crowd. Exports carry the pseudonym only."""

    crowd = models.CharField(max_length=20)
    environment = models.CharField(max_length=40, default="live")
    external_id = models.CharField(max_length=120)
    pseudonym = models.CharField(max_length=16, unique=True, default=public_id)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["crowd", "environment", "external_id"], name="annotator_once"
            )
        ]


class Participation(models.Model):
    """One paid unit on a crowd; it holds one or more assignments, and pay attaches to it."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="participations")
    annotator = models.ForeignKey(Annotator, models.PROTECT, related_name="participations")
    external_key = models.CharField(max_length=120, blank=True)
    entered_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "annotator", "external_key"], name="participation_once"
            )
        ]
