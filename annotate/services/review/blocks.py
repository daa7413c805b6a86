"""Blocks follow an account into all campaigns of a researcher.

On a marketplace the account is the annotator. By an open link it is the name: people who came to
other campaigns of the same owner under a name that is one with it are blocked too.
"""

from collections.abc import Iterator
from datetime import datetime

from django.db.models import QuerySet

from annotate.models import Block, Membership, Review, Ruling
from annotate.selectors.work import namesakes


def block(review: Review, ruling: Ruling) -> str:
    """Block a review's annotator for its owners; "" where they are blocked already."""
    accounts = dict(_accounts(review))
    there = set(_standing(accounts).values_list("owner", "annotator"))
    if all((owner, review.annotator_id) in there for owner in accounts):
        return ""
    # Of two at once that meet on a namesake, the second leaves the first's.
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
    """Lift the blocks of a review's annotator, and of all who are one with them; False: none."""
    accounts = dict(_accounts(review))
    lifted = 0
    for owner, people in accounts.items():
        standing = _standing({owner: people})
        lifted += standing.update(ended_at=at)
    return bool(lifted)


def _accounts(review: Review) -> Iterator[tuple[int, set[int]]]:
    """Yield (owner, everybody who is this annotator in that owner's campaigns)."""
    owners = Membership.objects.filter(
        campaign=review.campaign_id, role=Membership.Role.OWNER
    ).values_list("user", flat=True)
    for owner in owners:
        others = namesakes.of(review.annotator_id, owner_id=owner)
        yield owner, {review.annotator_id} | others


def _standing(accounts: dict[int, set[int]]) -> QuerySet[Block]:
    people = set().union(*accounts.values())
    return Block.objects.filter(owner__in=accounts, annotator__in=people, ended_at=None)
