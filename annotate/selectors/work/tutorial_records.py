"""How annotators first answered a tutorial: evidence for reviewers and screens."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Sum

from annotate.models import Campaign, TutorialRound


@dataclass(frozen=True)
class RoundRecord:
    """One ended round: right first answers of those asked, and the active time in seconds.

    seconds: of the answers whose time the page told; None without any.
    """

    number: int
    right: int
    asked: int
    mark: int
    passed: bool
    seconds: float | None
    at: datetime

    @property
    def share(self) -> float:
        """Return the share of right first answers."""
        return self.right / self.asked if self.asked else 1.0

    @property
    def minutes(self) -> str:
        return "" if self.seconds is None else f"{self.seconds / 60:.1f}"


def of(campaign_id: int, annotators: Collection[int] | None = None) -> dict[int, list[RoundRecord]]:
    """Return each annotator's ended rounds of the tutorial that a campaign asks, the oldest first.

    Rounds in other campaigns with the same instrument count too: a tutorial is passed once. People
    who passed before there were rounds have none. One query for the campaign, one for the rounds.
    """
    campaign = Campaign.objects.get(pk=campaign_id)
    rounds = TutorialRound.objects.filter(
        run__instrument=campaign.instrument, ended_at__isnull=False
    )
    if annotators is None:
        here = campaign.participations.values("annotator")
        rounds = rounds.filter(annotator__in=here)
    else:
        rounds = rounds.filter(annotator__in=annotators)
    found: dict[int, list[RoundRecord]] = {}
    for row in rounds.annotate(seconds=Sum("answers__active_seconds")).order_by("ended_at", "pk"):
        assert row.ended_at is not None
        record = RoundRecord(
            number=row.number,
            right=row.right or 0,
            asked=row.asked,
            mark=row.mark,
            passed=bool(row.passed),
            seconds=row.seconds,
            at=row.ended_at,
        )
        found.setdefault(row.annotator_id, []).append(record)
    return found
