"""How long people took for the judgments of a campaign, and how many people's judgments count.

Where there are many judgments a worker reads this beforehand, because it takes seconds
(`WorkTimes`). Pages say of when it is where something has happened since. A row that is thrown away
costs a page some seconds, until the next run of the task.
"""

import time
from collections.abc import Iterator
from datetime import datetime, timedelta

import numpy as np
from django.db.models import CharField, Count, FloatField, OuterRef, Subquery, Sum, Value
from django.db.models.functions import Cast, Coalesce, Concat
from django.utils import timezone

from annotate.models import Assignment, AuditEntry, Campaign, Judgment, LedgerEntry, WorkTimes
from annotate.models.base import CampaignStatus

HOUR = 3600.0


NUMBERS = ("seconds", "per_hour", "least_per_hour", "people", "refused")


def of_campaign(campaign_id: int) -> WorkTimes:
    """Return what is kept, or what all judgments say where nothing is; one query, or three."""
    mine = WorkTimes.objects.filter(campaign=campaign_id)
    kept = mine.annotate(now=state_of(OuterRef("campaign"))).first()
    if kept is None:
        return read(campaign_id)
    if kept.state == kept.now:
        kept.at = None  # type: ignore[assignment]  # it is as of now
    return kept


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


def read(campaign_id: int) -> WorkTimes:
    """Return what all judgments and ledger rows of a campaign say, without a time; two queries."""
    verified = Judgment.objects.filter(
        campaign=campaign_id, assignment__status=Assignment.Status.VERIFIED
    )
    each = verified.order_by().values_list("annotator")
    found = list(
        each.annotate(
            n=Count("pk"),
            seconds=Sum(Judgment.TAKEN, output_field=FloatField()),
            counting=Count("assignment__slot"),
        )
    )
    refused = LedgerEntry.objects.filter(
        participation__campaign=campaign_id, kind=LedgerEntry.Kind.REFUSAL
    ).aggregate(n=Count("participation__annotator", distinct=True))
    times = WorkTimes(
        campaign_id=campaign_id,
        people=sum(counting > 0 for *_others, counting in found),
        refused=refused["n"],
    )
    means = np.array([seconds / n for _who, n, seconds, _c in found if seconds], dtype=float)
    if means.size:
        per_hour = HOUR / means
        times.seconds = float(np.median(means))
        times.per_hour = float(np.median(per_hour))
        times.least_per_hour = float(np.quantile(per_hour, 0.1))
    return times


# Read beforehand in large campaigns.


LEAST = 20_000  # held slots; all judgments of smaller campaigns are read for a page
PAUSE = 100  # times as long as it took to read, before it is read again
AT_ONCE = 30.0  # seconds after which one run of the task ends


def keep_due() -> int:
    """Read the large campaigns in which something has happened; return how many."""
    ends, n = time.monotonic() + AT_ONCE, 0
    for campaign_id in _due(timezone.now()):
        if time.monotonic() >= ends:
            break
        keep(campaign_id)
        n += 1
    return n


def keep(campaign_id: int) -> None:
    """Read one campaign, and store what its judgments say."""
    rows = Campaign.objects.filter(pk=campaign_id)
    # Before the judgments: what happens in between makes this outdated, and so is read again.
    state = rows.annotate(now=state_of(OuterRef("pk"))).values_list("now", flat=True)
    known = {"state": state.get(), "at": timezone.now()}
    began = time.monotonic()
    found = read(campaign_id)
    known["took"] = time.monotonic() - began
    known |= {name: getattr(found, name) for name in NUMBERS}
    WorkTimes.objects.update_or_create(campaign_id=campaign_id, defaults=known)


def _due(now: datetime) -> Iterator[int]:
    """Yield the campaigns to read, those that were never read first."""
    large = Campaign.objects.filter(totals__held__gte=LEAST)
    large = large.exclude(status=CampaignStatus.DRAFT).order_by("pk")
    kept = {one.campaign_id: one for one in WorkTimes.objects.all()}
    yield from (pk for pk in large.values_list("pk", flat=True) if pk not in kept)
    known = large.filter(pk__in=kept).annotate(now=state_of(OuterRef("pk")))
    for pk, state in known.values_list("pk", "now"):
        if state != kept[pk].state and (_has_moved(state, kept[pk]) or now >= _next(kept[pk])):
            yield pk


def _has_moved(state: str, kept: WorkTimes) -> bool:
    """Return whether the campaign has another status; a report that is final waits for nothing."""
    return state.partition(":")[0] != kept.state.partition(":")[0]


def _next(kept: WorkTimes) -> datetime:
    return kept.at + timedelta(seconds=PAUSE * kept.took)
