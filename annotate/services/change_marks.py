"""Marks that what counts has changed, and the announcement of it after commit."""

from collections.abc import Iterable

from django.db import transaction

from annotate.models import ChangeMark
from annotate.signals import change_marked

BATCH = 500  # marks pile up while no worker runs, and SQLite limits the parameters of a query


def mark(campaign_id: int, reason: str) -> None:
    """Mark the campaign's evidence as changed; call it inside the changing transaction.

    The mark is a committed row, so an announcement that gets lost delays the estimate until
    the next catch-up and no longer (data rule 11).
    """
    ChangeMark.objects.create(campaign_id=campaign_id, reason=reason)
    transaction.on_commit(
        lambda: change_marked.send_robust(sender=None, campaign_id=campaign_id), robust=True
    )


def clear(mark_ids: Iterable[int]) -> bool:
    """Remove these marks; False, with nothing to be kept, if somebody else has removed any.

    Call it in the transaction that writes the result: on False the caller rolls back, because
    another worker has already written a result from evidence at least as new.
    """
    wanted = sorted(mark_ids)  # one order for all, or two workers could wait for each other
    removed = 0
    for start in range(0, len(wanted), BATCH):
        batch = ChangeMark.objects.filter(pk__in=wanted[start : start + BATCH])
        held = batch.select_for_update().order_by("pk").values_list("pk", flat=True)
        removed += ChangeMark.objects.filter(pk__in=list(held)).delete()[0]
    return removed == len(wanted)
