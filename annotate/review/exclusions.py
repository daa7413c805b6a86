"""Excluding judgments from the estimates and people from campaigns, and reversing both."""

from collections.abc import Iterator
from datetime import datetime

from django.db.models import QuerySet

from annotate.common import marks
from annotate.models import Assignment, Block, Exclusion, Judgment, Membership, Review, Ruling
from annotate.review import eligibility
from annotate.work import leasing, slots, units


def exclude(review: Review, ruling: Ruling) -> int:
    """Free every slot that the annotator holds; return how many judgments are excluded.

    Open leases end too, because further work would not count.
    """
    leasing.end_open(review.campaign_id, review.annotator_id, now=ruling.at)
    judged = Judgment.objects.filter(
        campaign=review.campaign_id,
        annotator=review.annotator_id,
        assignment__slot__isnull=False,
    )
    held = dict(judged.values_list("assignment", "pk"))
    Exclusion.objects.bulk_create(
        Exclusion(judgment_id=judgment, ruling=ruling) for judgment in held.values()
    )
    slots.free(held, campaign_id=review.campaign_id)
    marks.mark(review.campaign_id, "exclusion")
    return len(held)


def restore(review: Review, *, at: datetime) -> int:
    """Restore every excluded judgment; return how many.

    Each takes a free slot of its output again. If other judgments hold all slots by now, a slot is
    added, because both judgments were asked for and paid.
    """
    out = Exclusion.objects.filter(
        judgment__campaign=review.campaign_id,
        judgment__annotator=review.annotator_id,
        restored_at=None,
    ).select_related("judgment__assignment")
    # Another expert has the slots of one who was released.
    counts = not eligibility.released(review.campaign, review.annotator_id)
    restored = [_bring_back(exclusion, counts=counts) for exclusion in out.order_by("pk")]
    Exclusion.objects.filter(pk__in=restored, restored_at=None).update(restored_at=at)
    marks.mark(review.campaign_id, "restored")
    return len(restored)


def _bring_back(exclusion: Exclusion, *, counts: bool) -> int:
    """Take a slot again, unless the paid unit was returned: the work then follows the unit."""
    assignment = exclusion.judgment.assignment
    if counts and assignment.status in Assignment.HELD:
        slots.take_or_add(assignment)
    return exclusion.pk


def block(review: Review, ruling: Ruling) -> str:
    """Block a review's annotator for its owners; return "" if they are blocked already."""
    accounts = dict(_accounts(review))
    there = set(_standing(accounts).values_list("owner", "annotator"))
    if all((owner, review.annotator_id) in there for owner in accounts):
        return ""
    # If two simultaneous rulings block the same name, the second keeps the first's block.
    Block.objects.bulk_create(
        (
            Block(owner_id=owner, annotator_id=one, ruling=ruling)
            for owner, people in accounts.items()
            for one in people
            if (owner, one) not in there
        ),
        ignore_conflicts=True,
    )
    same = len(set().union(*accounts.values())) - 1
    others = f", and {same} of the same name" if same else ""
    return f"{len(accounts)} researcher{'s' * (len(accounts) != 1)}{others}"


def lift(review: Review, *, at: datetime) -> bool:
    """Lift the blocks of a review's annotator and of matching accounts; False if there are none."""
    accounts = dict(_accounts(review))
    lifted = 0
    for owner, people in accounts.items():
        standing = _standing({owner: people})
        lifted += standing.update(ended_at=at)
    return bool(lifted)


def _accounts(review: Review) -> Iterator[tuple[int, set[int]]]:
    """Yield each owner with all accounts that match this annotator in that owner's campaigns."""
    owners = Membership.objects.filter(
        campaign=review.campaign_id, role=Membership.Role.OWNER
    ).values_list("user", flat=True)
    for owner in owners:
        others = units.namesakes_of(review.annotator_id, owner_id=owner)
        yield owner, {review.annotator_id} | others


def _standing(accounts: dict[int, set[int]]) -> QuerySet[Block]:
    people = set().union(*accounts.values())
    return Block.objects.filter(owner__in=accounts, annotator__in=people, ended_at=None)
