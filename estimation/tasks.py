"""Celery tasks: ids in, one service call. Each is safe to run twice."""

from celery import shared_task

from estimation.services import agreement, estimating


@shared_task
def estimate_campaign(campaign_id: int) -> bool:
    """Bring one campaign's estimates up to its evidence."""
    return estimating.refresh(campaign_id)


@shared_task
def catch_up() -> int:
    """Find evidence whose message was lost, and estimate it."""
    return estimating.catch_up()


@shared_task
def measure_agreement(campaign_id: int) -> bool:
    """Measure how far people agree in one campaign, where that is due."""
    return agreement.measure(campaign_id)


@shared_task
def measure_due() -> int:
    """Find agreement whose message was lost, and measure it."""
    return agreement.catch_up()
