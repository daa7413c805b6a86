"""The signals of `annotate`, which imports no listener, and change marks."""

from collections.abc import Iterable

from django.db import transaction
from django.dispatch import Signal

from annotate.models import ChangeMark

# Sent after commit, robustly, with `campaign_id`: what counts has changed.
change_marked = Signal()

# Sent after commit, robustly, with `operation_id`: something is to be done on a crowd now.
operation_intended = Signal()

# Sent after commit, robustly, with `posting_id`: its crowd says that something happened there.
posting_changed = Signal()

# Sent after commit, robustly, with `import_id`: a worker has something to do with this import.
import_waiting = Signal()

# Sent after commit, robustly, with `mail_id`: a mail waits for a worker.
mail_intended = Signal()

# Sent after commit, robustly: some judgment waits for scores that take long.
scores_awaited = Signal()

# Sent after commit, robustly, with `subscription_id`: it has notifications that wait for a worker.
notifications_intended = Signal()


# Change marks, and the signal that announces them after commit.


# The reasons that come with ordinary work. The first three add to what counts, and the others leave
# it unchanged; every other reason may change all of it.
ORDINARY = frozenset(("judgment", "scored", "verified"))
ORDINARY |= {"expired", "returned", "tutorial", "fee", "budget", "posting"}

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
