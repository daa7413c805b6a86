"""What an annotator may appeal against, and who may answer."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from annotate.models import Appeal, Block, Membership, Review, Ruling
from annotate.selectors.review import eligibility


@dataclass(frozen=True)
class Ground:
    """A review that can be appealed against, and whether it can be now.

    until: the deadline; None: as long as the block lasts.
    waits: an appeal is open.
    appealed: there was an appeal since the last flag or ruling; only one is possible.
    block: the block made in this review, if it stands.
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


def ground(campaign_id: int, annotator_id: int) -> list[Ground]:
    """Return this person's grounds for appeal in this campaign, in constant queries.

    The campaign's own review comes before a block from another campaign.
    """
    block = eligibility.block(campaign_id, annotator_id)
    review = Review.objects.filter(campaign=campaign_id, annotator=annotator_id).first()
    there = block.ruling.review if block is not None else None
    here = block if review is not None and review == there else None
    grounds = []
    decided = review is not None and review.status in eligibility.AGAINST
    if review is not None and (decided or here is not None):
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


Act = Ruling.Act
# Which act reverses which.
UNDOES = {
    Act.RESTORE: (Act.EXCLUDE, Act.REFUSE),
    Act.REPAY: (Act.REFUSE,),
    Act.UNBLOCK: (Act.BLOCK,),
}
ADVERSE = (Act.EXCLUDE, Act.REFUSE, Act.BLOCK)


@dataclass(frozen=True)
class Answerers:
    """Who may answer an appeal.

    rulers: ids of the authors of rulings in force.
    others: other people who can rule, by id.
    """

    rulers: frozenset[int] = frozenset()
    others: Mapping[int, str] | None = None

    @property
    def names(self) -> list[str]:
        """Return the user names of the people who should answer."""
        return sorted((self.others or {}).values(), key=str.casefold)

    def is_own(self, user_id: int) -> bool:
        """Return whether an appeal would be against a ruling of this person."""
        return user_id in self.rulers

    def bars(self, user_id: int) -> bool:
        """Return whether another person must answer instead of this one."""
        return self.is_own(user_id) and bool(self.others)


def answerers(review_id: int) -> Answerers:
    return of_reviews([review_id])[review_id]


def of_reviews(review_ids: Iterable[int]) -> dict[int, Answerers]:
    """Return who may answer appeals in each of these reviews; always four queries."""
    campaigns = dict(Review.objects.filter(pk__in=review_ids).values_list("pk", "campaign"))
    rulers = _rulers(list(campaigns))
    members: defaultdict[int, dict[int, str]] = defaultdict(dict)
    reviewers = Membership.objects.filter(role__in=Membership.REVIEW)
    active = reviewers.filter(campaign__in=campaigns.values(), user__is_active=True)
    for campaign, user, name in active.values_list("campaign", "user", "user__username"):
        members[campaign][user] = name
    return {
        review: Answerers(
            rulers[review],
            {pk: name for pk, name in members[campaign].items() if pk not in rulers[review]},
        )
        for review, campaign in campaigns.items()
    }


def left_to_others(user_id: int) -> set[int]:
    """Return the reviews whose open appeal another person must answer."""
    mine = Membership.objects.filter(user=user_id, role__in=Membership.REVIEW).values("campaign")
    open_ = Appeal.objects.filter(answered_at=None, review__campaign__in=mine)
    against_me = open_.filter(review__rulings__actor=user_id, review__rulings__act__in=ADVERSE)
    found = set(against_me.values_list("review", flat=True))
    if not found:
        return found
    return {review for review, who in of_reviews(found).items() if who.bars(user_id)}


def _rulers(review_ids: list[int]) -> defaultdict[int, frozenset[int]]:
    """Return, for each review, the authors of the adverse rulings in force."""
    in_force: defaultdict[int, dict[str, int]] = defaultdict(dict)
    rulings = Ruling.objects.filter(review__in=review_ids).order_by("pk")
    for review, act, actor in rulings.values_list("review", "act", "actor"):
        if act in ADVERSE:
            in_force[review][act] = actor
        for undone in UNDOES.get(Act(act), ()):
            in_force[review].pop(undone, None)
    blocks = Block.objects.filter(ruling__review__in=review_ids, ended_at=None)
    blocking = set(blocks.values_list("ruling__review", flat=True))
    found: defaultdict[int, frozenset[int]] = defaultdict(frozenset)
    for review, acts in in_force.items():
        if review not in blocking:  # lifted from a review in another campaign
            acts.pop(Act.BLOCK, None)
        found[review] = frozenset(acts.values())
    return found
