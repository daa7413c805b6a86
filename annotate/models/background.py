"""What background tasks keep: whose turn it is, and what waits for a task of its own."""

from django.db import models

from annotate.models.campaign import Campaign
from annotate.models.work import Judgment


class TaskLease(models.Model):
    """Who does something that one task at a time should do, and until when at most.

    It saves work and guards nothing: a task that was slower than its lease finds another beside
    it, and both must be safe. No session of the database holds it, so a pool of connections or a
    worker that was killed leaves it to its end and no longer.
    """

    name = models.CharField(max_length=60, unique=True)
    holder = models.CharField(max_length=32)
    expires_at = models.DateTimeField()


class PendingScore(models.Model):
    """A judgment whose scores take too long for the task that makes estimates.

    due_at: when it is to be tried (again); while a task is at it, when that must be over.
    """

    judgment = models.OneToOneField(
        Judgment, models.CASCADE, primary_key=True, related_name="pending_score"
    )
    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="+")
    since = models.DateTimeField(auto_now_add=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    due_at = models.DateTimeField(db_index=True)
