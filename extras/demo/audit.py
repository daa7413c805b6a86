"""The demonstration's audit: our records and those of the stand-in for MTurk, read separately."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from annotate.models import Payout
from annotate.selectors.marketplace import batches, operations
from annotate.selectors.pay import accounts
from extras.mturk_simulator.world import AssignmentState, World

ZERO = Decimal("0.00")


@dataclass(frozen=True)
class Side:
    """One side's records of postings, decisions and pay, by the worker's id there."""

    listings: frozenset[str]
    approved: int
    rejected: int
    bonuses: int
    paid: dict[str, Decimal]

    @property
    def total(self) -> Decimal:
        return sum(self.paid.values(), ZERO)


def compared(campaign_id: int, world: World) -> dict[str, Any]:
    """Return the crowd's records, our ledger, and whether they agree.

    waiting: extra pay of people without a submission, whom no bonus can reach.
    """
    here, there = ours(campaign_id), theirs(world)
    every = accounts.of_campaign(campaign_id)
    sums = accounts.totals(every)
    due = _by_person((one.external_id, one.due) for one in every)
    waiting = sum((amount for who, amount in due.items() if who not in there.paid), ZERO)
    return {
        "hits": len(there.listings),
        "approved": there.approved,
        "rejected": there.rejected,
        "bonuses": there.bonuses,
        "paid": str(there.total),
        "ledger": str(sums.earned - sums.refused),
        "waiting": str(waiting),
        "agree": here == there and sums.due == waiting,
    }


def ours(campaign_id: int) -> Side:
    rows = batches.of_campaign(campaign_id)
    paid = Payout.objects.filter(participation__campaign=campaign_id)
    return Side(
        frozenset(one.listing for row in rows for one in row.postings if one.listing),
        sum(row.units.approved for row in rows),
        sum(row.units.rejected for row in rows),
        paid.filter(entry__isnull=False).count(),
        _by_person((one.external_id, one.paid) for one in accounts.of_campaign(campaign_id)),
    )


def theirs(world: World) -> Side:
    with world.lock:
        units = [*world.assignments.values(), *world.earlier]
        approved = [one for one in units if one.state == AssignmentState.APPROVED]
        rewards = [(one.worker, one.hit.type.reward) for one in approved]
        return Side(
            frozenset(world.hits),
            len(approved),
            sum(one.state == AssignmentState.REJECTED for one in units),
            len(world.bonuses),
            _by_person([*rewards, *((one.worker, one.amount) for one in world.bonuses)]),
        )


def quiet(campaign_id: int) -> bool:
    """Return whether nothing is open at the crowd, and no one there waits for a decision."""
    if operations.of_campaign(campaign_id).moving:
        return False
    rows = batches.of_campaign(campaign_id)
    return all(row.is_over and not row.units.handed_in + row.units.confirmed for row in rows)


def _by_person(amounts: Iterable[tuple[str, Decimal]]) -> dict[str, Decimal]:
    """Return what each person has received; people without pay are left out."""
    found: dict[str, Decimal] = {}
    for who, amount in amounts:
        found[who] = found.get(who, ZERO) + amount
    return {who: amount for who, amount in found.items() if amount}
