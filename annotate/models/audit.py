"""Who did what, and when. Written in the transaction of the act."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotate.models.base import Fact, newest_of_campaign
from annotate.models.campaigns import Campaign

LONGEST_SUBJECT = 240  # "system:" and the longest name of a system
LAUNCHES = ("launch", "extend")  # acts that agree to a cost of a batch
# Routine: written for every text and paid unit, and for single things unless a person acts.
_THINGS = ("operation:", "posting:", "tutorial_run:")
_OF_THINGS = Q(*(("subject__startswith", thing) for thing in _THINGS), _connector=Q.OR)
_ROUTINE = Q(verb__in=("submitted", "returned", "expired")) | Q(
    subject__startswith="participation:"
)
FEED = ~_ROUTINE & ~(Q(actor=None) & _OF_THINGS)
ON_PEOPLE = Q(subject__startswith="annotator:")


class AuditEntry(Fact):
    """One act. `actor` is null for automatic acts of Plumbline."""

    campaign = models.ForeignKey(
        Campaign, models.PROTECT, null=True, related_name="audit", db_index=False
    )
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True)
    verb = models.CharField(max_length=40)
    subject = models.CharField(max_length=LONGEST_SUBJECT, blank=True)
    detail = models.JSONField(default=dict)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["subject"], condition=Q(verb__in=LAUNCHES), name="audit_launches"),
            newest_of_campaign("audit_newest"),
            models.Index(fields=["campaign", "id"], condition=FEED, name="audit_feed"),
            models.Index(
                fields=["campaign", "subject", "id"], condition=ON_PEOPLE, name="audit_on_people"
            ),
        ]
