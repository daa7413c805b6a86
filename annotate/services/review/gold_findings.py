"""Looks at the answers to gold items, keeps what they say of people, and lists those who miss many.

A campaign is looked at in one pass over its gold answers, at most once in a time that grows with
its people. All of it is safe to repeat.
"""

import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from datetime import datetime, timedelta

from django.db.models import Max, Q
from django.utils import timezone

from annotate.models import Campaign, Flag, GoldFinding, GoldLook, Review, Ruling
from annotate.screening.gold import GOLD, GoldVerdict, as_verdict
from annotate.selectors.review import gold
from annotate.services.review import reviews
from annotate.services.review.verdicts import PEOPLE_A_SECOND

AT_ONCE = 20.0  # seconds after which one run of the task ends
AFTERWARDS = timedelta(days=30)  # a crowd may confirm work after closing
BATCH = 500
FIELDS = ("answered", "used", "wrong", "by_honest", "by_guess", "listed")


def look_due() -> int:
    """Look at all campaigns with new gold answers; return how many people are newly listed."""
    ends, n = time.monotonic() + AT_ONCE, 0
    for campaign in _in_use():
        if time.monotonic() < ends:
            n += look(campaign)
    return n


def look(campaign: Campaign) -> int:
    """Look at one campaign, unless nothing is new or it is too early; return how many are listed.

    Answers up to a ruling that the work counts list nobody again.
    """
    last = GoldLook.objects.filter(campaign=campaign).first()
    if last is not None and timezone.now() < last.at + _pause(last.people):
        return 0
    state = gold.state(campaign)
    if state == (last.state if last else gold.NONE):
        return 0
    cleared = _cleared(campaign.pk)
    found = gold.verdicts(campaign)
    armed = gold.verdicts(campaign, cleared) if cleared else found
    _keep(campaign.pk, found)
    new = _list(campaign, [one for one in armed if one.listed and one.annotator > 0], cleared)
    fields = {"state": state, "at": timezone.now(), "people": len(found)}
    fields["counts"] = gold.counts(campaign.pk)
    GoldLook.objects.update_or_create(campaign=campaign, defaults=fields)
    return new


def _in_use() -> Iterable[Campaign]:
    status = Campaign.Status
    going_on = Q(status__in=(status.OPEN, status.PAUSED, status.CLOSING))
    lately = Q(status=status.CLOSED, closed_at__gte=timezone.now() - AFTERWARDS)
    return Campaign.objects.filter(going_on | lately, gold_share__gt=0).order_by("pk")


def _keep(campaign_id: int, found: Iterable[GoldVerdict]) -> None:
    """Store the verdicts that have changed."""
    rows = GoldFinding.objects.filter(campaign=campaign_id).values("annotator", *FIELDS)
    kept = {row["annotator"]: row for row in rows}
    changed = [one for one in map(asdict, found) if kept.get(one["annotator"]) != one]
    GoldFinding.objects.bulk_create(
        [
            GoldFinding(
                campaign_id=campaign_id,
                annotator_id=one["annotator"],
                **{name: one[name] for name in FIELDS},
            )
            for one in changed
        ],
        batch_size=BATCH,
        update_conflicts=True,
        unique_fields=["campaign", "annotator"],
        update_fields=FIELDS,
    )


def _list(campaign: Campaign, found: Iterable[GoldVerdict], cleared: Mapping[int, datetime]) -> int:
    """Flag whom gold has not flagged since the last ruling that their work counts."""
    mine = Review.objects.filter(campaign=campaign)
    out = set(mine.filter(status=Review.Status.EXCLUDED).values_list("annotator", flat=True))
    earlier = Flag.objects.filter(review__campaign=campaign, screen=GOLD).order_by()
    flagged = dict(earlier.values_list("review__annotator").annotate(at=Max("at")))
    new = [
        one
        for one in found
        if one.annotator not in out
        and (
            one.annotator not in flagged
            or flagged[one.annotator] < cleared.get(one.annotator, flagged[one.annotator])
        )
    ]
    limits = gold.thresholds(campaign)
    return sum(
        bool(reviews.flag(campaign.pk, one.annotator, [as_verdict(one, limits)])) for one in new
    )


def _cleared(campaign_id: int) -> dict[int, datetime]:
    """Return when a ruling last said that the work of these people counts."""
    rows = Ruling.objects.filter(review__campaign=campaign_id, act__in=reviews.ARMING).order_by()
    return dict(rows.values_list("review__annotator").annotate(last=Max("at")))


def _pause(people: int) -> timedelta:
    return timedelta(seconds=people / PEOPLE_A_SECOND)
