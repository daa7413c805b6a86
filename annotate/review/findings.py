"""What workers find: on signals of the page, on gold answers, and the cut-offs of screens.

Signals are written for a reviewer's page alone: they pause nobody, exclude no work and refuse no
pay. All of it is safe to repeat, and goes on where it was.
"""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Max, Q
from django.utils import timezone

from annotate.models import (
    Assignment,
    Calibration,
    Campaign,
    Flag,
    GoldFinding,
    GoldLook,
    Review,
    Ruling,
    SignalFinding,
    SignalKey,
)
from annotate.review import evidence, gold_queries, reviews
from annotate.review.evidence import evidence_of
from annotate.screening.calibration import calibrated
from annotate.screening.gold import GOLD, GoldVerdict, as_verdict
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
    people = evidence.confirmed_since(key.pk, key.confirmed)
    traces = evidence.traces(key.pk, people)
    with transaction.atomic():
        SignalKey.objects.filter(pk=key.pk).update(confirmed=now)
        if traces:
            _keep(key.pk, traces, Settings.from_dict(key.campaign.screening).signals)
    return len(traces)


def look(key: SignalKey) -> int:
    """Look at the people with new work in one campaign, some at a time; return how many."""
    people, last = evidence.people_after(key.pk, key.seen, most=JUDGMENTS)
    if not people:
        return 0
    settings = Settings.from_dict(key.campaign.screening).signals
    traces = evidence.traces(key.pk, people)
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
    rows = []
    for who, one in {**profiles, **earlier}.items():
        double = [together[who]] if who in together else []
        if who in profiles:
            rows.append(_row(campaign_id, who, [*all_alone(traces[who], settings), *double], one))
            continue
        before = evidence_of(kept[who])
        if double != [found for found in before if found.kind == DOUBLE]:
            alone = [found for found in before if found.kind != DOUBLE]
            rows.append(_row(campaign_id, who, [*alone, *double], one))
    SignalFinding.objects.bulk_create(
        rows,
        batch_size=500,
        update_conflicts=True,
        unique_fields=["campaign", "annotator"],
        update_fields=FIELDS,
    )


def _profile(row: SignalFinding) -> PageProfile:
    return PageProfile(None if row.place is None else tuple(row.place), tuple(row.rhythm))


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


# Looks at the answers to gold items, keeps what they say of people, and lists those who miss many.
#
# A campaign is looked at in one pass over its gold answers, at most once in a time that grows with
# its people. All of it is safe to repeat.


AFTERWARDS = timedelta(days=30)  # a crowd may confirm work after closing
GOLD_AT_ONCE = 500
GOLD_FIELDS = ("answered", "used", "wrong", "by_honest", "by_guess", "listed")


def look_at_gold_due() -> int:
    """Look at all campaigns with new gold answers; return how many people are newly listed."""
    ends, n = time.monotonic() + AT_ONCE, 0
    for campaign in _in_use():
        if time.monotonic() < ends:
            n += look_at_gold(campaign)
    return n


def look_at_gold(campaign: Campaign) -> int:
    """Look at one campaign, unless nothing is new or it is too early; return how many are listed.

    Answers up to a ruling that the work counts list nobody again.
    """
    last = GoldLook.objects.filter(campaign=campaign).first()
    if last is not None and timezone.now() < last.at + reviews.pause(last.people):
        return 0
    state = gold_queries.state(campaign)
    if state == (last.state if last else gold_queries.NONE):
        return 0
    cleared = _cleared(campaign.pk)
    found = gold_queries.verdicts(campaign)
    armed = gold_queries.verdicts(campaign, cleared) if cleared else found
    _keep_gold_findings(campaign.pk, found)
    new = _list(campaign, [one for one in armed if one.listed and one.annotator > 0], cleared)
    fields = {"state": state, "at": timezone.now(), "people": len(found)}
    fields["counts"] = gold_queries.counts(campaign.pk)
    GoldLook.objects.update_or_create(campaign=campaign, defaults=fields)
    return new


def _in_use() -> Iterable[Campaign]:
    status = Campaign.Status
    going_on = Q(status__in=(status.OPEN, status.PAUSED, status.CLOSING))
    lately = Q(status=status.CLOSED, closed_at__gte=timezone.now() - AFTERWARDS)
    return Campaign.objects.filter(going_on | lately, gold_share__gt=0).order_by("pk")


def _keep_gold_findings(campaign_id: int, found: Iterable[GoldVerdict]) -> None:
    """Store the verdicts that have changed."""
    rows = GoldFinding.objects.filter(campaign=campaign_id).values("annotator", *GOLD_FIELDS)
    kept = {row["annotator"]: row for row in rows}
    changed = [one for one in map(asdict, found) if kept.get(one["annotator"]) != one]
    GoldFinding.objects.bulk_create(
        [
            GoldFinding(
                campaign_id=campaign_id,
                annotator_id=one["annotator"],
                **{name: one[name] for name in GOLD_FIELDS},
            )
            for one in changed
        ],
        batch_size=GOLD_AT_ONCE,
        update_conflicts=True,
        unique_fields=["campaign", "annotator"],
        update_fields=GOLD_FIELDS,
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
    limits = gold_queries.thresholds(campaign)
    return sum(
        bool(reviews.flag(campaign.pk, one.annotator, [as_verdict(one, limits)])) for one in new
    )


def _cleared(campaign_id: int) -> dict[int, datetime]:
    """Return when a ruling last said that the work of these people counts."""
    rows = Ruling.objects.filter(review__campaign=campaign_id, act__in=reviews.ARMING).order_by()
    return dict(rows.values_list("review__annotator").annotate(last=Max("at")))


# Calibrates the screens of campaigns that have grown, outside the refresh of estimates.
#
# Simulating honest people takes seconds, and a few judgments more change the cut-offs little. They
# are made again when judgments have grown by a quarter, twice a minute at most, or the settings
# have changed.


LEAST = 50  # judgments before which nobody is compared
GROWTH = 1.25
SPACING = timedelta(seconds=30)  # so that a campaign of hundreds a second leaves time for others
CALIBRATIONS_AT_ONCE = 30.0  # seconds after which one run of the task ends


def calibrate_due() -> int:
    """Calibrate the campaigns that need it, and screen them again; return how many."""
    ends, done = time.monotonic() + CALIBRATIONS_AT_ONCE, 0
    for campaign in _due():
        if time.monotonic() < ends:
            done += calibrate(campaign)
    return done


def calibrate(campaign: Campaign) -> bool:
    """Keep the cut-offs of a campaign as it is now, and screen it with them."""
    columns = evidence.columns(campaign)
    if columns is None:
        return False
    cutoffs = calibrated(columns, Settings.from_dict(campaign.screening))
    fields = {
        "judgments": len(columns.annotator),
        "at": timezone.now(),
        "cutoffs": cutoffs.to_dict(),
        "settings": campaign.screening,
    }
    Calibration.objects.update_or_create(campaign=campaign, defaults=fields)
    Campaign.objects.filter(pk=campaign.pk).update(screened="")
    reviews.screen(campaign.pk)
    return True


def _due() -> list[Campaign]:
    screened = Campaign.objects.exclude(screened="").order_by("pk")
    kept = {one.campaign_id: one for one in Calibration.objects.all()}
    return [one for one in screened if _grown(one, kept.get(one.pk))]


def _grown(campaign: Campaign, kept: Calibration | None) -> bool:
    judgments = int(campaign.screened.partition(":")[0])
    if kept is None:
        return judgments >= LEAST
    if campaign.screening != kept.settings:
        return True
    return judgments >= GROWTH * kept.judgments and timezone.now() >= kept.at + SPACING
