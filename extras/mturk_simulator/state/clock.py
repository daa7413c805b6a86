"""A clock that can be moved; all of the stand-in looks at one."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

Now = Callable[[], datetime]


class Clock:
    """The real time, and as much later as it was moved."""

    def __init__(self) -> None:
        self._offset = timedelta()

    def __call__(self) -> datetime:
        return datetime.now(UTC) + self._offset

    def move(self, by: timedelta) -> None:
        self._offset += by
