"""What a campaign has spent, and what it may owe without a further decision."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NamedTuple

from django.db.models import (
    BooleanField,
    Case,
    Count,
    ExpressionWrapper,
    F,
    OuterRef,
    Q,
    QuerySet,
    Value,
    When,
)
from django.db.models.functions import Greatest
from django.utils import timezone

from annotate import adapters
from annotate.crowds import tariffs
from annotate.crowds.tariffs import CENT, ZERO, Tariff
from annotate.models import Assignment, Campaign, LedgerEntry, Participation, Review
from annotate.selectors.pay import open_units, promises
from annotate.selectors.pay.accounts import MONEY, NUMBER, count_of, spent_of, sum_of
from annotate.selectors.pay.open_units import Untaken
from annotate.selectors.pay.unit_costs import UnitGroup
from annotate.selectors.studies import tutorial_contents

Kind = LedgerEntry.Kind
Status = Participation.Status
CANCELS = (Kind.LAPSE, Kind.REFUSAL, Kind.REINSTATEMENT)
AT_WORK = (Status.ACTIVE, Status.HANDED_IN)
UNDECIDED = (*AT_WORK, Status.CONFIRMED)
DECIDED = -1  # used as the number of places of units that the crowd has confirmed


@dataclass(frozen=True)
class Commitments:
    """Amounts of money, including the crowd's fees.

    leases: open leases of any kind.
    units: the unspent part of undecided paid units, with their leases.
    unlikely: spent for units beyond their posting's places, which cannot all be paid.
    begun: bonuses of tutorials in progress, or that units in progress may bring; pay for a failed
        try where that is more.
    promised: bonuses of passed tutorials that are not due yet.
    untaken: published units that are still free, with a new person's bonus each.
    todo: the number of tasks left to people at work in units, with their leases.
    """

    spent: Decimal
    leases: Decimal
    by_link: Decimal  # of `leases`
    units: Decimal
    unlikely: Decimal
    begun: Decimal
    promised: Decimal
    untaken: Decimal
    todo: int

    @property
    def total(self) -> Decimal:
        """Return what is spent or may still become due."""
        due = self.spent - self.unlikely + self.by_link + self.units
        return due + self.begun + self.promised + self.untaken

    @property
    def sure(self) -> Decimal:
        """Return the same without commitments that may end without work."""
        return self.spent - self.unlikely + self.leases + self.promised


def tariff(campaign: Campaign) -> Tariff:
    """Return this campaign's tariff: its crowd's rules with the campaign's own fee rate."""
    return tariffs.of(campaign.crowd, campaign.fee_rate)


def of(campaign: Campaign) -> Commitments:
    """Return the commitments of a campaign.

    It is one statement, hence one snapshot: a concurrent submit that turns a lease into a ledger
    row is seen before or after, never half.
    """
    charges, published = tariff(campaign), _published(campaign)  # read before the units
    more = {one.posting: one.coming for one in published}
    rows = [_Row(*row) for row in _rows(campaign)]
    whole = next(row for row in rows if not row.n)
    units = [_group(row, more) for row in rows if row.n]
    worth = {one: one.rest(charges, campaign.reward) for one in units}
    counted = list(_within_places(worth))
    bonus = charges.bonus(campaign.tutorial_bonus).total
    by_link = whole.leases * charges.unit(campaign.reward).total
    leased = sum((one.n * one.leased(charges, campaign.reward) for one in units), ZERO)
    return Commitments(
        spent=whole.money.quantize(CENT),
        leases=by_link + leased,
        by_link=by_link,
        units=sum((n * worth[one] for one, n in counted), ZERO),
        unlikely=sum(((one.n - n) * one.spent(charges) for one, n in counted), ZERO),
        begun=_begun(campaign, begun=whole.begun, trying=whole.todo)
        + sum(n for one, n in counted if one.owes) * bonus,
        promised=whole.promised * bonus,
        untaken=sum((one.units * unit_price(campaign, one.reward) for one in published), ZERO),
        todo=sum(one.n * one.todo for one in units),
    )


def of_tutorials(campaign: Campaign) -> Decimal:
    """Return what tutorials passed and in progress may still bring to people by link; one query.

    It is what `of` holds beside spent money and leases.
    """
    if not campaign.tutorial_required:
        return ZERO
    counts = {
        "begun": count_of(promises.begun(campaign), "instrument"),
        "trying": count_of(promises.trying(campaign), "instrument"),
        "promised": count_of(promises.counted(campaign), "instrument"),
    }
    mine: Any = Campaign.objects.filter(pk=campaign.pk).order_by()
    n: dict[str, int] = mine.annotate(**counts).values(*counts).get()
    bonus = tariff(campaign).bonus(campaign.tutorial_bonus).total
    return _begun(campaign, begun=n["begun"], trying=n["trying"]) + n["promised"] * bonus


def _begun(campaign: Campaign, *, begun: int, trying: int) -> Decimal:
    """Return what tutorials in progress by link may bring: passing one, or failing it."""
    charges = tariff(campaign)
    bonus = charges.bonus(campaign.tutorial_bonus).total
    failing = charges.bonus(promises.for_failing(campaign)).total
    return begun * max(bonus, failing) + (trying - begun) * failing


def unit_price(campaign: Campaign, reward: Decimal) -> Decimal:
    """Return what one free unit may cost: its reward, and a new person's bonus."""
    charges = tariff(campaign)
    return (charges.unit(reward) + charges.bonus(promises.offered(campaign))).total


def _published(campaign: Campaign) -> list[Untaken]:
    return open_units.untaken(campaign.pk) if adapters.publishes(campaign.crowd) else []


def _within_places(worth: Mapping[UnitGroup, Decimal]) -> Iterator[tuple[UnitGroup, int]]:
    """Yield units and how many of them count: a posting pays for no more than its places.

    More people may be here while MTurk has not confirmed their identities. The most expensive units
    count.
    """
    left: dict[int, int] = {}
    for one in sorted(worth, key=lambda one: (worth[one], one.owes), reverse=True):
        if one.free is None:
            yield one, one.n
            continue
        free = left.setdefault(one.posting, max(0, one.free))
        yield one, min(one.n, free)
        left[one.posting] = free - min(one.n, free)


class _Row(NamedTuple):
    """A row of the statement: units in the same state, or, if `n` is missing, other amounts."""

    posting: int
    begun: int  # for units: places of the posting, or DECIDED
    promised: int  # for units: places that decided units have taken
    leases: int
    todo: int  # of units: tasks left; otherwise tutorials in progress by link
    money: Decimal  # spent; for units: the reward
    covered: Decimal
    cancelled: Decimal
    owes: bool
    n: int


def _group(row: _Row, more: Mapping[int, int]) -> UnitGroup:
    places, decided = row.begun, row.promised
    free = None if places == DECIDED else places + more.get(row.posting, 0) - decided
    covered, cancelled = row.covered.quantize(CENT), row.cancelled.quantize(CENT)
    return UnitGroup(
        posting=row.posting,
        free=free,
        reward=row.money,
        covered=covered,
        cancelled=cancelled,
        leases=row.leases,
        todo=row.todo,
        owes=bool(row.owes),
        n=row.n,
    )


def _rows(campaign: Campaign) -> Any:
    """Return one statement. Only marketplaces have units."""
    whole = _scalars(campaign)
    units = adapters.publishes(campaign.crowd)
    return whole.union(_groups(campaign), all=True) if units else whole


def _scalars(campaign: Campaign) -> QuerySet[Campaign, Any]:
    by_link = Assignment.objects.filter(
        campaign=OuterRef("pk"), status=Assignment.Status.LEASED, participation__tasks=None
    )
    whole = (
        Campaign.objects.filter(pk=campaign.pk)
        .order_by()
        .annotate(
            by_link=count_of(by_link, "campaign"),
            begun=count_of(promises.begun(campaign), "instrument"),
            trying=count_of(promises.trying(campaign), "instrument"),
            promised=count_of(promises.counted(campaign), "instrument"),
            spent=spent_of(),
            none=Value(0, NUMBER),
            zero=Value(ZERO, MONEY),
            no=Value(False, BooleanField()),
        )
    )
    return whole.values_list(
        "none", "begun", "promised", "by_link", "trying", "spent", "zero", "zero", "no", "none"
    )


def _groups(campaign: Campaign) -> QuerySet[Participation, Any]:
    """Return the undecided units, with those in the same state in one row."""
    now = timezone.now()
    in_time = Q(status=Status.ACTIVE) & (Q(deadline_at=None) | Q(deadline_at__gt=now))
    tasks = Assignment.objects.filter(participation=OuterRef("pk"))
    rows = LedgerEntry.objects.filter(participation=OuterRef("pk"))
    earned = rows.filter(Q(assignment__isnull=False) | Q(kind=Kind.REMAINDER))
    decided = Participation.objects.filter(
        posting=OuterRef("posting"), status__in=Participation.LISTED
    )
    left = Greatest(
        F("tasks") - count_of(tasks.filter(status__in=Assignment.JUDGED), "participation"), 0
    )
    units = (
        _undecided(campaign)
        .order_by()
        .annotate(
            places=Case(
                When(status=Status.CONFIRMED, then=Value(DECIDED)),
                default=F("posting__places"),
                output_field=NUMBER,
            ),
            decided=count_of(decided, "posting"),
            leases=count_of(tasks.filter(status=Assignment.Status.LEASED), "participation"),
            todo=Case(When(in_time, then=left), default=Value(0), output_field=NUMBER),
            reward=ExpressionWrapper(F("posting__batch__reward"), output_field=MONEY),
            covered=sum_of(earned, "participation"),
            cancelled=sum_of(rows.filter(kind__in=CANCELS), "participation", fees=True),
            owes=_owes(campaign),
        )
    )
    alike = [
        "posting_id",
        "places",
        "decided",
        "leases",
        "todo",
        "reward",
        "covered",
        "cancelled",
        "owes",
    ]
    counted: QuerySet[Participation, Any] = units.values(*alike).annotate(n=Count("pk"))
    return counted.values_list(*alike, "n")


def _undecided(campaign: Campaign) -> QuerySet[Participation]:
    """Select the undecided units, and the confirmed ones that are disputed or refused."""
    refused = Review.objects.filter(campaign=campaign, pay_refused=True)
    odd = ~Q(problem="") | Q(annotator__in=refused.values("annotator"))
    return Participation.objects.filter(
        Q(status__in=AT_WORK) | Q(odd, status=Status.CONFIRMED),
        campaign=campaign,
        posting__isnull=False,
        status__in=UNDECIDED,  # the same as above, and the condition of an index
    )


def _owes(campaign: Campaign) -> Any:
    tutorial = tutorial_contents.of_campaign(campaign) if promises.offered(campaign) else None
    if tutorial is None:
        return Value(False, BooleanField())
    return ExpressionWrapper(
        promises.owing(campaign, tutorial.version) & Q(status__in=AT_WORK),
        output_field=BooleanField(),
    )
