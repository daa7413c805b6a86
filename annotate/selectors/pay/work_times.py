"""How long people took for the judgments of a campaign, and how many people's judgments count.

Where there are many judgments a worker reads this beforehand, because it takes seconds
(`WorkTimes`, kept by `annotate/services/pay/work_times.py`).
"""

from dataclasses import dataclass, fields
from datetime import datetime

import numpy as np
from django.db.models import CharField, Count, FloatField, OuterRef, Subquery, Sum, Value
from django.db.models.functions import Cast, Coalesce, Concat

from annotate.models import Assignment, AuditEntry, Campaign, Judgment, LedgerEntry, WorkTimes

HOUR = 3600.0


@dataclass(frozen=True)
class TimesOfWork:
    """seconds: one judgment, the median of people's means; None without any.

    per_hour: judgments in an hour of active time, the median of people; least_per_hour: what nine
    of ten people reach. people: those with judgments that count; refused: those whose pay was
    refused. at: when all of it was read, where something has happened in the campaign since; None:
    it is as of now.
    """

    seconds: float | None
    per_hour: float | None
    least_per_hour: float | None
    people: int
    refused: int
    at: datetime | None = None


NUMBERS = tuple(field.name for field in fields(TimesOfWork) if field.name != "at")


def of_campaign(campaign_id: int) -> TimesOfWork:
    """Return what is kept, or what all judgments say where nothing is; one query, or three."""
    mine = WorkTimes.objects.filter(campaign=campaign_id)
    kept = mine.annotate(now=state_of(OuterRef("campaign"))).first()
    if kept is None:
        return read(campaign_id)
    at = None if kept.state == kept.now else kept.at
    return TimesOfWork(**{name: getattr(kept, name) for name in NUMBERS}, at=at)


def state_of(campaign: OuterRef) -> Subquery:
    """Return a text that changes with whatever may change these numbers.

    It is the status of a campaign, its newest judgment and its newest audit row: whatever makes a
    judgment count or not is one of them (data rules 1 and 2).
    """
    newest = [
        Coalesce(Subquery(rows.filter(campaign=OuterRef("pk")).order_by("-pk").values("pk")[:1]), 0)
        for rows in (Judgment.objects.all(), AuditEntry.objects.all())
    ]
    judgment, entry = (Cast(one, CharField()) for one in newest)
    text = Concat("status", Value(":"), judgment, Value(":"), entry, output_field=CharField())
    return Subquery(
        Campaign.objects.filter(pk=campaign).order_by().annotate(text=text).values("text")
    )


def read(campaign_id: int) -> TimesOfWork:
    """Return what all judgments and ledger rows of a campaign say; two queries."""
    verified = Judgment.objects.filter(
        campaign=campaign_id, assignment__status=Assignment.Status.VERIFIED
    )
    each = verified.order_by().values_list("annotator")
    rows = each.annotate(
        n=Count("pk"),
        seconds=Sum(Judgment.TAKEN, output_field=FloatField()),
        counting=Count("assignment__slot"),
    )
    found = list(rows)
    means = np.array([seconds / n for _who, n, seconds, _c in found if seconds], dtype=float)
    people = sum(counting > 0 for *_others, counting in found)
    refused = _refused(campaign_id)
    if not means.size:
        return TimesOfWork(None, None, None, people, refused)
    per_hour = HOUR / means
    return TimesOfWork(
        float(np.median(means)),
        float(np.median(per_hour)),
        float(np.quantile(per_hour, 0.1)),
        people,
        refused,
    )


def _refused(campaign_id: int) -> int:
    rows = LedgerEntry.objects.filter(
        participation__campaign=campaign_id, kind=LedgerEntry.Kind.REFUSAL
    )
    found = rows.aggregate(n=Count("participation__annotator", distinct=True))
    return int(found["n"])
