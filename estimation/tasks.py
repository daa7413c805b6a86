"""Celery tasks: ids in, one service call. Each is safe to run twice."""

from celery import shared_task

from estimation.services import estimating


@shared_task
def estimate_campaign(campaign_id: int) -> bool:
    """Bring one campaign's estimates up to its evidence."""
    return estimating.refresh(campaign_id)


@shared_task
def catch_up() -> int:
    """Find evidence whose message was lost, and estimate it."""
    return estimating.catch_up()
