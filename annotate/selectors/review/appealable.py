"""What an annotator may appeal against: a flag, a ruling, and a block made in another campaign."""

from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from annotate.models import Block, Review
from annotate.selectors.review import eligibility


@dataclass(frozen=True)
class Ground:
    """A review that can be appealed against, and whether it can be now.

    until: the last moment; None: as long as the block lasts. waits: an appeal is open. appealed:
    there was one since the last flag or ruling, which is enough. block: the one that was made in
    this review, if it stands.
    """

    review: Review
    until: datetime | None
    waits: bool
    appealed: bool
    block: Block | None

    @property
    def is_over(self) -> bool:
        return self.until is not None and timezone.now() > self.until

    @property
    def is_open(self) -> bool:
        return not (self.is_over or self.waits or self.appealed)


def of(campaign_id: int, annotator_id: int) -> list[Ground]:
    """Return the grounds of this person in this campaign, its own review before a block from
    another; in a constant number of queries."""
    block = eligibility.block(campaign_id, annotator_id)
    review = Review.objects.filter(campaign=campaign_id, annotator=annotator_id).first()
    there = block.ruling.review if block is not None else None
    here = block if review is not None and review == there else None
    grounds = []
    if review is not None and (review.status != Review.Status.CLEARED or here is not None):
        grounds.append(_ground(review, here))
    if there is not None and there != review:
        grounds.append(_ground(there, block))
    return grounds


def _ground(review: Review, block: Block | None) -> Ground:
    return Ground(
        review=review,
        until=None if block is not None else eligibility.appeal_until(review),
        waits=review.appeals.filter(answered_at=None).exists(),
        appealed=eligibility.appealed(review),
        block=block,
    )
