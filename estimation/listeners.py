"""Reacts to what is announced: asks a worker to see to it."""

from typing import Any

from celery.signals import worker_init
from django.dispatch import receiver

from annotate.common.marks import change_marked


@receiver(change_marked)
def estimate_soon(sender: Any, *, campaign_id: int, **_signal: Any) -> None:
    """Send one message for all that changes until a worker looks, and not too many a second."""
    from config import due
    from config.celery import enqueue
    from estimation.refresh import name_of
    from estimation.tasks import estimate_campaign

    wait = due.claim(name_of(campaign_id))
    if wait is not None:
        enqueue(estimate_campaign, campaign_id, countdown=wait or None)


def load_before_work(**_signal: Any) -> None:
    """Load what scores need before a worker makes its processes: they share it.

    Otherwise the first estimate of each process waits for it, where work has already begun.
    """
    from estimation.metrics import hter

    hter("One text.", "Another text.")


worker_init.connect(load_before_work)
