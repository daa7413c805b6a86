"""Messages that tell workers, after the caller's transaction, what waits for them."""

from django.db import transaction

from annotate.signals import operation_intended, posting_changed


def operation(operation_id: int) -> None:
    """Let a worker carry this operation out soon."""
    transaction.on_commit(
        lambda: operation_intended.send_robust(sender=None, operation_id=operation_id), robust=True
    )


def posting(posting_id: int) -> None:
    """Let a worker compare this posting with its crowd soon."""
    transaction.on_commit(
        lambda: posting_changed.send_robust(sender=None, posting_id=posting_id), robust=True
    )
