"""Limits on attempts, by whatever identifies who tries or what is tried."""

from dataclasses import dataclass

from django.conf import settings
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


def guesses(kind: str, account: str, address: str) -> tuple[Limit, ...]:
    """Return the limits of a guess at an account's secret in the order in which they are checked.

    The account's own limit, over all addresses, comes last: attempts that another limit has refused
    do not count there, so no one can lock others out of their accounts from one address.
    """
    tries, seconds = settings.LOGIN_TRIES, settings.LOGIN_MINUTES * 60
    limits = (
        Limit(key(kind, "account", account, address), tries, seconds),
        Limit(key(kind, "account", account), 5 * tries, 4 * seconds),
    )
    if not address:
        return limits
    return (Limit(key(kind, "address", address), 10 * tries, seconds), *limits)


def succeeded(limits: tuple[Limit, ...]) -> None:
    """Forget the failed guesses after a success, which is not counted either."""
    *others, own, account = limits
    counting.forget(own.name)
    for limit in (*others, account):
        counting.take_back(limit.name, limit.seconds)
