"""Limits on attempts, by whatever identifies who tries or what is tried."""

from dataclasses import dataclass

from django.utils.crypto import salted_hmac

from annotate.errors import TooMany
from annotate.requests import counting
from annotate.requests.waiting import in_minutes


@dataclass(frozen=True)
class Limit:
    """The number of attempts of one kind within a number of seconds."""

    name: str
    most: int
    seconds: int

    def exceeded(self) -> bool:
        return counting.count(self.name, self.seconds) > self.most


def key(kind: str, *parts: str) -> str:
    """Return a name of bounded length that reveals neither account nor address."""
    digest = salted_hmac(kind, "\0".join(parts)).hexdigest()
    return f"{kind}:{digest}"


def check(*limits: Limit) -> None:
    """Count an attempt; raise `TooMany` where one of the limits is exceeded."""
    for limit in limits:
        if limit.exceeded():
            wait = counting.wait(limit.name)
            raise TooMany(f"Too many attempts. Wait {in_minutes(wait)}, then try again.", wait=wait)
