"""Reacts to changed evidence: asks a worker for a new estimate."""

from typing import Any

from django.dispatch import receiver

from annotate.signals import evidence_changed


@receiver(evidence_changed)
def estimate_soon(sender: Any, *, campaign_id: int, **_signal: Any) -> None:
    from config.celery import enqueue
    from estimation.tasks import estimate_campaign

    enqueue(estimate_campaign, campaign_id)
