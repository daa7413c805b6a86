"""Celery tasks: ids in, one service call. Each is safe to run twice."""

from celery import shared_task

from estimation import deferred, refresh


@shared_task
def estimate_campaign(campaign_id: int) -> bool:
    """Bring one campaign's estimates up to its evidence."""
    return refresh.refresh_as_told(campaign_id)


@shared_task
def catch_up() -> int:
    """Find evidence whose message was lost, and estimate it."""
    return refresh.catch_up()


@shared_task
def measure_agreement(campaign_id: int) -> bool:
    """Measure how far people agree in one campaign, where that is due."""
    return deferred.MEASURING.carry_out(campaign_id)


@shared_task
def measure_due() -> int:
    """Find agreement whose message was lost, and measure it."""
    return deferred.MEASURING.catch_up()


@shared_task
def thin_histories() -> int:
    """Delete old estimates between those that charts and decisions need."""
    return refresh.thin_all()


@shared_task
def forecast_end(campaign_id: int) -> bool:
    """Forecast when one campaign reaches its targets, where that is due."""
    return deferred.FORECASTING.carry_out(campaign_id)


@shared_task
def forecast_ends_due() -> int:
    """Find forecasts whose message was lost or that are old, and make them."""
    return deferred.catch_up_forecasts()


@shared_task
def note_advice() -> int:
    """Note what is advised in each collecting campaign, for the list of campaigns."""
    return deferred.renew()


@shared_task
def look_closer(campaign_id: int) -> bool:
    """Order one campaign's items and draw what stands behind its estimates, where that is due."""
    return deferred.LOOKING.carry_out(campaign_id)


@shared_task
def look_closer_due() -> int:
    """Find closer looks whose message was lost, and make them."""
    return deferred.LOOKING.catch_up()


@shared_task
def measure_stress(campaign_id: int) -> None:
    """Do nothing: 0.2.0 sent this for a test that is gone. To be removed with the next release."""
