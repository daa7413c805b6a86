"""Our own clock, which tests move."""

from datetime import datetime, timedelta

from django.utils import timezone


class Clock:
    """Our clock, which tests move."""

    def __init__(self) -> None:
        self.ahead = timedelta()
        self._real = timezone.now

    def now(self) -> datetime:
        return self._real() + self.ahead

    def move(self, **by: float) -> None:
        self.ahead += timedelta(**by)
