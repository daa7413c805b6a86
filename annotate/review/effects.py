"""Whether pay for a person's work in a campaign can still be refused, by its crowd's rules."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Any, NamedTuple

from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce
from django.utils import timezone

from annotate.crowds import adapters
from annotate.crowds.contract import Entry
from annotate.crowds.prices import CENT, ZERO
from annotate.models import (
    Annotator,
    Appeal,
    Block,
    Campaign,
    Exclusion,
    Flag,
    Judgment,
    LedgerEntry,
    Membership,
    Operation,
    Participation,
    Payout,
    ResultsSeen,
    Review,
    Ruling,
)
from annotate.pay import tallies
from annotate.pay.tallies import GIVEN
from annotate.review import evidence
from annotate.review import queries as review_queries
from annotate.review.queries import NONE, Case, CaseKey, Fired, RuledReview

Status = Participation.Status
RefusalKind = Operation.Kind
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
    pays = Q(kind__in=(RefusalKind.APPROVE, RefusalKind.OVERRIDE)) | Q(
        kind=RefusalKind.BONUS, entry__in=_for_work(campaign_id, annotator_id)
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
    at_stake: Decimal
    refused: Decimal
    undecided: int
    refusable_until: datetime | None
    paid_out: bool
    least_reason: int
    crowd: str

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
    held = Judgment.objects.filter(
        campaign=campaign_id, annotator=annotator_id, assignment__slot__isnull=False
    )
    out = Exclusion.objects.filter(
        judgment__campaign=campaign_id, judgment__annotator=annotator_id, restored_at=None
    )
    crowd = crowd_of(campaign_id)
    pays = {"participation__campaign": campaign_id, "participation__annotator": annotator_id}
    earned = LedgerEntry.objects.filter(**pays).aggregate(
        all=_sum(Q()),
        work=_sum(Q(kind__in=FOR_WORK)),
        refused=_sum(Q(kind__in=(Kind.REFUSAL, Kind.REINSTATEMENT))),
    )
    paid = tallies.paid_out(campaign_id, annotator_id)
    return Effects(
        counting=held.count(),
        excluded=out.count(),
        due=(earned["all"] - paid).quantize(CENT),
        at_stake=_at_stake(campaign_id, annotator_id, earned["work"], paid=paid),
        refused=-earned["refused"].quantize(CENT),
        undecided=undecided(campaign_id, annotator_id),
        refusable_until=until(campaign_id, annotator_id),
        paid_out=is_paid(campaign_id, annotator_id),
        least_reason=crowd.can.least_reason,
        crowd=crowd.label,
    )


def _at_stake(campaign_id: int, annotator_id: int, work: Decimal, *, paid: Decimal) -> Decimal:
    """Return what can be refused. By link, one mark pays for everything, so it is 0 after that."""
    if paid and not adapters.publishes(crowd_of(campaign_id).key):
        return ZERO
    rest = work - tallies.paid_for_work(campaign_id, annotator_id)
    return max(ZERO, rest).quantize(CENT)


def done(ruling_ids: Iterable[int]) -> PastEffects:
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


def ruling_statistics_of(campaign_id: int) -> Conduct:
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


# The state of one annotator in every campaign that a user may review.


@dataclass(frozen=True)
class Elsewhere:
    """One annotator's state in one of several campaigns."""

    campaign_id: int
    annotator_id: int
    campaign: str
    campaign_name: str
    status: str
    pay_refused: bool
    blocked: bool
    judgments: int
    screens: tuple[str, ...]
    seen: int

    def shown(self, seen: int) -> "Elsewhere":
        """Return it as a page showed it, with `seen` as its last ruling."""
        return replace(self, seen=seen)


def everywhere(user_id: int, pseudonym: str) -> list[Elsewhere]:
    """Return this annotator's state in every campaign that this user may review."""
    mine = Membership.objects.filter(user=user_id, role__in=Membership.REVIEW).values("campaign")
    worked = Participation.objects.filter(campaign=OuterRef("pk"), annotator__pseudonym=pseudonym)
    campaigns = list(Campaign.objects.filter(Exists(worked), pk__in=mine))
    annotator = Annotator.objects.filter(pseudonym=pseudonym).first()
    if not campaigns or annotator is None:
        return []
    reviews = Review.objects.filter(campaign__in=campaigns, annotator=annotator)
    found = {review.campaign_id: review for review in reviews.annotate(seen=_last_ruling())}
    flags = review_queries.flags_of([review.pk for review in found.values()])
    counts = _judged(annotator.pk)
    blocked = _blocked_in(campaigns, annotator.pk)
    return [
        _elsewhere(
            one, annotator, found.get(one.pk), flags, counts.get(one.pk, 0), one.pk in blocked
        )
        for one in campaigns
    ]


def _elsewhere(
    campaign: Campaign,
    annotator: Annotator,
    review: Any,
    flags: Mapping[int | None, tuple[Fired, ...]],
    judgments: int,
    blocked: bool,
) -> Elsewhere:
    return Elsewhere(
        campaign_id=campaign.pk,
        annotator_id=annotator.pk,
        campaign=campaign.public_id,
        campaign_name=campaign.name,
        status=review.status if review else NONE,
        pay_refused=bool(review and review.pay_refused),
        blocked=blocked,
        judgments=judgments,
        screens=tuple(one.screen for one in review_queries.signs(flags[review.pk]))
        if review
        else (),
        seen=review.seen if review else 0,
    )


def _blocks(campaign_ids: Iterable[int], annotator_id: int) -> QuerySet[Block]:
    owners = Membership.objects.filter(campaign__in=campaign_ids, role=Membership.Role.OWNER)
    return Block.objects.filter(
        annotator=annotator_id, ended_at=None, owner__in=owners.values("user")
    )


def _blocked_in(campaigns: Iterable[Campaign], annotator_id: int) -> set[int]:
    owners = _blocks([one.pk for one in campaigns], annotator_id).values("owner")
    return set(
        Membership.objects.filter(role=Membership.Role.OWNER, user__in=owners).values_list(
            "campaign", flat=True
        )
    )


def _judged(annotator_id: int) -> dict[int, int]:
    rows = (
        evidence.screening_known().filter(annotator=annotator_id).order_by().values_list("campaign")
    )
    return dict(rows.annotate(n=Count("pk")))


def _last_ruling() -> Any:
    last = Ruling.objects.filter(review=OuterRef("pk")).order_by("-pk").values("pk")[:1]
    return Coalesce(Subquery(last), 0)


# Several people whom one ruling is about: the state of each, in constant queries.


Key = tuple[int, int]  # a campaign's id and an annotator's


class Together(NamedTuple):
    """One person among several. others: the names of those who answer this appeal instead."""

    case: Case
    effects: Effects
    others: list[str]


def people_together(user_id: int, keys: Collection[CaseKey]) -> list[Together]:
    """Return these reviews in the order of `keys`, without those that this person may not see.

    Pay is refused one person at a time, so the effects say that none can be refused here.
    """
    rows = _rows(user_id, keys)
    ids = [row.pk for row in rows]
    flags, rulings, appeals = (
        review_queries.flags_of(ids),
        _rulings(ids),
        review_queries.appeals_of(ids),
    )
    answerers = review_queries.of_reviews(ids)
    sums = _Sums(rows)
    found = {}
    for row in rows:
        appeal_waits = any(one.answered_at is None for one in appeals[row.pk])
        who = answerers[row.pk]
        others = who.names if appeal_waits and who.bars(user_id) else []
        case = _case(row, flags[row.pk], rulings[row.pk], appeals[row.pk], sums)
        found[CaseKey(case.campaign, case.pseudonym)] = Together(case, sums.effects(row), others)
    return [found[key] for key in keys if key in found]


def _rows(user_id: int, keys: Collection[CaseKey]) -> list[Any]:
    mine = review_queries.of_user(user_id).filter(
        campaign__public_id__in={key.campaign for key in keys},
        annotator__pseudonym__in={key.pseudonym for key in keys},
    )
    rows = mine.select_related("campaign", "annotator").annotate(
        blocked=Exists(review_queries.blocks_of_review())
    )
    wanted = set(keys)
    return [
        row for row in rows if CaseKey(row.campaign.public_id, row.annotator.pseudonym) in wanted
    ]


def _rulings(review_ids: Collection[int]) -> defaultdict[int, tuple[RuledReview, ...]]:
    found: defaultdict[int, tuple[RuledReview, ...]] = defaultdict(tuple)
    rows = Ruling.objects.filter(review__in=review_ids).select_related("actor").order_by("pk")
    for row in rows:
        found[row.review_id] += (review_queries.ruled_review(row),)
    return found


def _case(
    row: Any,
    flags: tuple[review_queries.Fired, ...],
    rulings: tuple[RuledReview, ...],
    appeals: tuple[review_queries.AppealRecord, ...],
    sums: "_Sums",
) -> Case:
    return Case(
        campaign_id=row.campaign_id,
        campaign=row.campaign.public_id,
        campaign_name=row.campaign.name,
        campaign_status=row.campaign.status,
        closed_at=row.campaign.closed_at,
        language=row.campaign.language,
        annotator_id=row.annotator_id,
        pseudonym=row.annotator.pseudonym,
        review_id=row.pk,
        status=row.status,
        pay_refused=row.pay_refused,
        blocked=row.blocked,
        since=row.opened_at,
        judgments=sums.judgments[row.campaign_id, row.annotator_id],
        flags=flags,
        rulings=rulings,
        appeals=appeals,
        trail=(),
    )


class _Sums:
    """Judgments and money of several people in their campaigns; five queries."""

    def __init__(self, rows: Collection[Review]) -> None:
        campaigns = {row.campaign_id for row in rows}
        people = {row.annotator_id for row in rows}
        given = Judgment.objects.filter(campaign__in=campaigns, annotator__in=people)
        known = evidence.screening_known().filter(campaign__in=campaigns, annotator__in=people)
        out = Exclusion.objects.filter(
            judgment__campaign__in=campaigns, judgment__annotator__in=people, restored_at=None
        )
        paying = {
            "participation__campaign__in": campaigns,
            "participation__annotator__in": people,
        }
        entries = LedgerEntry.objects.filter(**paying)
        refused = Sum("amount", filter=Q(kind__in=(Kind.REFUSAL, Kind.REINSTATEMENT)))
        by_judge, by_payee = ("campaign", "annotator"), "participation__"
        self.judgments = _counted(known, by_judge)
        self.counting = _counted(given.filter(assignment__slot__isnull=False), by_judge)
        self.excluded = _counted(out, ("judgment__campaign", "judgment__annotator"))
        payee = (f"{by_payee}campaign", f"{by_payee}annotator")
        self.earned = _money(entries, payee, all=Sum("amount"), refused=refused)
        self.paid = _money(Payout.objects.filter(**paying), payee, all=Sum("amount"))

    def effects(self, row: Any) -> Effects:
        key = (row.campaign_id, row.annotator_id)
        earned, paid = self.earned[key], self.paid[key]
        return Effects(
            counting=self.counting[key],
            excluded=self.excluded[key],
            due=(earned["all"] - paid["all"]).quantize(CENT),
            at_stake=ZERO,
            refused=-earned["refused"].quantize(CENT),
            undecided=0,
            refusable_until=None,
            paid_out=False,
            least_reason=1,
            crowd=adapters.crowd_label(row.campaign.crowd),
        )


def _counted(rows: QuerySet[Any], names: tuple[str, str]) -> defaultdict[Key, int]:
    counts: defaultdict[Key, int] = defaultdict(int)
    for campaign, person, n in rows.order_by().values_list(*names).annotate(n=Count("pk")):
        counts[campaign, person] = n
    return counts


def _money(
    rows: QuerySet[Any], names: tuple[str, str], **sums: Sum
) -> defaultdict[Key, Mapping[str, Decimal]]:
    nothing = dict.fromkeys((*sums, "refused"), ZERO)
    found: defaultdict[Key, Mapping[str, Decimal]] = defaultdict(lambda: nothing)
    for campaign, person, *amounts in (
        rows.order_by().values(*names).annotate(**sums).values_list(*names, *sums)
    ):
        found[campaign, person] = nothing | {
            name: amount or ZERO for name, amount in zip(sums, amounts, strict=True)
        }
    return found
