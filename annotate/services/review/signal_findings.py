"""Looks at the signals of annotators' pages, and erases them.

It writes rows that only a reviewer's page reads: nothing here pauses anyone, opens a review,
excludes work or refuses pay. Both tasks are safe to repeat, and go on where they were.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from annotate.models import Assignment, Campaign, SignalFinding, SignalKey
from annotate.screening.screens import Settings
from annotate.screening.signals import (
    DOUBLE,
    PageProfile,
    SignalEvidence,
    SignalThresholds,
    TaskTrace,
    all_alone,
    doubles,
    profile,
    signals_on,
)
from annotate.selectors.review import signal_traces
from annotate.selectors.review.signal_evidence import evidence_of

KEPT = timedelta(days=30)  # after closing
AT_ONCE = 20.0  # seconds after which one run of the task ends
JUDGMENTS = 2000  # looked at in one step
BATCH = 2000  # assignments erased in one transaction
FIELDS = ("at", "listed", "evidence", "place", "rhythm")


def look_due() -> int:
    """Look at the new work of all campaigns that count signals; return at how many people's."""
    ends, n = time.monotonic() + AT_ONCE, 0
    for key in _keys(over=False):
        n += look_at_confirmed(key)
        while time.monotonic() < ends and (found := look(key)):
            n += found
    return n


def look_at_confirmed(key: SignalKey) -> int:
    """Look at people whose crowd has confirmed them since, maybe long after their work."""
    now = timezone.now()
    people = signal_traces.confirmed_since(key.pk, key.confirmed)
    traces = signal_traces.traces(key.pk, people)
    with transaction.atomic():
        SignalKey.objects.filter(pk=key.pk).update(confirmed=now)
        if traces:
            _keep(key.pk, traces, Settings.from_dict(key.campaign.screening).signals)
    return len(traces)


def look(key: SignalKey) -> int:
    """Look at the people with new work in one campaign, some at a time; return how many."""
    people, last = signal_traces.people_after(key.pk, key.seen, most=JUDGMENTS)
    if not people:
        return 0
    settings = Settings.from_dict(key.campaign.screening).signals
    traces = signal_traces.traces(key.pk, people)
    with transaction.atomic():
        if not SignalKey.objects.filter(pk=key.pk, seen=key.seen).update(seen=last):
            return 0  # another worker has looked, or they were erased
        _keep(key.pk, traces, settings)
    key.seen = last
    return len(people)


def _keep(
    campaign_id: int, traces: Mapping[int, Sequence[TaskTrace]], settings: SignalThresholds
) -> None:
    """Store what is found on people with new work, and on those who are in the same place."""
    profiles = {who: profile(tasks) for who, tasks in traces.items()}
    kept = {row.annotator_id: row for row in SignalFinding.objects.filter(campaign=campaign_id)}
    earlier = {who: _profile(row) for who, row in kept.items() if who not in profiles}
    together = doubles({**earlier, **profiles}, settings)
    rows = [
        _row(campaign_id, who, [*all_alone(tasks, settings), *_one(together, who)], profiles[who])
        for who, tasks in traces.items()
    ]
    rows += [
        _row(campaign_id, who, [*_alone(kept[who]), *_one(together, who)], one)
        for who, one in earlier.items()
        if [asdict(found) for found in _one(together, who)] != _doubled(kept[who])
    ]
    SignalFinding.objects.bulk_create(
        rows,
        batch_size=500,
        update_conflicts=True,
        unique_fields=["campaign", "annotator"],
        update_fields=FIELDS,
    )


def _one(together: Mapping[int, SignalEvidence], who: int) -> list[SignalEvidence]:
    return [together[who]] if who in together else []


def _alone(row: SignalFinding) -> list[SignalEvidence]:
    return [found for found in evidence_of(row) if found.kind != DOUBLE]


def _doubled(row: SignalFinding) -> list[dict[str, object]]:
    return [asdict(found) for found in evidence_of(row) if found.kind == DOUBLE]


def _profile(row: SignalFinding) -> PageProfile:
    network_and_device = None if row.place is None else (row.place[0], row.place[1])
    return PageProfile(network_and_device, tuple(row.rhythm))


def _row(
    campaign_id: int, who: int, found: Sequence[SignalEvidence], one: PageProfile
) -> SignalFinding:
    return SignalFinding(
        campaign_id=campaign_id,
        annotator_id=who,
        at=timezone.now(),
        listed=any(each.listed for each in found),
        evidence=[asdict(each) for each in found],
        place=None if one.place is None else list(one.place),
        rhythm=list(one.rhythm),
    )


def erase_due() -> int:
    """Erase the signals of campaigns closed 30 days ago, or switched off; return of how many.

    The key goes last, so what a crash leaves behind is found again.
    """
    n = 0
    for key in _keys(over=True):
        erase(key.pk)
        n += 1
    return n


def erase(campaign_id: int) -> None:
    """Erase counts and hashes in steps, then the findings and the key."""
    mine = Assignment.objects.filter(campaign=campaign_id, signals__isnull=False)
    while ids := list(mine.values_list("pk", flat=True)[:BATCH]):
        Assignment.objects.filter(pk__in=ids).update(signals=None)
    with transaction.atomic():
        SignalFinding.objects.filter(campaign=campaign_id).delete()
        SignalKey.objects.filter(campaign=campaign_id).delete()


def _keys(*, over: bool) -> list[SignalKey]:
    """Return the keys whose signals are to be erased, or are not."""
    keys = SignalKey.objects.select_related("campaign").order_by("pk")
    return [key for key in keys if _is_over(key.campaign) == over]


def _is_over(campaign: Campaign) -> bool:
    closed = campaign.closed_at
    is_late = closed is not None and closed <= timezone.now() - KEPT
    return is_late or not signals_on(campaign.screening)
