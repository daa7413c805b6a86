"""Conversion from a crowd's clock to ours, as its times are read.

Each answer of the server contains its current time (the `Date` of HTTP). Converted times compare
correctly with ours, even if our clock is wrong.
"""

from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any

from django.utils import timezone

SAME = timedelta(minutes=1)  # a difference due to the network
NONSENSE = timedelta(days=365)  # beyond any real clock's error
SECOND = timedelta(seconds=1)  # `Date` has no fractions; this covers the rounding


def ahead(date: str | None) -> timedelta | None:
    """Return how far their clock is ahead of ours; None if they do not send the time."""
    try:
        there = parsedate_to_datetime(date or "")
        difference = there.replace(tzinfo=there.tzinfo or UTC) - timezone.now() + SECOND
    except (ValueError, OverflowError):
        return None
    if abs(difference) > NONSENSE:
        return None
    return difference if abs(difference) > SAME else timedelta(0)


def on_ours(told: Any, by: timedelta | None) -> Any:
    """Return the answer with all its times on our clock; `by`: how far their clock is ahead."""
    if not by:
        return told
    if isinstance(told, datetime):
        return told - by
    if isinstance(told, dict):
        return {name: on_ours(value, by) for name, value in told.items()}
    return [on_ours(value, by) for value in told] if isinstance(told, list) else told
