"""Change marks, and the signal that announces them after commit."""

from collections.abc import Collection, Iterable
from uuid import uuid4

from django.db import transaction
from django.utils import timezone

from annotate.models import ChangeMark, TaskLease
from annotate.signals import change_marked
from annotate.states import PUT_OFF

# The reasons that come with ordinary work. Judgments, scores and verified work only add to what
# counts, and the others leave it unchanged; every other reason may change all of it.
ADDING = frozenset(("judgment", "scored", "verified"))
ORDINARY = ADDING | {"expired", "returned", "tutorial", "fee", "budget", "posting", PUT_OFF}

BATCH = 500  # marks accumulate while no worker runs


def mark(campaign_id: int, reason: str) -> None:
    """Mark the campaign's estimates as stale. Call it inside the changing transaction.

    The mark is a committed row. If the announcement is lost, the periodic catch-up finds the mark
    and the estimate is only delayed (data rule 11).
    """
    ChangeMark.objects.create(campaign_id=campaign_id, reason=reason)
    transaction.on_commit(
        lambda: change_marked.send_robust(sender=None, campaign_id=campaign_id), robust=True
    )


def put_off(campaign_id: int) -> None:
    """Leave a mark, if there is none, that the campaign is to be refreshed in full later."""
    if not ChangeMark.objects.filter(campaign=campaign_id, reason=PUT_OFF).exists():
        ChangeMark.objects.create(campaign_id=campaign_id, reason=PUT_OFF)


def epoch(campaign_id: int) -> str:
    """Return a text that changes with every refresh after which more was new than additions.

    What a worker remembers of a campaign holds within one epoch. Read marks before it.
    """
    found = TaskLease.objects.filter(name=_epoch(campaign_id)).values_list("holder", flat=True)
    return found.first() or ""


def begin_epoch(campaign_id: int, reasons: Collection[str]) -> str | None:
    """Begin an epoch where marks with these reasons are removed; None where they ask for none.

    Call it in the transaction that removes them.
    """
    if ORDINARY.issuperset(reasons):
        return None
    new = {"holder": uuid4().hex, "expires_at": timezone.now()}
    row, _made = TaskLease.objects.update_or_create(name=_epoch(campaign_id), defaults=new)
    return row.holder


def _epoch(campaign_id: int) -> str:
    return f"epoch:{campaign_id}"


def clear(mark_ids: Iterable[int]) -> bool:
    """Remove these marks; return False if another worker has removed any of them.

    Call it in the transaction that writes the result. On False the caller rolls back, because the
    other worker has already written a result from facts at least as new.
    """
    wanted = sorted(mark_ids)  # one order for all workers, which prevents deadlocks
    removed = 0
    for start in range(0, len(wanted), BATCH):
        batch = ChangeMark.objects.filter(pk__in=wanted[start : start + BATCH])
        held = batch.select_for_update().order_by("pk").values_list("pk", flat=True)
        removed += ChangeMark.objects.filter(pk__in=list(held)).delete()[0]
    return removed == len(wanted)
