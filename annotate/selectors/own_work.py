"""What annotators may know of reviews of their own work: nothing of others, nor of systems."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.utils import timezone

from annotate.models import Judgment, Participation, Payout, Review, Ruling
from annotate.screening.settings import Settings
from annotate.selectors import review_records, screening, standing
from annotate.selectors.review_records import Fired, Said

EXCERPT = 80


@dataclass(frozen=True)
class Ruled:
    """What a reviewer decided; who that was stays with the researcher."""

    act: str
    reason: str
    at: datetime


@dataclass(frozen=True)
class Looked:
    """A review of somebody's work: where it stands, and until when they may appeal.

    appeal_until is None where there is nothing to appeal against.
    """

    status: str
    pay_refused: bool
    notices: tuple[Fired, ...]
    rulings: tuple[Ruled, ...]
    appeals: tuple[Said, ...]
    appeal_until: datetime | None
    appealed: bool  # since the last flag or ruling
    settings: Settings

    @property
    def can_appeal(self) -> bool:
        until = self.appeal_until
        return until is not None and timezone.now() <= until and not self.appealed


@dataclass(frozen=True)
class OwnTask:
    """One submitted task, as its annotator remembers it.

    highlights: (words highlighted, words of the paragraph) of each highlighted paragraph.
    """

    number: int
    excerpt: str
    seconds: float
    response: Mapping[str, Any]
    highlights: tuple[tuple[int, int], ...]


def looked(participation_id: int) -> Looked | None:
    """Return the review of this annotator's work, if there is one and they are surely theirs."""
    who = Participation.objects.get(pk=participation_id)
    review = (
        Review.objects.filter(campaign=who.campaign_id, annotator=who.annotator_id)
        .select_related("campaign")
        .first()
    )
    if review is None or not standing.is_sure(who):
        return None
    settled = review.status == Review.Status.CLEARED
    return Looked(
        status=review.status,
        pay_refused=review.pay_refused,
        notices=review_records.flags([review.pk])[review.pk],
        rulings=tuple(_ruled(ruling) for ruling in review.rulings.order_by("pk")),
        appeals=review_records.appeals(review.pk),
        appeal_until=None if settled else standing.appeal_until(review),
        appealed=standing.appealed(review),
        settings=Settings.from_dict(review.campaign.screening),
    )


def tasks(participation_id: int) -> list[OwnTask]:
    """Return what this annotator has surely submitted in the campaign, in order."""
    who = Participation.objects.get(pk=participation_id)
    found = (
        screening.known()
        .filter(campaign=who.campaign_id, annotator=who.annotator_id)
        .select_related("output__item")
        .order_by("pk")
    )
    return [_task(number, judgment) for number, judgment in enumerate(found, start=1)]


def payouts(participation_id: int) -> list[tuple[datetime, Decimal]]:
    """Return (when, how much) of everything that is recorded as paid, and what was taken back."""
    rows = Payout.objects.filter(participation=participation_id).order_by("pk")
    return list(rows.values_list("at", "amount"))


def _ruled(ruling: Ruling) -> Ruled:
    return Ruled(ruling.act, ruling.reason, ruling.at)


def _task(number: int, judgment: Judgment) -> OwnTask:
    text = judgment.output.text
    return OwnTask(
        number=number,
        excerpt=text if len(text) <= EXCERPT else f"{text[:EXCERPT].rstrip()}…",
        seconds=screening.seconds(judgment.active_seconds, judgment.elapsed_seconds),
        response=judgment.response,
        highlights=tuple(_highlights(judgment)),
    )


def _highlights(judgment: Judgment) -> list[tuple[int, int]]:
    paragraphs = judgment.output.item.paragraphs
    return [
        (sum(len(paragraph[start:end].split()) for start, end in given["spans"]),
         len(paragraph.split()))
        for paragraph, given in zip(paragraphs, judgment.response.get("verdicts", []), strict=False)
        if given["spans"]
    ]  # fmt: skip
