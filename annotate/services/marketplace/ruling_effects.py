"""The effects of a ruling at the campaign's crowd: pay, exclusion, a message."""

from collections.abc import Iterable

from annotate import adapters
from annotate.models import Review, Ruling
from annotate.services.marketplace import exclusion_lists, messages
from annotate.services.pay import settling

Act = Ruling.Act
STANDING = (Act.EXCLUDE, Act.RESTORE, Act.BLOCK, Act.UNBLOCK)


def follow(review: Review, made: Iterable[Ruling]) -> None:
    """Intend what these rulings mean there, in their transaction; by link nothing does."""
    acts = {Act(ruling.act): ruling for ruling in made}
    if not acts or review.campaign.crowd not in adapters.MARKETPLACES:
        return
    settling.settle_person(review.campaign_id, review.annotator_id)
    if any(act in STANDING for act in acts):
        exclusion_lists.follow(review)
    messages.decided(review, acts.values())
