"""How rulings were made, and what they have excluded from the estimates."""

from bisect import bisect_left
from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Max

from annotate.models import Appeal, Exclusion, Flag, ResultsSeen, Review, Ruling

BY_HAND = "by_hand"


@dataclass(frozen=True)
class Reason:
    """A screen that flagged excluded annotators, or `by_hand` for those without flags."""

    screen: str
    annotators: int
    judgments: int


@dataclass(frozen=True)
class ExcludedCounts:
    """What is excluded now. One annotator may be counted for several screens.

    annotators_since: those excluded after a given moment, usually the closing.
    """

    judgments: int = 0
    annotators: int = 0
    annotators_since: int = 0
    reasons: tuple[Reason, ...] = ()


def excluded(campaign_id: int, *, since: datetime | None = None) -> ExcludedCounts:
    """Return what is excluded from a campaign's estimates; two queries."""
    rows = (
        Exclusion.objects.filter(ruling__review__campaign=campaign_id, restored_at=None)
        .order_by()
        .values("ruling__review__annotator")
        .annotate(n=Count("pk"), last=Max("ruling__at"))
        .values_list("ruling__review__annotator", "n", "last")
    )
    judgments: dict[int, int] = {}
    n_since = 0
    for annotator, n, last in rows:
        judgments[annotator] = n
        n_since += since is not None and last > since
    return ExcludedCounts(
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


Act = Ruling.Act
DECIDE = (Act.CLEAR, Act.EXCLUDE, Act.RESTORE)  # the acts that decide whether work counts


@dataclass(frozen=True)
class Conduct:
    """Counts of the rulings that decide whether work counts.

    blind: by people who could not see results and never had.
    looked: of the others, by people who had looked at results before.
    looks: how often people who ruled looked at results, counted once between two rulings.
    undone: exclusions that were reversed.
    undone_looked: by people who had looked at results since the exclusion.
    undone_late: after the exclusion was final.
    again: exclusions of people whose work had been excluded before.
    unopened: by people who had not opened the case since its newest flag.
    own_appeals: appeals that were answered by the author of the ruling in question.
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
    unopened: int = 0

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
    opened: bool | None

    def looked(self, looks: list[_Look], *, since: int = 0) -> bool:
        """Return whether the actor looked at results after ruling `since`.

        looks: of this actor, in the order of the rulings before them.
        """
        first = bisect_left(looks, since, key=lambda look: look.after_ruling)
        return first < len(looks) and looks[first].at <= self.at


def of(campaign_id: int) -> Conduct:
    """Return the counts of a campaign; always three queries."""
    looks: defaultdict[int, list[_Look]] = defaultdict(list)
    seen = ResultsSeen.objects.filter(campaign=campaign_id).order_by("after_ruling")
    for user, after, at in seen.values_list("user", "after_ruling", "at"):
        looks[user].append(_Look(after, at))
    rows = Ruling.objects.filter(review__campaign=campaign_id).order_by("pk")
    names = ("pk", "review", "act", "actor", "at", "blind", "late", "opened")
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
        unopened=sum(one.opened is False for one in made),
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
