"""Repeats an act for many campaigns, of which single ones may fail or take long."""

import logging
import time
from collections.abc import Callable, Iterable

AT_MOST = 20.0  # seconds

logger = logging.getLogger(__name__)


def each(campaigns: Iterable[int], act: Callable[[int], object], *, doing: str) -> int:
    """Call `act` for each campaign, for about `AT_MOST` seconds; return for how many.

    The rest is left to the next run. One campaign's failure is logged and does not delay the
    others. All failures are raised at the end, so that the task fails visibly.
    """
    until, failures, n = time.monotonic() + AT_MOST, [], 0
    for campaign_id in campaigns:
        if time.monotonic() >= until:
            break
        n += 1
        try:
            act(campaign_id)
        except Exception as failure:
            logger.exception("%s campaign %s failed", doing, campaign_id)
            failures.append(failure)
    if failures:
        raise ExceptionGroup(f"{doing} some campaigns failed", failures)
    return n
