"""Their clock and ours: every time that a crowd tells is put on our clock as it is read.

The server says in each answer (the `Date` of HTTP) what time it is there. What is compared with
our time from then on is right however wrong our clock is.
"""

from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any

from django.utils import timezone

SAME = timedelta(minutes=1)  # a difference that is the way's, and no clock's
NONSENSE = timedelta(days=365)  # no clock is so wrong
SECOND = timedelta(seconds=1)  # `Date` has no fractions: what has just passed there has passed


def ahead(date: str | None) -> timedelta | None:
    """Return how far their clock is ahead of ours; None where they do not tell the time."""
    try:
        there = parsedate_to_datetime(date or "")
        difference = there.replace(tzinfo=there.tzinfo or UTC) - timezone.now() + SECOND
    except (ValueError, OverflowError):
        return None
    if abs(difference) > NONSENSE:
        return None
    return difference if abs(difference) > SAME else timedelta(0)


def on_ours(told: Any, by: timedelta | None) -> Any:
    """Return what was told with all its times on our clock; `by`: how far theirs is ahead."""
    if not by:
        return told
    if isinstance(told, datetime):
        return told - by
    if isinstance(told, dict):
        return {name: on_ours(value, by) for name, value in told.items()}
    return [on_ours(value, by) for value in told] if isinstance(told, list) else told
