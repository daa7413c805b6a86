"""When to try again what has failed on another server: mails and notifications."""

from datetime import datetime, timedelta

FIRST_WAIT, LONGEST_WAIT = 60.0, 3600.0  # seconds from one attempt to the next


def next_at(attempts: int, now: datetime) -> datetime:
    """Return the time of the next attempt, after so many: 1, 2, 4 … 60 minutes from now."""
    return now + timedelta(seconds=min(LONGEST_WAIT, FIRST_WAIT * 2 ** min(attempts, 10)))
