"""Who did what, and when. Written in the transaction of the act."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotate.models.base import Fact
from annotate.models.campaigns import Campaign

LAUNCHES = ("launch", "extend")  # acts that agree to a cost of a batch


class AuditEntry(Fact):
    """One act. `actor` is null for automatic acts of Plumbline."""

    campaign = models.ForeignKey(Campaign, models.PROTECT, null=True, related_name="audit")
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True)
    verb = models.CharField(max_length=40)
    subject = models.CharField(max_length=80, blank=True)
    detail = models.JSONField(default=dict)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["subject"], condition=Q(verb__in=LAUNCHES), name="audit_launches"),
        ]
