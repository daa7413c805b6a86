"""How many leases may be made in a campaign without its lock (decision 040).

A lease under the campaign's lock looks at status, limits and budget, and allows a number of further
leases that they certainly cover. Such a lease then only spends one, as the last statement of its
transaction. Whoever locks the campaign withdraws the allowance first, and so waits for the leases
that have spent and lets the others fail: they begin again under the lock.
"""

from django.db import connection

from annotate.models import Campaign, LeaseAllowance
from annotate.statements import Statement

LOT = 4096  # leases that are allowed at once
# Rows over which a campaign's allowance is spread: a lease takes from one that no other transaction
# holds, and never waits for one.
PARTS = 32

_SKIPPING = " FOR NO KEY UPDATE SKIP LOCKED"
_SQL = """
    UPDATE annotate_leaseallowance SET leases = leases - 1 WHERE id = (
        SELECT id FROM annotate_leaseallowance
        WHERE campaign_id = %s AND version = %s AND leases > 0 LIMIT 1{lock})
"""
_SPEND = {skips: Statement(_SQL.format(lock=_SKIPPING if skips else "")) for skips in (True, False)}


def spend(campaign_id: int, *, version: int) -> bool:
    """Take one lease from the allowance; False if none is left that was granted for `version`.

    It must be the last statement of its transaction, which then never waits while it holds a row
    that `withdraw` wants.
    """
    skips = connection.features.has_select_for_update_skip_locked
    return bool(_SPEND[skips].affected([campaign_id, version]))


def is_left(campaign_id: int) -> bool:
    """Return whether some leases are allowed. It is certain while the caller locks the campaign."""
    return LeaseAllowance.objects.filter(campaign=campaign_id, leases__gt=0).exists()


def withdraw(campaign_id: int) -> None:
    """Take the allowance back. The caller has locked the campaign."""
    LeaseAllowance.objects.filter(campaign=campaign_id, leases__gt=0).update(leases=0)


def grant(campaign: Campaign, leases: int) -> None:
    """Allow this many leases, for terms that are read from now on. The caller has locked it.

    Few leases are not allowed: then each one looks at the limits.
    """
    each = min(leases, LOT) // PARTS
    if not each:
        return
    mine = LeaseAllowance.objects.filter(campaign=campaign)
    last = mine.order_by("part").values_list("version", flat=True).first()
    if last is None:
        LeaseAllowance.objects.bulk_create(
            LeaseAllowance(campaign=campaign, part=part) for part in range(PARTS)
        )
    mine.update(leases=each, version=(last or 0) + 1)
