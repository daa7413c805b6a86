"""How rulings were made: blind, after looking at results, or undone later."""

from bisect import bisect_left
from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime

from annotate.models import Appeal, ResultsSeen, Ruling

Act = Ruling.Act
DECIDE = (Act.CLEAR, Act.EXCLUDE, Act.RESTORE)  # whether work counts


@dataclass(frozen=True)
class Conduct:
    """Counts of the rulings that decide whether work counts.

    blind: by people who could not see results and never had. looked: of the others, by people who
    had looked at results before. looks: how often people who ruled looked at results, counted once
    between two rulings. undone: exclusions that were reversed; undone_looked: by somebody who had
    looked at results since the exclusion; undone_late: after it was final. again: exclusions of
    people whose work had been excluded before. own_appeals: appeals that were answered by the
    person whose ruling they were against.
    """

    rulings: int = 0
    blind: int = 0
    looked: int = 0
    looks: int = 0
    undone: int = 0
    undone_looked: int = 0
    undone_late: int = 0
    again: int = 0
    own_appeals: int = 0

    @property
    def not_blind(self) -> int:
        return self.rulings - self.blind


@dataclass(frozen=True)
class _Look:
    after_ruling: int
    at: datetime


@dataclass(frozen=True)
class _Made:
    """A ruling, and whether its actor had looked at results: ever, and since the exclusion."""

    id: int
    review: int
    act: str
    actor: int
    at: datetime
    blind: bool
    late: bool

    def looked(self, looks: list[_Look], *, since: int = 0) -> bool:
        """looks: of this actor, in their order, which is that of the rulings before them."""
        first = bisect_left(looks, since, key=lambda look: look.after_ruling)
        return first < len(looks) and looks[first].at <= self.at


def of(campaign_id: int) -> Conduct:
    """Return the counts of a campaign; always three queries."""
    looks: defaultdict[int, list[_Look]] = defaultdict(list)
    seen = ResultsSeen.objects.filter(campaign=campaign_id).order_by("after_ruling")
    for user, after, at in seen.values_list("user", "after_ruling", "at"):
        looks[user].append(_Look(after, at))
    rows = Ruling.objects.filter(review__campaign=campaign_id).order_by("pk")
    names = ("pk", "review", "act", "actor", "at", "blind", "late")
    every = [_Made(*row) for row in rows.values_list(*names)]
    made = [one for one in every if one.act in DECIDE]
    undone, again = _reversals(made)
    own = Appeal.objects.filter(review__campaign=campaign_id, own_ruling=True)
    return Conduct(
        rulings=len(made),
        blind=sum(one.blind for one in made),
        looked=sum(not one.blind and one.looked(looks[one.actor]) for one in made),
        looks=sum(len(looks[actor]) for actor in {one.actor for one in every}),
        undone=len(undone),
        undone_looked=sum(one.looked(looks[one.actor], since=out.id) for one, out in undone),
        undone_late=sum(one.late for one, _out in undone),
        again=again,
        own_appeals=own.count(),
    )


def _reversals(made: list[_Made]) -> tuple[list[tuple[_Made, _Made]], int]:
    """Return each reversal with its exclusion, and how many exclusions were repeated ones."""
    undone, again = [], 0
    last: dict[int, _Made] = {}
    for one in made:
        if one.act == Act.EXCLUDE:
            again += one.review in last
            last[one.review] = one
        elif one.act == Act.RESTORE:
            undone.append((one, last[one.review]))
    return undone, again
