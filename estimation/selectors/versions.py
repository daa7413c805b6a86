"""The version of a dashboard: equal versions mean that nothing on it has changed."""

from typing import Any

from django.utils import timezone

from annotate.selectors.campaigns import versions
from estimation.models import (
    Agreement,
    Comparison,
    Decision,
    EndForecast,
    Estimate,
    MetricScore,
)

MINUTE = 60  # texts that depend on the time, such as "for 15 minutes", are at most this old


def version(campaign: Any, *said: Any) -> str:
    """Return the version for readers who are told `said`. Read it before what it stands for.

    Then a change in between is shown at once or at the next look, never missed. Durations and
    deadlines pass without an act, so each minute is a version of its own.
    """
    minute = int(timezone.now().timestamp()) // MINUTE
    newest = {
        "newest_estimate": versions.last(Estimate.objects.all()),
        "newest_comparison": versions.last(Comparison.objects.all()),
        "newest_agreement": versions.last(Agreement.objects.all()),
        "newest_decision": versions.last(Decision.objects.all()),
        "newest_forecast": versions.last(EndForecast.objects.all()),
        "newest_metric": versions.last(MetricScore.objects.all()),
    }
    return versions.version(campaign, minute, *said, besides=newest)
