"""Corrections: a judgment supersedes another one. Both stay as facts; the later one counts."""

from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from annotate.errors import Conflict
from annotate.models import Exclusion, Judgment, PendingScore
from annotate.services import audit, change_marks, locks


def supersede(
    judgment_id: int,
    *,
    response: dict[str, Any],
    actor_id: int | None = None,
    version: str | None = None,
    seconds: float = 0.0,
    at: datetime | None = None,
) -> int:
    """Store a checked response in place of a judgment; return the id of the new one.

    It has the same assignment, so it counts and is paid as the earlier one was. version: of the
    instrument with which it was asked; None: that of the earlier one. seconds: the time that the
    correction took, which is added. Raises `Conflict` where the earlier one is excluded or already
    superseded.
    """
    with transaction.atomic():
        earlier = Judgment.every.select_related("campaign").get(pk=judgment_id)
        locks.campaign_shared(earlier.campaign_id)  # it concerns one person
        if Exclusion.objects.filter(judgment=earlier, restored_at=None).exists():
            raise Conflict("This judgment is excluded. Rule on that before it is corrected.")
        now = at or timezone.now()
        if not Judgment.supersede(earlier.pk, at=now):
            raise Conflict("This judgment has been corrected already. Look at the later one.")
        active = earlier.active_seconds
        later = Judgment.objects.create(
            assignment_id=earlier.assignment_id,
            campaign_id=earlier.campaign_id,
            output_id=earlier.output_id,
            annotator_id=earlier.annotator_id,
            instrument=earlier.instrument,
            instrument_version=version or earlier.instrument_version,
            response=response,
            submitted_at=now,
            elapsed_seconds=earlier.elapsed_seconds + seconds,
            active_seconds=None if active is None else active + seconds,
            supersedes=earlier,
        )
        PendingScore.objects.filter(judgment=earlier).delete()
        subject = f"judgment:{earlier.pk}"
        audit.record(
            "supersede", campaign_id=earlier.campaign_id, actor_id=actor_id, subject=subject
        )
        change_marks.mark(earlier.campaign_id, "superseded")
    return int(later.pk)
