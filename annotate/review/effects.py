"""What rulings would do, what they did, and how they were made; nothing about scores."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db.models import Count, Max, Q, QuerySet, Sum
from django.db.models.functions import Coalesce
from django.utils import timezone

from annotate.crowds import adapters
from annotate.crowds.contract import Entry
from annotate.crowds.prices import CENT, ZERO
from annotate.models import (
    Appeal,
    Campaign,
    Exclusion,
    Flag,
    Judgment,
    LedgerEntry,
    Operation,
    Participation,
    Payout,
    ResultsSeen,
    Review,
    Ruling,
)
from annotate.pay import tallies
from annotate.pay.tallies import GIVEN
from annotate.review import queries as review_queries
from annotate.review.queries import Case, CaseKey

Status = Participation.Status
Key = tuple[int, int]  # a campaign's id and an annotator's
UNDECIDED = (Status.HANDED_IN, Status.CONFIRMED)
MAYBE = (Operation.Status.SENT, Operation.Status.UNCLEAR, Operation.Status.DONE)


def until(campaign_id: int, annotator_id: int) -> datetime | None:
    """Return the end of the time to refuse pay; None if no limit runs yet.

    By link, it is a fixed time after the last judgment; on a marketplace, when the crowd
    automatically approves the first of the units.
    """
    crowd = crowd_of(campaign_id)
    limit = crowd.refusal_limit
    if not adapters.publishes(crowd.key):
        mine = Judgment.objects.filter(campaign=campaign_id, annotator=annotator_id)
        last: datetime | None = mine.aggregate(last=Max("submitted_at"))["last"]
        return last and last + limit
    units = _units(campaign_id, annotator_id).filter(status=Status.CONFIRMED)
    ends = [
        auto or (at and at + limit)
        for auto, at in units.values_list("auto_approval_at", "submitted_at")
    ]
    return min(filter(None, ends), default=None)


def crowd_of(campaign_id: int) -> Entry:
    """Return the crowd of a campaign's people."""
    return adapters.entry(Campaign.objects.values_list("crowd", flat=True).get(pk=campaign_id))


def is_paid(campaign_id: int, annotator_id: int) -> bool:
    """Return whether some of the work has been paid, or may be in payment at this moment.

    By link, any mark counts. On a marketplace, extra pay that no ruling cancels is left out.
    """
    if not adapters.publishes(crowd_of(campaign_id).key):
        return tallies.paid_out(campaign_id, annotator_id) > 0
    units = _units(campaign_id, annotator_id)
    if units.filter(status=Status.APPROVED).exists():
        return True
    pays = Q(kind__in=(Operation.Kind.APPROVE, Operation.Kind.OVERRIDE)) | Q(
        kind=Operation.Kind.BONUS, entry__in=_for_work(campaign_id, annotator_id)
    )
    tried = Operation.objects.filter(pays, participation__in=units, status__in=MAYBE)
    return tried.exists()


def undecided(campaign_id: int, annotator_id: int) -> int:
    """Return how many submitted units of a marketplace are undecided."""
    return _units(campaign_id, annotator_id).filter(status__in=UNDECIDED).count()


def _units(campaign_id: int, annotator_id: int) -> QuerySet[Participation]:
    mine = Participation.objects.filter(campaign=campaign_id, annotator=annotator_id)
    return mine.exclude(posting=None)


def _for_work(campaign_id: int, annotator_id: int) -> QuerySet[LedgerEntry]:
    """Return the ledger rows that pay for work."""
    return LedgerEntry.objects.filter(
        campaign=campaign_id, participation__annotator=annotator_id, amount__gt=0
    ).exclude(kind__in=GIVEN)


# The effects of rulings, possible and past, on judgments, money and dates; not on scores.


Kind = LedgerEntry.Kind
FOR_WORK = (
    Kind.REWARD,
    Kind.COMPENSATION,
    Kind.REMAINDER,
    Kind.LAPSE,
    Kind.REFUSAL,
    Kind.REINSTATEMENT,
)


@dataclass(frozen=True)
class Effects:
    """What each act would do now to one annotator's work in one campaign.

    counting: judgments that an exclusion removes.
    excluded: judgments that a reversal restores.
    due: the unpaid part of their earnings.
    at_stake: the part of `due` that is for the work and can be refused.
    refused: what a reversal restores.
    undecided: undecided paid units of a marketplace.
    paid_out: it was paid, or is being paid.
    least_reason: the fewest characters of a refusal's reason at this crowd.
    """

    counting: int
    excluded: int
    due: Decimal
    refused: Decimal
    least_reason: int
    crowd: str
    at_stake: Decimal = ZERO
    undecided: int = 0
    refusable_until: datetime | None = None
    paid_out: bool = False

    @property
    def too_late(self) -> bool:
        return self.refusable_until is not None and timezone.now() > self.refusable_until

    @property
    def refusable(self) -> bool:
        something = bool(self.at_stake) or self.undecided > 0
        return something and not self.paid_out and not self.too_late


@dataclass(frozen=True)
class PastEffects:
    """The past effects of some rulings, from the facts that they wrote."""

    out: int
    back: int
    refused: Decimal
    restored: Decimal


def effects(campaign_id: int, annotator_id: int) -> Effects:
    """Return what rulings would do; always the same number of queries."""
    crowd, key = crowd_of(campaign_id), (campaign_id, annotator_id)
    sums = _Sums([campaign_id], [annotator_id])
    _all, work, _refused = sums.earned.get(key, (ZERO, ZERO, ZERO))
    at_stake = work - tallies.paid_for_work(campaign_id, annotator_id)
    if sums.paid.get(key, (ZERO,))[0] and not adapters.publishes(crowd.key):
        at_stake = ZERO  # by link, one mark pays for everything
    return replace(
        sums.effects(key, crowd),
        at_stake=max(ZERO, at_stake).quantize(CENT),
        undecided=undecided(campaign_id, annotator_id),
        refusable_until=until(campaign_id, annotator_id),
        paid_out=is_paid(campaign_id, annotator_id),
    )


def past_effects(ruling_ids: Iterable[int]) -> PastEffects:
    """Return the effects of these rulings, which were submitted together."""
    rulings = list(Ruling.objects.filter(pk__in=list(ruling_ids)))
    money = LedgerEntry.objects.filter(ruling__in=rulings).aggregate(
        refused=_sum(Q(kind=Kind.REFUSAL)), restored=_sum(Q(kind=Kind.REINSTATEMENT))
    )
    back = [ruling for ruling in rulings if ruling.act == Ruling.Act.RESTORE]
    return PastEffects(
        out=Exclusion.objects.filter(ruling__in=rulings).count(),
        back=Exclusion.objects.filter(
            ruling__review__in=[ruling.review_id for ruling in back],
            restored_at__in=[ruling.at for ruling in back],
        ).count(),
        refused=-money["refused"].quantize(CENT),
        restored=money["restored"].quantize(CENT),
    )


def _sum(which: Q) -> Coalesce:
    return Coalesce(Sum("amount", filter=which), ZERO, output_field=tallies.MONEY)


# How rulings were made, and what they have excluded from the estimates.


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
class RulingStatistics:
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


Looks = Sequence[tuple[int, datetime]]  # (after which ruling, when), in their order


def ruling_statistics_of(campaign_id: int) -> RulingStatistics:
    """Return the counts of a campaign; always three queries."""
    looks: defaultdict[int, list[tuple[int, datetime]]] = defaultdict(list)
    seen = ResultsSeen.objects.filter(campaign=campaign_id).order_by("after_ruling")
    for user, after, at in seen.values_list("user", "after_ruling", "at"):
        looks[user].append((after, at))
    every = list(Ruling.objects.filter(review__campaign=campaign_id).order_by("pk"))
    made = [one for one in every if one.act in DECIDE]
    undone, again = _reversals(made)
    own = Appeal.objects.filter(review__campaign=campaign_id, own_ruling=True)
    return RulingStatistics(
        rulings=len(made),
        blind=sum(one.blind for one in made),
        looked=sum(not one.blind and _looked(one, looks[one.actor_id]) for one in made),
        looks=sum(len(looks[actor]) for actor in {one.actor_id for one in every}),
        undone=len(undone),
        undone_looked=sum(_looked(one, looks[one.actor_id], since=out) for one, out in undone),
        undone_late=sum(one.late for one, _out in undone),
        again=again,
        own_appeals=own.count(),
        unopened=sum(one.opened is False for one in made),
    )


def _looked(ruling: Ruling, looks: Looks, *, since: Ruling | None = None) -> bool:
    """Return whether its actor, whose looks these are, had looked at results since a ruling."""
    first = bisect_left(looks, since.pk if since else 0, key=lambda look: look[0])
    return first < len(looks) and looks[first][1] <= ruling.at


def _reversals(made: list[Ruling]) -> tuple[list[tuple[Ruling, Ruling]], int]:
    """Return each reversal with its exclusion, and how many exclusions were repeated ones."""
    undone, again = [], 0
    last: dict[int, Ruling] = {}
    for one in made:
        if one.act == Act.EXCLUDE:
            again += one.review_id in last
            last[one.review_id] = one
        elif one.act == Act.RESTORE:
            undone.append((one, last[one.review_id]))
    return undone, again


# Several people whom one ruling is about: the state of each, in constant queries.


def cases_of(user_id: int, keys: Collection[CaseKey]) -> list[Case]:
    """Return these cases in the order of `keys`, without those that this person may not see."""
    mine = review_queries.of_user(user_id).filter(
        campaign__public_id__in={key.campaign for key in keys},
        annotator__pseudonym__in={key.pseudonym for key in keys},
    )
    found = {case.key: case for case in review_queries.cases(mine)}
    return [found[key] for key in keys if key in found]


def effects_of(cases: Sequence[Case]) -> list[Effects]:
    """Return what a ruling would do to each; five queries.

    Pay is refused one person at a time, so none can be refused here.
    """
    campaigns, people = ({case.person[part] for case in cases} for part in (0, 1))
    sums = _Sums(campaigns, people)
    return [sums.effects(case.person, adapters.entry(case.campaign.crowd)) for case in cases]


def other_answerers(user_id: int, cases: Sequence[Case]) -> dict[int, list[str]]:
    """Return, by review, who answers the appeal that this person must leave to others."""
    answerers = review_queries.answerers_of([case.review.pk for case in cases])
    appealed = {case.review.pk for case in cases if case.appeal}
    return {pk: answerers[pk].names for pk in appealed if answerers[pk].bars(user_id)}


class _Sums:
    """Judgments and money of several people in their campaigns; four queries."""

    def __init__(self, campaigns: Collection[int], people: Collection[int]) -> None:
        held = Judgment.objects.filter(
            campaign__in=campaigns, annotator__in=people, assignment__slot__isnull=False
        )
        out = Exclusion.objects.filter(
            judgment__campaign__in=campaigns, judgment__annotator__in=people, restored_at=None
        )
        pays = {"participation__campaign__in": campaigns, "participation__annotator__in": people}
        payee = ("participation__campaign", "participation__annotator")
        self.counting = _grouped(held, ("campaign", "annotator"), Count("pk"))
        self.excluded = _grouped(out, ("judgment__campaign", "judgment__annotator"), Count("pk"))
        self.earned = _grouped(
            LedgerEntry.objects.filter(**pays),
            payee,
            _sum(Q()),
            _sum(Q(kind__in=FOR_WORK)),
            _sum(Q(kind__in=(Kind.REFUSAL, Kind.REINSTATEMENT))),
        )
        self.paid = _grouped(Payout.objects.filter(**pays), payee, _sum(Q()))

    def effects(self, key: Key, crowd: Entry) -> Effects:
        """Return the effects that need nothing of the crowd: no pay that could be refused."""
        all_, _work, refused = self.earned.get(key, (ZERO, ZERO, ZERO))
        (paid,) = self.paid.get(key, (ZERO,))
        (counting,), (excluded,) = self.counting.get(key, (0,)), self.excluded.get(key, (0,))
        return Effects(
            counting=counting,
            excluded=excluded,
            due=(all_ - paid).quantize(CENT),
            refused=-refused.quantize(CENT),
            least_reason=crowd.can.least_reason,
            crowd=crowd.label,
        )


def _grouped(rows: QuerySet[Any], names: tuple[str, str], *what: Any) -> dict[Key, Any]:
    """Return these aggregates by campaign and person."""
    more = {f"sum{i}": one for i, one in enumerate(what)}
    found = rows.order_by().values_list(*names).annotate(**more)
    return {(campaign, person): tuple(sums) for campaign, person, *sums in found}
