"""Checks for what Prolific would refuse, and the cost of places without calling it.

Prolific documents a least reward per hour, whole minutes, https and the length of a rejection's
reason. It documents no limits for titles and descriptions; Prolific refuses long ones.
"""

from collections.abc import Iterator
from datetime import timedelta
from decimal import ROUND_CEILING, Decimal
from urllib.parse import urlsplit

from annotate.crowds.base import Cost, Effect, ListingProblem, Outcome, Spec
from annotate.crowds.prices import CENT
from annotate.crowds.prolific.crowd import PROLIFIC
from annotate.crowds.prolific.studies import whole_minutes
from annotate.text.figures import money, number

LEAST_PER_HOUR = {"GBP": Decimal(6), "USD": Decimal(8)}
DAY = timedelta(hours=24)
LEAST_REASON = 100  # characters in the message of a rejection
# The fee depends on the account, and the tax on its country.
ESTIMATE = (
    "Prolific did not answer: this is an estimate with a fee of 33.3 % and 20 % tax on the fee. "
    "The account’s own fee may differ."
)
CATEGORIES = (
    "TOO_QUICKLY",
    "TOO_SLOWLY",
    "FAILED_INSTRUCTIONS",
    "INCOMP_LONGITUDINAL",
    "FAILED_CHECK",
    "LOW_EFFORT",
    "MALINGERING",
    "NO_CODE",
    "BAD_CODE",
    "NO_DATA",
    "UNSUPP_DEVICE",
    "OTHER",
)


def problems(spec: Spec, *, live: bool, currency: str = "") -> Iterator[ListingProblem]:
    """Yield what is wrong with a posting; `currency` is the account's, if it is known."""
    for name, value in (("title", spec.title), ("description", spec.description)):
        if not value.strip():
            yield ListingProblem(name, f"Prolific needs a {name}.")
    if spec.places < 1:
        yield ListingProblem("places", "A study needs at least one place.")
    yield from _of_reward(spec, currency)
    yield from _of_times(spec)
    yield from _of_url(spec.url, live=live)
    if spec.code and not spec.code.isalnum():
        yield ListingProblem("code", "A completion code is made of letters and digits.")


def _of_reward(spec: Spec, currency: str) -> Iterator[ListingProblem]:
    if spec.reward != spec.reward.quantize(CENT) or spec.reward <= 0:
        yield ListingProblem(
            "reward", "The reward is an amount above zero with at most two decimals."
        )
        return
    known = currency in LEAST_PER_HOUR
    hourly = LEAST_PER_HOUR[currency] if known else min(LEAST_PER_HOUR.values())
    least = (hourly * whole_minutes(spec.minutes) / 60).quantize(CENT, ROUND_CEILING)
    if spec.reward < least:
        yield ListingProblem(
            "reward",
            f"Prolific pays at least {_money(hourly, currency)} an hour: "
            f"{_money(least, currency)} for {whole_minutes(spec.minutes)} minutes. "
            "Raise the reward, or ask for less time.",
        )


def _money(amount: Decimal, currency: str) -> str:
    """Return an amount in the account's currency; a bare number if that is unknown."""
    return money(amount, currency) if currency else number(amount)


def _of_times(spec: Spec) -> Iterator[ListingProblem]:
    if spec.minutes <= 0:
        yield ListingProblem("minutes", "Say how many minutes the work takes: at least one.")
    if spec.duration < timedelta(minutes=whole_minutes(spec.minutes)):
        yield ListingProblem(
            "duration", "The time allowed must not be shorter than the work takes."
        )
    if spec.duration >= DAY:
        yield ListingProblem("duration", "Prolific allows less than 24 hours. Allow less time.")


def _of_url(url: str, *, live: bool) -> Iterator[ListingProblem]:
    parts = urlsplit(url)
    if parts.scheme not in (("https",) if live else ("https", "http")) or not parts.netloc:
        yield ListingProblem(
            "url", "Prolific sends people to https:// addresses only. Set PUBLIC_URL."
        )


def rejection_refused(reason: str, category: str) -> Outcome | None:
    """Return why a rejection would be refused, or None."""
    if len(reason.strip()) < LEAST_REASON:
        return Outcome(
            Effect.REFUSED,
            "reason",
            f"Prolific asks for a reason of at least {LEAST_REASON} characters, which the "
            f"participant reads; this one has {len(reason.strip())}. Explain it in more words.",
        )
    if category not in CATEGORIES:
        return Outcome(
            Effect.REFUSED,
            "category",
            f"Prolific knows no reason “{category}”. Choose one of: {', '.join(CATEGORIES)}.",
        )
    return None


def estimated_cost(reward: Decimal, places: int) -> Cost:
    """Return the cost of places by the usual fee, where Prolific does not answer."""
    each = PROLIFIC.tariff.unit(reward)
    return Cost(each.reward * places, each.fee * places, note=ESTIMATE)
