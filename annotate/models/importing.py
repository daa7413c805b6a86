"""Imports: an uploaded file on its way to a campaign, and the file itself for as long."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotate.models.base import public_id
from annotate.models.campaign import Campaign
from annotate.states import ImportStatus


class CampaignImport(models.Model):
    """What somebody asked to be made of a file; a worker reads it and makes the campaign.

    `claim` names the worker that is at it until `claimed_until`. While it is being created, its
    campaign has no member, so that no page shows it.
    """

    Status = ImportStatus
    RUNNING = (ImportStatus.READING, ImportStatus.CREATING)
    WAITING = (ImportStatus.READY, ImportStatus.REFUSED, ImportStatus.FAILED)  # for a person

    public_id = models.CharField(max_length=16, unique=True, default=public_id, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, null=True)
    # The same form sent again (same key, same plan, same files) is the same import.
    key = models.CharField(max_length=40)
    digest = models.CharField(max_length=64)
    plan = models.JSONField()
    revision = models.PositiveIntegerField(default=0)  # of the plan
    at_once = models.BooleanField(default=False)  # create it without asking, if it is right

    outputs_name = models.CharField(max_length=200)
    outputs_size = models.PositiveBigIntegerField(default=0)
    metrics_name = models.CharField(max_length=200, blank=True)
    metrics_size = models.PositiveBigIntegerField(default=0)

    status = models.CharField(max_length=10, choices=Status, default=Status.READING)
    facts = models.JSONField(null=True)
    problems = models.JSONField(null=True)
    done = models.PositiveBigIntegerField(default=0)  # bytes while reading, items while creating
    total = models.PositiveBigIntegerField(default=0)
    attempts = models.PositiveSmallIntegerField(default=0)
    claim = models.CharField(max_length=32, blank=True)
    claimed_until = models.DateTimeField(null=True)
    campaign = models.OneToOneField(Campaign, models.PROTECT, null=True, related_name="imported")

    created_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(auto_now_add=True)  # when a person or the status last did

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["owner", "key", "digest"],
                condition=~Q(status=ImportStatus.CANCELLED),
                name="import_once",
            ),
        ]
        indexes = [models.Index(fields=["status"], name="import_status")]

    def __str__(self) -> str:
        return self.public_id

    @property
    def is_direct(self) -> bool:
        """Whether the process that has the file imports it itself, so that none is kept."""
        return self.outputs_size == 0

    @property
    def can_change(self) -> bool:
        """Whether its plan may still be another one."""
        return self.status == self.Status.READING or self.status in self.WAITING

    @property
    def has_file(self) -> bool:
        """Whether the outputs are still here: those of a refused file are not kept."""
        return self.can_change and self.status != self.Status.REFUSED


class ImportChunk(models.Model):
    """A piece of an uploaded file. Web and worker share no disk, so it is kept here."""

    class File(models.TextChoices):
        OUTPUTS = "outputs"
        METRICS = "metrics"

    campaign_import = models.ForeignKey(CampaignImport, models.CASCADE, related_name="chunks")
    file = models.CharField(max_length=8, choices=File)
    number = models.PositiveIntegerField()
    data = models.BinaryField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["campaign_import", "file", "number"], name="import_chunk_once"
            )
        ]
