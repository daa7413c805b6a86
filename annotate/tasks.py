"""Celery tasks: ids in, one service call. Each is safe to run twice."""

from celery import shared_task

from annotate.services import sweeps


@shared_task
def expire_leases() -> int:
    """Free the places of leases that are over, in all campaigns."""
    return sweeps.expire_all()
