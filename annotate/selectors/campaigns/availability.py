"""Who could fill the slots of a campaign that are still free."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from django.db.models import Exists, OuterRef

from annotate.models import Assignment, Block, Membership, Participation, Review
from annotate.selectors import bulk
from annotate.selectors.bulk import Ints
from annotate.selectors.campaigns.slot_counts import People
from annotate.selectors.campaigns.slots import free as free_slots

MANY = 20  # above this number of people, `_for_nobody` is not checked


@dataclass(frozen=True)
class Availability:
    """Who could fill the free slots.

    free: slots that can be leased.
    for_nobody: those of them that none of the `able` people can lease.
    came: annotators who entered. Each of them is counted once: under_review (waits for a ruling),
        left_out (excluded, or blocked by an owner), at_cap (of the others, those at the cap of
        tasks per person), or able.
    """

    came: int = 0
    under_review: int = 0
    left_out: int = 0
    at_cap: int = 0
    free: int = 0
    for_nobody: int = 0

    @property
    def barred(self) -> int:
        return self.under_review + self.left_out

    @property
    def able(self) -> int:
        return self.came - self.barred - self.at_cap

    @property
    def takeable(self) -> int:
        """Return the free slots that an annotator who entered may take."""
        return self.free - self.for_nobody


def of(campaign_id: int, cap: int | None, free: int, people: People) -> Availability:
    """Return who could fill the missing slots; at most six queries.

    free: how many are free. people: who has how many tasks (`slot_counts.by_person`).
    """
    came = _entered(campaign_id)
    reviews = dict(Review.objects.filter(campaign=campaign_id).values_list("annotator", "status"))
    excluded = {who for who, status in reviews.items() if status == Review.Status.EXCLUDED}
    waiting = {who for who, status in reviews.items() if status == Review.Status.OPEN}
    left_out = _ids(came, excluded | _blocked(campaign_id))
    reviewed = np.setdiff1d(_ids(came, waiting), left_out, assume_unique=True)
    barred = np.concatenate([left_out, reviewed])
    full = np.setdiff1d(_ids(came, _at_cap(people, cap)), barred, assume_unique=True)
    able = np.setdiff1d(came, np.concatenate([barred, full]), assume_unique=True)
    return Availability(
        came=came.size,
        under_review=reviewed.size,
        left_out=left_out.size,
        at_cap=full.size,
        free=free,
        for_nobody=_for_nobody(campaign_id, set(able.tolist())) if able.size else free,
    )


def _entered(campaign_id: int) -> Ints:
    rows = Participation.objects.filter(campaign=campaign_id).order_by()
    return np.unique(bulk.columns(rows, annotator="i8")[0])


def _ids(came: Ints, among: Collection[int] | Ints) -> Ints:
    """Return those of `among` who entered."""
    wanted = among if isinstance(among, np.ndarray) else np.array(sorted(among), dtype=np.int64)
    return np.intersect1d(came, wanted, assume_unique=True)


def _blocked(campaign_id: int) -> set[int]:
    owners = Membership.objects.filter(campaign=campaign_id, role=Membership.Role.OWNER)
    rows = Block.objects.filter(owner__in=owners.values("user"), ended_at=None)
    return set(rows.values_list("annotator", flat=True))


def _at_cap(people: People, cap: int | None) -> Ints:
    who, held = people
    return who[:0] if cap is None else who[held >= cap]


def _for_nobody(campaign_id: int, able: Collection[int]) -> int:
    """Count the free slots of outputs that all of these people have had already.

    No annotator gets an output twice. For many people it is not checked, because nearly all would
    have had to return the same outputs.
    """
    if len(able) > MANY:
        return 0
    had = Assignment.objects.filter(campaign=campaign_id).exclude(status=Assignment.Status.EXPIRED)
    begun = free_slots(campaign_id).filter(Exists(had.filter(output=OuterRef("output"))))
    n_free = Counter(begun.values_list("output", flat=True))
    pairs = set(
        had.filter(output__in=begun.order_by().values("output")).values_list("output", "annotator")
    )
    seen = Counter(output for output, who in pairs if who in able)
    return sum(n for output, n in n_free.items() if seen[output] >= len(able))
