"""Reviews of annotators: opened by flags or by hand, and closed by rulings."""

import time
from collections.abc import Iterable
from dataclasses import asdict
from datetime import datetime
from itertools import groupby
from typing import Any

from django.db import transaction
from django.db.models import Count, F, OuterRef, Q, Subquery
from django.utils import timezone

from annotate.models import Campaign, CaseOpened, Flag, ResultsSeen, Review, Ruling
from annotate.screening.base import LISTED, PAUSED, Verdict
from annotate.selectors.review import opened, screening
from annotate.services import audit, change_marks, locks
from annotate.services.marketplace import messages
from annotate.services.review import states, verdicts
from annotate.states import CampaignStatus

Status = Review.Status
# After these rulings, the screens look at new work.
COLLECTING = (CampaignStatus.OPEN, CampaignStatus.PAUSED, CampaignStatus.CLOSING)
ARMING = (Ruling.Act.CLEAR, Ruling.Act.RESTORE)


def flag(campaign_id: int, annotator_id: int, found: Iterable[Verdict]) -> list[str]:
    """Open or list a review for screens that fired; return the new ones.

    A screen flags a person once for each tier, and the reviewer's ruling on it stands; it can fire
    again on work after a ruling. With a pausing flag, new leases pause, and the campaign becomes
    final only after the ruling. A listing flag has no consequence but a place in the queue.
    Excluded work receives no further flags.
    """
    now, found = timezone.now(), list(found)
    with transaction.atomic():
        _lock(campaign_id, found)
        review = Review.objects.filter(campaign=campaign_id, annotator=annotator_id).first()
        if review is not None and review.status == Status.EXCLUDED:
            return []
        arming = review.rulings.filter(act__in=ARMING).count() if review else 0
        known = _known(review, arming)
        fired = [verdict for verdict in found if (verdict.screen, verdict.tier) not in known]
        if not fired:
            return []
        pausing = any(verdict.tier == PAUSED for verdict in fired)
        review = _moved(review, campaign_id, annotator_id, now=now, pausing=pausing)
        made = [
            Flag.objects.create(
                review=review,
                screen=verdict.screen,
                verdict=asdict(verdict),
                at=now,
                tier=verdict.tier,
                arming=arming,
            )
            for verdict in fired
        ]
        names = [verdict.screen for verdict in fired]
        _record("flag", review, screens=names, tier=PAUSED if pausing else LISTED)
        change_marks.mark(campaign_id, "flag")
        if pausing:
            first = next(one for one in made if one.tier == PAUSED)
            messages.noticed(review, flag_id=first.pk)
    return names


def _lock(campaign_id: int, found: list[Verdict]) -> None:
    """Lock the campaign; leases go on meanwhile, unless somebody may be paused."""
    if any(verdict.tier == PAUSED for verdict in found):
        locks.campaign(campaign_id)
    else:
        locks.campaign_shared(campaign_id)


def _known(review: Review | None, arming: int) -> set[tuple[str, str]]:
    """Return the screens and tiers that have flagged since the last ruling; a pause lists too."""
    if review is None:
        return set()
    rows = review.flags.filter(arming=arming).values_list("screen", "tier")
    return {(screen, tier) for screen, own in rows for tier in (own, LISTED)}


def _moved(
    review: Review | None, campaign_id: int, annotator_id: int, *, now: datetime, pausing: bool
) -> Review:
    """Open the review, or list it where it neither waits nor is listed."""
    if pausing:
        return _opened(review, campaign_id, annotator_id, now=now)
    if review is None:
        return states.begin(campaign_id, annotator_id, now=now, to=Status.LISTED)
    states.list_again(review, now=now)
    return review


def open_by_hand(campaign_id: int, annotator_id: int, *, actor_id: int) -> int:
    """Open a review without a flag; return its id. Safe to repeat."""
    with transaction.atomic():
        locks.campaign(campaign_id)
        review = Review.objects.filter(campaign=campaign_id, annotator=annotator_id).first()
        if review is None:
            review = _opened(None, campaign_id, annotator_id, now=timezone.now())
            _record("review", review, actor_id=actor_id)
    return review.pk


def locked(review_id: int) -> Review:
    """Lock the review's campaign until the end of the transaction, and read the review again."""
    locks.campaign(Review.objects.values_list("campaign_id", flat=True).get(pk=review_id))
    return Review.objects.select_related("campaign").get(pk=review_id)


def _opened(review: Review | None, campaign_id: int, annotator_id: int, *, now: datetime) -> Review:
    if review is None:
        return states.begin(campaign_id, annotator_id, now=now)
    states.open_again(review, now=now)
    return review


def _record(verb: str, review: Review, *, actor_id: int | None = None, **detail: Any) -> None:
    audit.record(
        verb,
        campaign_id=review.campaign_id,
        actor_id=actor_id,
        subject=f"annotator:{review.annotator_id}",
        **detail,
    )


def screen(campaign_id: int) -> int:
    """Screen every annotator of a campaign; return how many are newly flagged.

    The same judgments are never screened twice. A refresh screens before it decides, so no campaign
    becomes final on unscreened work.
    """
    campaign = Campaign.objects.get(pk=campaign_id)
    state = screening.state(campaign_id)
    if campaign.screened == state or (columns := screening.columns(campaign)) is None:
        return 0
    keeps = verdicts.is_due(campaign_id)
    found = verdicts.found(campaign, columns, not keeps)
    with transaction.atomic():
        moved = Campaign.objects.filter(pk=campaign_id, screened=campaign.screened).update(
            screened=state
        )
        new = _flag(campaign_id, [one for one in found if one.flagged]) if moved else 0
    if keeps:
        verdicts.keep(campaign_id, state, columns, found)
    return new


def screen_due() -> int:
    """Screen the collecting campaigns whose verdicts are old; return how many people it flags.

    A refresh of a large campaign leaves the screens to this.
    """
    ends = time.monotonic() + verdicts.AT_ONCE
    collecting = Campaign.objects.filter(status__in=COLLECTING).order_by("pk")
    return sum(
        screen(campaign_id)
        for campaign_id in collecting.values_list("pk", flat=True)
        if time.monotonic() < ends and verdicts.is_due(campaign_id)
    )


def _flag(campaign_id: int, fired: list[Verdict]) -> int:
    fresh = _news(campaign_id, fired) if fired else []
    by_person = groupby(sorted(fresh, key=lambda v: v.annotator), lambda v: v.annotator)
    return sum(bool(flag(campaign_id, who, list(found))) for who, found in by_person)


def _news(campaign_id: int, fired: list[Verdict]) -> list[Verdict]:
    """Return the verdicts that no flag tells yet, of people whose work is not excluded.

    Each look at everybody fires again for whoever is listed already, and that should lock nothing.
    `flag` looks again with the campaign's lock.
    """
    excluded = Review.objects.filter(campaign=campaign_id, status=Status.EXCLUDED)
    gone = set(excluded.values_list("annotator", flat=True))
    armed = Count("review__rulings", filter=Q(review__rulings__act__in=ARMING))
    flags = Flag.objects.filter(review__campaign=campaign_id).annotate(armed=armed)
    rows = flags.filter(arming=F("armed")).values_list("review__annotator", "screen", "tier")
    known = {(who, screen, tier) for who, screen, own in rows for tier in (own, LISTED)}
    return [
        one
        for one in fired
        if one.annotator not in gone and (one.annotator, one.screen, one.tier) not in known
    ]


def record_results_seen(campaign_id: int, user_id: int) -> None:
    """Record that this person sees the results, once between two rulings of the campaign."""
    ruled = Ruling.objects.filter(review__campaign=OuterRef("pk")).order_by("-pk")
    seen = ResultsSeen.objects.filter(campaign=OuterRef("pk"), user=user_id)
    newest, last_seen = (
        Campaign.objects.filter(pk=campaign_id)
        .values_list(
            Subquery(ruled.values("pk")[:1]),
            Subquery(seen.order_by("-after_ruling").values("after_ruling")[:1]),
        )
        .get()
    )
    after = newest or 0
    if last_seen is None or last_seen < after:
        made = ResultsSeen(
            campaign_id=campaign_id, user_id=user_id, after_ruling=after, at=timezone.now()
        )
        ResultsSeen.objects.bulk_create([made], ignore_conflicts=True)


def record_opened(campaign_id: int, annotator_id: int, user_id: int) -> None:
    """Record that this person has opened a case, once after each newest flag."""
    if not opened.cases(user_id, [(campaign_id, annotator_id)]):
        CaseOpened.objects.create(
            campaign_id=campaign_id, annotator_id=annotator_id, user_id=user_id, at=timezone.now()
        )
