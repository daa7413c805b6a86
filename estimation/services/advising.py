"""Notes what the dashboards of collecting campaigns advise, for the list and the API.

A note follows each forecast, and is renewed by time, because silence is advice too.
"""

import time
from typing import Any

from annotate.services import next_steps
from estimation.selectors import dashboard

MOST_SECONDS = 20.0  # of one run; the oldest notes come first


def note(campaign_id: int) -> None:
    """Note what the campaign's dashboard advises now."""
    _note(next_steps.campaign(campaign_id))


def renew() -> int:
    """Note it for the campaigns whose note is older than a minute; return for how many."""
    until, n = time.monotonic() + MOST_SECONDS, 0
    for campaign in next_steps.due():
        if time.monotonic() > until:
            break
        _note(campaign)
        n += 1
    return n


def _note(campaign: Any) -> None:
    found = dashboard.of_campaign(campaign).advice
    next_steps.note(campaign.pk, key=found.key, title=found.title, waits=found.waits)
