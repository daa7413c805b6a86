"""Reads beforehand how long people took in large campaigns: the only writer of `WorkTimes`.

Pages say of when it is where something has happened since. A row that is thrown away costs a page
some seconds, until the next run of the task.
"""

import time
from collections.abc import Iterator
from datetime import datetime, timedelta

from django.db.models import OuterRef
from django.utils import timezone

from annotate.models import Campaign, WorkTimes
from annotate.selectors.pay import work_times
from annotate.states import CampaignStatus

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
    state = rows.annotate(now=work_times.state_of(OuterRef("pk"))).values_list("now", flat=True)
    known = {"state": state.get(), "at": timezone.now()}
    began = time.monotonic()
    found = work_times.read(campaign_id)
    known["took"] = time.monotonic() - began
    known |= {name: getattr(found, name) for name in work_times.NUMBERS}
    WorkTimes.objects.update_or_create(campaign_id=campaign_id, defaults=known)


def _due(now: datetime) -> Iterator[int]:
    """Yield the campaigns to read, those that were never read first."""
    large = Campaign.objects.filter(totals__held__gte=LEAST)
    large = large.exclude(status=CampaignStatus.DRAFT).order_by("pk")
    kept = {one.campaign_id: one for one in WorkTimes.objects.all()}
    yield from (pk for pk in large.values_list("pk", flat=True) if pk not in kept)
    known = large.filter(pk__in=kept).annotate(now=work_times.state_of(OuterRef("pk")))
    for pk, state in known.values_list("pk", "now"):
        if state != kept[pk].state and (_has_moved(state, kept[pk]) or now >= _next(kept[pk])):
            yield pk


def _has_moved(state: str, kept: WorkTimes) -> bool:
    """Return whether the campaign has another status; a report that is final waits for nothing."""
    return state.partition(":")[0] != kept.state.partition(":")[0]


def _next(kept: WorkTimes) -> datetime:
    return kept.at + timedelta(seconds=PAUSE * kept.took)
