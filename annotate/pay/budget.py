"""What a campaign has spent, may still owe and can afford, units in progress included."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, NamedTuple

from django.db.models import (
    BooleanField,
    Case,
    Count,
    Exists,
    ExpressionWrapper,
    F,
    IntegerField,
    Min,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
)
from django.db.models.functions import Coalesce, Greatest
from django.utils import timezone

from annotate.common.errors import Conflict, NotFound
from annotate.common.numbers import money_text
from annotate.crowds import adapters, prices
from annotate.crowds.adapters import CROWDS
from annotate.crowds.contract import usual_tasks
from annotate.crowds.prices import CENT, ZERO, Bill, Price, Tariff
from annotate.models import (
    GOLD_BLOCK,
    Assignment,
    Batch,
    Campaign,
    LedgerEntry,
    Operation,
    Participation,
    Posting,
    Review,
)
from annotate.models.crowds import AddPlacesPayload
from annotate.pay import promise_queries
from annotate.pay.tallies import MONEY, NUMBER, count_of, spent_of, sum_of
from annotate.studies import queries as studies_queries


class UnitGroup(NamedTuple):
    """A row of the statement: undecided units of one posting in the same state.

    places: of the posting; DECIDED where the crowd has confirmed these units.
    decided: places that decided units have taken.
    todo: tasks left.
    covered: the part of the reward that is earned.
    cancelled: the part of `covered` that is cancelled now, as a negative amount; it is restored if
        the crowd pays the unit.
    owes: the unit may bring a tutorial bonus.
    n: how many; 0 in the row of the campaign's other amounts (`_scalars`).
    """

    posting: int
    places: int
    decided: int
    leases: int
    todo: int
    reward: Decimal
    covered: Decimal
    cancelled: Decimal
    owes: bool
    n: int

    def rest(self, tariff: Tariff, task: Decimal) -> Decimal:
        """Return what one of them may still cost.

        A person who returned it and accepted it again may do more than its reward covers.
        """
        have = tariff.unit(min(self.covered, self.reward))
        rest = (tariff.unit(self.reward) - have).total - self.cancelled
        ahead = max(self.todo, self.leases) * task
        n = -(-max(ZERO, self.covered + ahead - self.reward) // task) if task else 0
        more = max(n * tariff.bonus(task).total, tariff.bonus(n * task).total)
        return max(ZERO, rest) + more

    def spent(self, tariff: Tariff) -> Decimal:
        """Return what one of them has in the ledger now."""
        return tariff.unit(min(self.covered, self.reward)).total + self.cancelled

    def leased(self, tariff: Tariff, task: Decimal) -> Decimal:
        """Return what the open leases of one of them cost."""
        have = min(self.covered, self.reward)
        then = min(have + self.leases * task, self.reward)
        return (tariff.unit(then) - tariff.unit(have)).total


# Paid units in progress, and those that need a decision.


Unit = Participation.Status
TO_COME = (Posting.Status.PLANNED, Posting.Status.OPEN)


@dataclass(frozen=True)
class FreeUnits:
    """The free units of one posting. `coming`: places that are being added."""

    posting: int
    coming: int
    units: int
    tasks: int  # of each
    reward: Decimal  # for each


def untaken(campaign_id: int) -> list[FreeUnits]:
    """Return the units that people may take now or after pending operations; two queries."""
    left, rejected = (Q(participations__status=one) for one in (Unit.LEFT, Unit.REJECTED))
    stays = ~(left | (rejected & Q(batch__crowd__in=adapters.reopening())))
    rows = (
        Posting.objects.filter(batch__campaign=campaign_id, status__in=TO_COME)
        .annotate(taken=Count("participations", filter=stays))
        .values_list("pk", "places", "taken", "batch__tasks", "batch__reward")
    )
    more = _extensions(campaign_id)
    return [
        FreeUnits(pk, more[pk], max(0, places + more[pk] - taken), tasks, reward)
        for pk, places, taken, tasks, reward in rows
    ]


def _extensions(campaign_id: int) -> Counter[int]:
    """Return the number of places that are being added, by posting."""
    found: Counter[int] = Counter()
    rows = Operation.objects.filter(
        campaign=campaign_id, kind=Operation.Kind.ADD_PLACES, status__in=Operation.UNDONE
    )
    for posting, payload in rows.values_list("posting", "payload"):
        found[posting] += AddPlacesPayload.from_json(payload).places
    return found


def promised_tasks(campaign_id: int) -> int:
    """Return how many tasks people at work have left, apart from their open leases."""
    # Of each of them apart: in a join, Postgres may read the assignments of all campaigns.
    theirs = Assignment.objects.filter(participation=OuterRef("pk"), status__in=Assignment.HELD)
    counted = theirs.order_by().values("participation").annotate(n=Count("pk")).values("n")
    held = Coalesce(Subquery(counted, output_field=IntegerField()), 0)
    in_time = Q(deadline_at=None) | Q(deadline_at__gt=timezone.now())
    rows = (
        Participation.objects.filter(
            in_time, campaign=campaign_id, status=Participation.Status.ACTIVE, tasks__isnull=False
        )
        .annotate(held=held)
        .values_list("tasks", "held")
    )
    return sum(max(0, (tasks or 0) - held) for tasks, held in rows)


def unused_units(batch: Batch) -> int:
    """Return how many of a batch's confirmed units are free.

    If a posting continues when a place is free, the places of rejected units are free.
    """
    free = {Unit.LEFT} | ({Unit.REJECTED} if batch.crowd in adapters.reopening() else set())
    used = Participation.objects.filter(posting__batch=batch)
    return batch.places - used.exclude(status__in=free).count()


NEAR = timedelta(days=2)


@dataclass(frozen=True)
class Deadline:
    """`units` are held back; the crowd pays the first of them automatically at `first`."""

    units: int
    first: datetime


def next_deadline(campaign_id: int) -> Deadline | None:
    """Return the held units that the crowd will pay soon, despite a review or a discrepancy."""
    reviewed = Review.objects.filter(
        campaign=OuterRef("campaign"), annotator=OuterRef("annotator"), status=Review.Status.OPEN
    )
    held = Participation.objects.filter(
        ~Q(problem="") | Exists(reviewed),
        campaign=campaign_id,
        status=Participation.Status.CONFIRMED,
        auto_approval_at__lte=timezone.now() + NEAR,
    )
    found = held.aggregate(n=Count("pk"), first=Min("auto_approval_at"))
    return Deadline(found["n"], found["first"]) if found["n"] else None


Status = Participation.Status


def disputed(campaign_id: int) -> QuerySet[Participation]:
    """Select the units that wait for a decision, the oldest first.

    The crowd lists them as submitted, with a discrepancy (`problem`).
    """
    rows = waiting(campaign_id).order_by("submitted_at", "pk")
    return rows.select_related("annotator", "posting__batch")


def count_disputed(campaign_id: int) -> int:
    """Return how many units wait for a decision."""
    return waiting(campaign_id).count()


def waiting(campaign: Any) -> QuerySet[Participation]:
    """Select the waiting units of a campaign: its id, or a reference to an outer query's.

    Refused pay is a decision, so such units do not wait.
    """
    refused = Review.objects.filter(
        campaign=OuterRef("campaign"), annotator=OuterRef("annotator"), pay_refused=True
    )
    rows = Participation.objects.filter(
        campaign=campaign, posting__isnull=False, status=Status.CONFIRMED
    )
    return rows.exclude(problem="").exclude(Exists(refused))


def unit_id_of(campaign_id: int, participation_id: int) -> int:
    """Return the unit's id if it belongs to this campaign; raises `NotFound` otherwise."""
    if not Participation.objects.filter(campaign=campaign_id, pk=participation_id).exists():
        raise NotFound("There is no such submission in this campaign.")
    return participation_id


# What a campaign has spent, and what it may owe without a further decision.


Kind = LedgerEntry.Kind
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
    return adapters.tariffs_of(campaign.crowd, campaign.fee_rate)


def commitments_of(campaign: Campaign) -> Commitments:
    """Return the commitments of a campaign.

    It is one statement, hence one snapshot: a concurrent submit that turns a lease into a ledger
    row is seen before or after, never half.
    """
    charges, published = tariff(campaign), _published(campaign)  # read before the units
    more = {one.posting: one.coming for one in published}
    rows = [UnitGroup(*row) for row in _rows(campaign)]
    whole = next(row for row in rows if not row.n)
    # Its columns as `_scalars` names them.
    begun, promised, by_link_leases, trying, spent = whole[1:6]
    units = [row for row in rows if row.n]
    worth = {one: one.rest(charges, campaign.reward) for one in units}
    counted = list(_within_places(worth, more))
    bonus = charges.bonus(campaign.tutorial_bonus).total
    by_link = by_link_leases * charges.unit(campaign.reward).total
    leased = sum((one.n * one.leased(charges, campaign.reward) for one in units), ZERO)
    return Commitments(
        spent=spent.quantize(CENT),
        leases=by_link + leased,
        by_link=by_link,
        units=sum((n * worth[one] for one, n in counted), ZERO),
        unlikely=sum(((one.n - n) * one.spent(charges) for one, n in counted), ZERO),
        begun=_begun(campaign, begun=begun, trying=trying)
        + sum(n for one, n in counted if one.owes) * bonus,
        promised=promised * bonus,
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
        "begun": count_of(promise_queries.begun(campaign), "instrument"),
        "trying": count_of(promise_queries.trying(campaign), "instrument"),
        "promised": count_of(promise_queries.counted(campaign), "instrument"),
    }
    mine: Any = Campaign.objects.filter(pk=campaign.pk).order_by()
    n: dict[str, int] = mine.annotate(**counts).values(*counts).get()
    bonus = tariff(campaign).bonus(campaign.tutorial_bonus).total
    return _begun(campaign, begun=n["begun"], trying=n["trying"]) + n["promised"] * bonus


def _begun(campaign: Campaign, *, begun: int, trying: int) -> Decimal:
    """Return what tutorials in progress by link may bring: passing one, or failing it."""
    charges = tariff(campaign)
    bonus = charges.bonus(campaign.tutorial_bonus).total
    failing = charges.bonus(promise_queries.for_failing(campaign)).total
    return begun * max(bonus, failing) + (trying - begun) * failing


def unit_price(campaign: Campaign, reward: Decimal) -> Decimal:
    """Return what one free unit may cost: its reward, and a new person's bonus."""
    charges = tariff(campaign)
    return (charges.unit(reward) + charges.bonus(promise_queries.offered(campaign))).total


def _published(campaign: Campaign) -> list[FreeUnits]:
    return untaken(campaign.pk) if adapters.publishes(campaign.crowd) else []


def _within_places(
    worth: Mapping[UnitGroup, Decimal], coming: Mapping[int, int]
) -> Iterator[tuple[UnitGroup, int]]:
    """Yield units and how many of them count: a posting pays for no more than its places.

    More people may be here while MTurk has not confirmed their identities. The most expensive units
    count.
    """
    left: dict[int, int] = {}
    for one in sorted(worth, key=lambda one: (worth[one], one.owes), reverse=True):
        if one.places == DECIDED:
            yield one, one.n
            continue
        places = one.places + coming.get(one.posting, 0)
        free = left.setdefault(one.posting, max(0, places - one.decided))
        yield one, min(one.n, free)
        left[one.posting] = free - min(one.n, free)


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
            begun=count_of(promise_queries.begun(campaign), "instrument"),
            trying=count_of(promise_queries.trying(campaign), "instrument"),
            promised=count_of(promise_queries.counted(campaign), "instrument"),
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
    tutorial = studies_queries.of_campaign(campaign) if promise_queries.offered(campaign) else None
    if tutorial is None:
        return Value(False, BooleanField())
    return ExpressionWrapper(
        promise_queries.owing(campaign, tutorial.version) & Q(status__in=AT_WORK),
        output_field=BooleanField(),
    )


# What judgments cost, what a campaign has committed, and whether its budget covers more.


BEYOND = "budget"  # the code of a `Conflict` that asks before the budget is exceeded


def price(campaign: Campaign) -> Price:
    """Return the price of one judgment that is paid separately."""
    return tariff(campaign).unit(campaign.reward)


def affordable(
    campaign: Campaign, *, tasks: int = 1, extra: Decimal = ZERO, for_now: bool = True
) -> bool:
    """Return whether the budget covers `tasks` more judgments and `extra`.

    All commitments count as spent. Without `for_now`, only those that are certain count, and a unit
    in progress that still has tasks counts as a judgment that the budget pays for.
    """
    if campaign.budget is None:
        return True
    found = commitments_of(campaign)
    if not for_now and found.todo:
        return True
    due = found.total if for_now else found.sure
    return due + tasks * price(campaign).total + extra <= campaign.budget


def committed(campaign: Campaign) -> Decimal:
    """Return what is spent or may still become due, fees included."""
    return commitments_of(campaign).total


def left(campaign: Campaign) -> Decimal | None:
    """Return what the budget leaves for new batches (may be negative); None without a budget."""
    if campaign.budget is None:
        return None
    return campaign.budget - committed(campaign)


def short_of_a_place(campaign: Campaign) -> Decimal:
    """Return what the budget lacks for one more submission with one task, by somebody new.

    0 where it pays for one, and by link, where a judgment alone is a place.
    """
    if campaign.budget is None or not adapters.publishes(campaign.crowd):
        return ZERO
    one = unit_price(campaign, campaign.reward)
    return max(ZERO, committed(campaign) + one - campaign.budget)


def ask(campaign: Campaign, *, before: Decimal, beyond_budget: bool) -> Decimal:
    """Return by how much a person's act exceeds the budget, in the transaction of the act.

    before: the excess before the act. Raises `Conflict` with the new excess if the act adds to it
        and `beyond_budget` is not set.
    """
    now = excess(campaign)
    if now > before and not beyond_budget:
        raise Conflict(
            f"The campaign would exceed its budget of {money_text(campaign.budget)} "
            f"by {money_text(now)}, "
            "fees included. Nothing was done. Confirm it if you mean it.",
            code=BEYOND,
        )
    return now


def excess(campaign: Campaign) -> Decimal:
    """Return by how much the committed money exceeds the budget."""
    if campaign.budget is None:
        return ZERO
    return max(ZERO, committed(campaign) - campaign.budget)


@dataclass(frozen=True)
class HighestCost:
    """The highest cost of a campaign.

    bill: of all planned judgments, up to the maximum.
    budget: may end the collection before.
    gold_share: how many of 25 tasks are gold items, which are paid alike.
    at_least: what is spent, with what is left to judge: more than the bill where work was paid that
        does not count.
    """

    bill: Bill
    budget: Decimal | None
    gold_share: int = 0
    at_least: Decimal = field(default=ZERO, compare=False)  # no part of what is planned

    @property
    def amount(self) -> Decimal:
        """Return the highest possible cost of the campaign."""
        total = max(self.bill.total, self.at_least)
        return total if self.budget is None else min(total, self.budget)

    @property
    def of_judgment(self) -> Decimal:
        """Return what one judgment costs with its fee and gold; it may be a fraction of a cent."""
        return self.bill.each * gold_factor(self.gold_share)

    @property
    def capped(self) -> bool:
        return self.budget is not None and self.budget < max(self.bill.total, self.at_least)


def highest_cost(
    campaign: Campaign, *, planned: int | None = None, tasks: int | None = None
) -> HighestCost:
    """Return the highest cost of all planned judgments of a campaign, with its share of gold.

    planned: the number of judgments, if known.
    tasks: the number in a unit of the latest batch, if known.
    """
    if planned is None:
        planned = Campaign.objects.values_list("planned", flat=True).get(pk=campaign.pk)
    judgments = min(planned, campaign.max_judgments or planned)
    bill = _bill(campaign, with_gold(judgments, campaign.gold_share), tasks)
    totals = campaign.totals
    left = bill.each * with_gold(max(0, judgments - totals.held), campaign.gold_share)
    at_least = (totals.spent + left).quantize(CENT)
    return HighestCost(bill, campaign.budget, campaign.gold_share, at_least)


def with_gold(judgments: int, share: int) -> int:
    """Return how many tasks bring so many judgments, if `share` of each 25 are gold items."""
    return -(-judgments * GOLD_BLOCK // (GOLD_BLOCK - share))


def judgments_of(tasks: int, share: int) -> int:
    """Return how many judgments so many tasks bring at least, on average; not the gold items."""
    return tasks * (GOLD_BLOCK - share) // GOLD_BLOCK


def gold_factor(share: int) -> Decimal:
    """Return how many tasks one judgment takes, if `share` of each 25 are gold items."""
    return Decimal(GOLD_BLOCK) / (GOLD_BLOCK - share)


def cost_of_plan(
    charges: Tariff,
    *,
    reward: Decimal,
    judgments: int,
    cap: int | None,
    bonus: Decimal,
    budget: Decimal | None,
    gold_share: int = 0,
    people: int | None = None,
) -> HighestCost:
    """Return the highest cost of a campaign that is only planned, in suggested units.

    people: how many come at most; None: not known.
    """
    bill = prices.of_judgments(
        charges,
        reward=reward,
        judgments=with_gold(judgments, gold_share),
        tasks=usual_tasks(cap),
        bonus=bonus,
        people=people,
    )
    return HighestCost(bill, budget, gold_share)


def cost_of_judgment(campaign: Campaign) -> Decimal:
    """Return what one judgment costs with its fee and gold; it may be a fraction of a cent."""
    return _bill(campaign, 1).each * gold_factor(campaign.gold_share)


def crowds() -> list[str]:
    """Return the names of the crowds whose prices are known."""
    return list(CROWDS)


def tasks_of(campaign: Campaign) -> int:
    """Return how many tasks a paid unit holds: as last launched, or as suggested."""
    last = Batch.objects.filter(campaign=campaign).order_by("-pk").values_list("tasks", flat=True)
    return last.first() or usual_tasks(campaign.annotator_cap)


def _bill(campaign: Campaign, judgments: int, tasks: int | None = None) -> Bill:
    charges = tariff(campaign)
    tasks = (tasks or tasks_of(campaign)) if charges.whole_units else 1
    return prices.of_judgments(
        charges,
        reward=campaign.reward,
        judgments=judgments,
        tasks=tasks,
        bonus=promise_queries.offered(campaign),
        people=campaign.raters if campaign.named_experts else None,
    )
