"""What rulings have left out of the estimates: counts, and for which screens."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Max

from annotate.models import Exclusion, Flag, Review

BY_HAND = "by_hand"


@dataclass(frozen=True)
class Reason:
    """A screen that fired on excluded annotators, or `by_hand` where none did."""

    screen: str
    annotators: int
    judgments: int


@dataclass(frozen=True)
class Excluded:
    """What is left out now. One annotator may be named by several screens.

    annotators_since: those excluded after the moment asked about, usually the closing.
    """

    judgments: int = 0
    annotators: int = 0
    annotators_since: int = 0
    reasons: tuple[Reason, ...] = ()


def excluded(campaign_id: int, *, since: datetime | None = None) -> Excluded:
    """Return what is left out of a campaign's estimates; two queries."""
    rows = (
        Exclusion.objects.filter(judgment__campaign=campaign_id, restored_at=None)
        .order_by()
        .values("judgment__annotator")
        .annotate(n=Count("pk"), last=Max("ruling__at"))
        .values_list("judgment__annotator", "n", "last")
    )
    judgments: dict[int, int] = {}
    n_since = 0
    for annotator, n, last in rows:
        judgments[annotator] = n
        n_since += since is not None and last > since
    return Excluded(
        judgments=sum(judgments.values()),
        annotators=len(judgments),
        annotators_since=n_since,
        reasons=_reasons(campaign_id, judgments),
    )


def _reasons(campaign_id: int, judgments: dict[int, int]) -> tuple[Reason, ...]:
    flags = Flag.objects.filter(
        review__campaign=campaign_id, review__status=Review.Status.EXCLUDED
    ).values_list("screen", "review__annotator")
    fired: dict[str, set[int]] = {}
    for screen, annotator in flags:
        if annotator in judgments:
            fired.setdefault(screen, set()).add(annotator)
    unflagged = set(judgments).difference(*fired.values())
    if unflagged:
        fired[BY_HAND] = unflagged
    return tuple(
        Reason(screen, len(people), sum(judgments[one] for one in people))
        for screen, people in sorted(fired.items(), key=lambda each: (each[0] == BY_HAND, each[0]))
    )
