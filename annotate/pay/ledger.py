"""The ledger: what work earns, and how the rows of a paid unit follow its state.

A crowd pays a whole unit or none of it. The unit's reward covers as much as fits of what its
participation has earned; the rest is extra and is paid as bonuses. Each function that writes runs
in the caller's transaction, which locks the campaign, and does nothing if the ledger is right.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import StrEnum

from django.db.models import Sum
from django.utils import timezone

from annotate.campaigns import totals
from annotate.common.errors import Conflict, Invalid
from annotate.crowds import adapters
from annotate.crowds.prices import CENT, ZERO, Price, Tariff
from annotate.models import Assignment, Campaign, LedgerEntry, Participation, Payout, Review, Ruling
from annotate.pay import budget
from annotate.pay.tallies import GIVEN
from annotate.review import effects
from annotate.review.effects import FOR_WORK

Kind = LedgerEntry.Kind
Status = Participation.Status
REFUSED = (Kind.REFUSAL, Kind.REINSTATEMENT)


class PayAct(StrEnum):
    NOTHING = "nothing"
    WAIT = "wait"  # until a time, or for a reviewer
    ASK = "ask"  # a person decides
    APPROVE = "approve"
    REJECT = "reject"
    OVERRIDE = "override"
    BONUS = "bonus"  # the crowd does not pay the unit any more; bonuses pay what is due


def decide(
    status: str,
    *,
    now: datetime,
    due: Decimal = ZERO,
    refused: bool = False,
    in_review: bool = False,
    doubt: bool = False,
    approve_from: datetime | None = None,
    override_until: datetime | None = None,
) -> PayAct:
    """Return what to do at the crowd about a unit's pay.

    due: earned by its work and not paid.
    refused: a ruling refuses its pay now.
    doubt: there is a discrepancy, or the unit holds too little work.
    override_until: None if this crowd cannot reverse a rejection, or no longer.
    """
    if status == Status.REJECTED and due > 0 and not refused:
        in_time = override_until is not None and now < override_until
        return PayAct.OVERRIDE if in_time else PayAct.BONUS
    if status != Status.CONFIRMED:
        return PayAct.NOTHING
    if refused:
        return PayAct.REJECT
    if in_review:
        return PayAct.WAIT
    if doubt:
        return PayAct.ASK
    return PayAct.WAIT if approve_from is None or now < approve_from else PayAct.APPROVE


@dataclass(frozen=True)
class UnitAccount:
    """What one participation has earned, sorted by how it reaches the annotator.

    covered: what the unit's reward stands for.
    extra: what is paid as bonuses whatever becomes of the unit.
    refused, lapsed: what is cancelled now (0 or negative). `refused_at` is the last row that
        refused; rows after it are not refused.
    """

    covered: tuple[LedgerEntry, ...]
    extra: tuple[LedgerEntry, ...]
    refused: Decimal
    refused_at: int
    lapsed: Decimal

    @property
    def earned(self) -> Decimal:
        """Return what the unit's reward stands for now."""
        return _sum(one for one in self.covered if self._stands(one))

    @property
    def fees(self) -> Decimal:
        """Return the crowd's fees on what the unit's reward covers, cancelled or not."""
        return sum((one.fee for one in self.covered), ZERO)

    def bonuses(self, *, handed_in: bool) -> list[tuple[LedgerEntry, Decimal]]:
        """Return the rows paid as bonuses whatever becomes of the unit, with their amounts.

        What was earned in the unit is among them only once the unit is submitted.
        """
        standing = [one for one in self.extra if one.amount > 0 and self._stands(one)]
        return [(one, one.amount) for one in standing if handed_in or not of_unit(one)]

    def instead(self, *, paid: Collection[int], due: Decimal) -> list[tuple[LedgerEntry, Decimal]]:
        """Return the one bonus that pays what is due for a unit that its crowd does not pay.

        It is one, because a crowd charges for each. It uses the first row for which no bonus was
        paid (`paid`).
        """
        mine = [one for one in self.covered if one.amount > 0 and one.pk not in paid]
        return [(mine[0], due)] if mine and due > 0 else []

    def _stands(self, one: LedgerEntry) -> bool:
        refused = self.refused < 0 and of_work(one) and one.pk < self.refused_at
        return not refused and not (self.lapsed < 0 and of_unit(one))


def of_work(entry: LedgerEntry) -> bool:
    """Return whether refusing pay for the work cancels this row."""
    return entry.kind not in GIVEN


def of_unit(entry: LedgerEntry) -> bool:
    """Return whether this row was earned by working in the unit, and so is lost with it."""
    return entry.assignment_id is not None or entry.kind == Kind.REMAINDER


def account(entries: Iterable[LedgerEntry], *, reward: Decimal) -> UnitAccount:
    """Sort what a participation has earned. `reward` is what the crowd pays for its unit."""
    rows = sorted(entries, key=lambda one: one.pk)
    covered: list[LedgerEntry] = []
    extra: list[LedgerEntry] = []
    for one in rows:
        if one.kind in (*REFUSED, Kind.LAPSE):
            continue
        fits = of_unit(one) and _sum(covered) + one.amount <= reward
        (covered if fits else extra).append(one)
    refusals = [one for one in rows if one.kind in REFUSED]
    return UnitAccount(
        tuple(covered),
        tuple(extra),
        refused=_sum(refusals),
        refused_at=refusals[-1].pk if refusals else 0,
        lapsed=_sum(one for one in rows if one.kind == Kind.LAPSE),
    )


def _sum(rows: Iterable[LedgerEntry]) -> Decimal:
    return sum((one.amount for one in rows), ZERO)


# The rows of one paid unit.


def reward_of(participation: Participation) -> Decimal:
    """Return what the crowd pays for this unit."""
    assert participation.posting is not None, "only units of a marketplace are paid by it"
    return participation.posting.batch.reward


def account_of(participation: Participation) -> UnitAccount:
    return account(entries(participation.pk), reward=reward_of(participation))


def entries(participation_id: int) -> list[LedgerEntry]:
    return list(LedgerEntry.objects.filter(participation=participation_id).order_by("pk"))


def standing(participation: Participation) -> Decimal:
    """Return what working in the unit has earned, without lapsed amounts."""
    return _sum(one for one in entries(participation.pk) if of_unit(one) or one.kind == Kind.LAPSE)


def price(participation: Participation, amount: Decimal) -> Price:
    """Return the cost of adding this amount to what the unit has earned.

    The fees of the part that the reward covers add up to what the crowd charges for it. The rest is
    a bonus. The caller locks the participation or its campaign.
    """
    charges, found = _tariff(participation), account_of(participation)
    covered = _sum(found.covered)
    if covered + amount > reward_of(participation):
        return charges.bonus(amount)
    return Price(amount, charges.unit(covered + amount).fee - found.fees)


def lapse(participation: Participation) -> Decimal:
    """Cancel what was earned in a unit that was not submitted; return the amount."""
    rows = entries(participation.pk)
    if _sum(one for one in rows if one.kind in REFUSED):
        return ZERO  # cancelled already, by a ruling
    lost = [one for one in rows if of_unit(one) or one.kind == Kind.LAPSE]
    return _cancel_unit(participation, lost, kind=Kind.LAPSE, why="lapse")


def unlapse(participation: Participation) -> None:
    """Restore what had lapsed, because the unit was submitted after all."""
    lost = [one for one in entries(participation.pk) if one.kind == Kind.LAPSE]
    _cancel_unit(participation, lost, kind=Kind.LAPSE, why="unlapse")


def square_with_approval(participation: Participation) -> None:
    """Record the whole unit as paid: the crowd has approved it, against our records if need be."""
    refused = [one for one in entries(participation.pk) if one.kind in REFUSED]
    _cancel_unit(
        participation,
        refused,
        kind=Kind.REINSTATEMENT,
        why="approved",
        reason="The crowd has approved this work.",
    )
    unlapse(participation)
    fill(participation, reason="The crowd pays whole units.")
    charged = _tariff(participation).unit(reward_of(participation)).fee
    _correct(participation, Kind.REMAINDER, charged - account_of(participation).fees)


def fill(participation: Participation, *, reason: str) -> None:
    """Add what is missing to the whole reward of the unit."""
    missing = reward_of(participation) - account_of(participation).earned
    if missing > 0:
        each = price(participation, missing)
        _add(participation, Kind.REMAINDER, each.reward, each.fee, why="rest", reason=reason)


def square_with_bonus(participation: Participation, entry_id: int, amount: Decimal) -> None:
    """Record what the crowd charged for this bonus, and correct the unit's other fees."""
    charges, found = _tariff(participation), account_of(participation)
    extra = next((one for one in found.extra if one.pk == entry_id), None)
    if extra is not None:
        _correct(participation, Kind.BONUS, charges.bonus(amount).fee - extra.fee)
        return
    covered = [one.pk for one in found.covered]
    paid = Payout.objects.filter(entry__in=covered).values_list("amount", flat=True)
    if sum(paid, ZERO) == found.earned:
        charged = sum((charges.bonus(each).fee for each in paid), ZERO)
        _correct(participation, Kind.REMAINDER, charged - found.fees)


def bonus_key(entry_id: int) -> str:
    """Return the key of the pay-out of the bonus for this ledger row."""
    return f"bonus:{entry_id}"


def square_with_rejection(participation: Participation, *, reason: str) -> None:
    """Record that the unit is not paid, where no ruling here has refused it."""
    found = account_of(participation)
    if found.earned:
        _cancel_unit(
            participation, list(found.covered), kind=Kind.REFUSAL, why="rejected", reason=reason
        )


def _correct(participation: Participation, kind: Kind, fee: Decimal) -> None:
    """Add the missing part of a fee as a separate row: the campaign's rate may have changed."""
    if fee:
        _add(participation, kind, ZERO, fee, why="fee", reason="What the crowd has charged.")


def _tariff(participation: Participation) -> Tariff:
    return budget.tariff(participation.campaign)


def _cancel_unit(
    participation: Participation, rows: list[LedgerEntry], *, kind: Kind, why: str, reason: str = ""
) -> Decimal:
    amount = _sum(rows)
    fee = sum((one.fee for one in rows), ZERO)
    if amount or fee:
        _add(participation, kind, -amount, -fee, why=why, reason=reason)
    return amount


def _add(
    participation: Participation,
    kind: Kind,
    amount: Decimal,
    fee: Decimal,
    *,
    why: str,
    reason: str = "",
) -> None:
    """Add a row, numbered by the rows before it: a unit may lapse, come back and lapse again."""
    n = LedgerEntry.objects.filter(participation=participation).count()
    entry = LedgerEntry.objects.create(
        campaign_id=participation.campaign_id,
        participation=participation,
        kind=kind,
        amount=amount,
        fee=fee,
        key=f"{why}:{participation.pk}:{n}",
        reason=reason,
    )
    totals.spend(entry)


# Ledger rows: what work earns, what a refusal cancels, and what restoring pay brings back.


def earn_task(assignment: Assignment, *, campaign: Campaign, kind: Kind) -> LedgerEntry:
    """Add what this assignment has earned; a second row for it violates the unique key.

    The caller adds the row to the campaign's totals, as the last that its transaction does.

    On a marketplace, the caller locks the participation, because the fees of a unit's tasks depend
    on each other.
    """
    who = assignment.participation
    each = budget.price(campaign) if who.tasks is None else price(who, campaign.reward)
    entry: LedgerEntry = LedgerEntry.objects.create(
        campaign=campaign,
        participation_id=assignment.participation_id,
        assignment=assignment,
        kind=kind,
        amount=each.reward,
        fee=each.fee,
        key=f"assignment:{assignment.pk}",
    )
    return entry


def earn_rest(who: Participation, *, campaign: Campaign, reward: Decimal) -> Decimal:
    """Add the rest of the announced pay of a unit; return the amount.

    Refused pay is not topped up: the amount is 0 where a ruling has refused it.
    """
    mine = LedgerEntry.objects.filter(participation=who)
    if mine.filter(kind=Kind.REFUSAL).exists():
        return ZERO
    missing = reward - standing(who)
    if missing <= 0:
        return ZERO
    each = price(who, missing)
    before = mine.filter(kind=Kind.REMAINDER).count()  # each lapsed with the unit
    entry = LedgerEntry.objects.create(
        campaign=campaign,
        participation=who,
        kind=Kind.REMAINDER,
        amount=each.reward,
        fee=each.fee,
        key=f"remainder:{who.pk}" + (f":{before}" if before else ""),
    )
    totals.spend(entry)
    return each.reward


def refuse(review: Review, ruling: Ruling) -> Decimal:
    """Cancel what is due for the work, except tutorial bonuses; return the amount.

    Raises `Conflict` after the crowd's limit, where it has been paid or is being paid, and where
    nothing is due. Raises `Invalid` for a reason that is shorter than the crowd's minimum.
    """
    _check_reason(review, ruling)
    _check_limit(review)
    participations = _of(review)
    if effects.is_paid(review.campaign_id, review.annotator_id):
        raise Conflict("This work has been paid out already: pay can no longer be refused.")
    total = sum((_cancel(one, FOR_WORK, ruling) for one in participations), ZERO)
    if not total and not effects.undecided(review.campaign_id, review.annotator_id):
        raise Conflict("Nothing is due for this work: there is no pay to refuse.")
    return total


def repay(review: Review, ruling: Ruling) -> Decimal:
    """Restore refused pay; return the amount. A returned unit brings 0."""
    mine = _of(review)
    total = sum((-_cancel(one, REFUSED, ruling) for one in mine), Decimal(0))
    lost = (one for one in mine if one.status == Participation.Status.LEFT)
    return total - sum((lapse(one) for one in lost), Decimal(0))


def _check_reason(review: Review, ruling: Ruling) -> None:
    crowd, given = adapters.entry(review.campaign.crowd), len(ruling.reason.strip())
    least = crowd.can.least_reason
    if given < least:
        said = (
            f"{crowd.label} takes a reason of at least {least} characters, which the annotator "
            f"reads; this one has {given}. Explain it in more words."
        )
        raise Invalid({"reason": said})


def _check_limit(review: Review) -> None:
    until = effects.until(review.campaign_id, review.annotator_id)
    if until is not None and timezone.now() > until:
        raise Conflict(
            f"Pay for this work could be refused until {until:%d %B %Y, %H:%M}. The work can "
            "still be left out of the estimates."
        )


def _of(review: Review) -> list[Participation]:
    return list(
        Participation.objects.filter(
            campaign=review.campaign_id, annotator=review.annotator_id
        ).order_by("pk")
    )


def _cancel(participation: Participation, kinds: tuple[Kind, ...], ruling: Ruling) -> Decimal:
    """Add a row that cancels these kinds; return their sum before it."""
    row = LedgerEntry.objects.filter(participation=participation, kind__in=kinds).aggregate(
        amount=Sum("amount"), fee=Sum("fee")
    )
    amount, fee = ((row[name] or Decimal(0)).quantize(CENT) for name in ("amount", "fee"))
    if amount or fee:
        entry = LedgerEntry.objects.create(
            campaign_id=participation.campaign_id,
            participation=participation,
            kind=Kind.REFUSAL if kinds is FOR_WORK else Kind.REINSTATEMENT,
            amount=-amount,
            fee=-fee,
            ruling=ruling,
            key=f"ruling:{ruling.pk}:{participation.pk}",
        )
        totals.spend(entry)
    return amount
