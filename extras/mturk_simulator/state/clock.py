"""A clock that can be moved; the whole stand-in uses it."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

Now = Callable[[], datetime]


class Clock:
    """The real time plus the time by which it was moved."""

    def __init__(self) -> None:
        self._offset = timedelta()

    def __call__(self) -> datetime:
        return datetime.now(UTC) + self._offset

    def move(self, by: timedelta) -> None:
        self._offset += by
