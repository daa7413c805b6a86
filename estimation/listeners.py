"""Reacts to what is announced: asks a worker to see to it."""

from typing import Any

from django.dispatch import receiver

from annotate.signals import change_marked
from estimation.signals import agreement_due


@receiver(change_marked)
def estimate_soon(sender: Any, *, campaign_id: int, **_signal: Any) -> None:
    from config.celery import enqueue
    from estimation.tasks import estimate_campaign

    enqueue(estimate_campaign, campaign_id)


@receiver(agreement_due)
def measure_soon(sender: Any, *, campaign_id: int, **_signal: Any) -> None:
    from config.celery import enqueue
    from estimation.tasks import measure_agreement

    enqueue(measure_agreement, campaign_id)
