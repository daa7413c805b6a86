"""What MTurk would refuse, said before it is asked; and what it charges."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from decimal import ROUND_HALF_UP, Decimal
from urllib.parse import urlsplit

from annotate.crowds.base import Audience, Cost, Problem, Spec
from annotate.crowds.mturk_question import question_xml

CENT = Decimal("0.01")
PLACES_AT_MOST = 9
YEAR = timedelta(seconds=31_536_000)
SHORTEST = timedelta(seconds=30)
LATEST_APPROVAL = timedelta(seconds=2_592_000)
QUESTION_BYTES = 65_535
TEXTS = {"title": 128, "description": 2000}
KEYWORDS = 1000
COUNTRIES = 30
EXCLUSION = 150
COUNTRY = re.compile(r"[A-Z]{2}")


@dataclass(frozen=True)
class Fees:
    """Shares of what is paid; postings of ten places and more cost the further share."""

    share: Decimal = Decimal("0.20")
    many_share: Decimal = Decimal("0.20")
    many: int = 10
    least: Decimal = CENT  # of each unit, of each bonus

    def of_bonus(self, amount: Decimal) -> Decimal:
        return self._fee(amount, self.share)

    def of_unit(self, reward: Decimal, places: int) -> Decimal:
        """Return the fee for one unit of a posting that has so many places."""
        return self._fee(reward, self.share + (self.many_share if places >= self.many else 0))

    def _fee(self, amount: Decimal, share: Decimal) -> Decimal:
        return max(self.least, (amount * share).quantize(CENT, ROUND_HALF_UP))


def unit_cost(fees: Fees, reward: Decimal, places: int, *, posting: int) -> Cost:
    """Return what so many places cost, in postings that have `posting` places each."""
    return Cost(reward * places, fees.of_unit(reward, posting) * places)


def joined(keywords: tuple[str, ...]) -> str:
    return ", ".join(keywords)


def problems(spec: Spec, *, plain_http: bool) -> Iterator[Problem]:
    """Yield what MTurk would refuse. botocore checks only types."""
    yield from _texts(spec)
    yield from _money(spec)
    yield from _times(spec)
    yield from _address(spec, plain_http=plain_http)
    yield from _audience(spec.audience)


def _texts(spec: Spec) -> Iterator[Problem]:
    for field, longest in TEXTS.items():
        text = str(getattr(spec, field))
        if not text.strip() or len(text) > longest:
            yield Problem(field, f"The {field} needs 1 to {longest:,} characters.")
    if len(joined(spec.keywords)) > KEYWORDS:
        yield Problem("keywords", f"Keywords and commas: at most {KEYWORDS:,} characters.")


def _money(spec: Spec) -> Iterator[Problem]:
    if not payable(spec.reward):
        yield Problem("reward", "The reward is an amount above 0 with at most two decimals.")
    if not 1 <= spec.places <= PLACES_AT_MOST:
        yield Problem(
            "places",
            f"A HIT has 1 to {PLACES_AT_MOST} places here: publish more HITs instead "
            "(from 10 places on, each costs a further fee).",
        )


def payable(amount: Decimal) -> bool:
    return amount.is_finite() and amount > 0 and amount == amount.quantize(CENT)


def _times(spec: Spec) -> Iterator[Problem]:
    for field in ("duration", "lifetime"):
        if not SHORTEST <= getattr(spec, field) <= YEAR:
            yield Problem(field, f"The {field} is 30 seconds to 365 days.")
    if not timedelta(0) <= spec.auto_approval <= LATEST_APPROVAL:
        yield Problem("auto_approval", "Work is approved by itself after 0 to 30 days.")


def _address(spec: Spec, *, plain_http: bool) -> Iterator[Problem]:
    parts = urlsplit(spec.url)
    schemes = ("https", "http") if plain_http else ("https",)
    if parts.scheme not in schemes or not parts.hostname:
        yield Problem(
            "url",
            "MTurk shows only pages whose address begins with https://: set PUBLIC_URL to such "
            "an address of this server.",
        )
    elif len(question_xml(spec.url).encode()) > QUESTION_BYTES:
        yield Problem("url", f"The question is longer than {QUESTION_BYTES:,} bytes.")


def _audience(audience: Audience) -> Iterator[Problem]:
    if len(audience.countries) > COUNTRIES:
        yield Problem("audience", f"MTurk takes at most {COUNTRIES} countries.")
    if not all(COUNTRY.fullmatch(country) for country in audience.countries):
        yield Problem("audience", "Countries are two capital letters each, such as DE.")
    if audience.languages:
        yield Problem(
            "audience",
            "MTurk does not know which languages people speak: choose countries, and let the "
            "tutorial decide.",
        )
    if audience.approval_rate is not None and not 0 <= audience.approval_rate <= 100:
        yield Problem("audience", "The approval rate is a percentage: 0 to 100.")
    if audience.approved_work is not None and audience.approved_work < 0:
        yield Problem("audience", "The number of approved tasks is 0 or more.")
    if audience.masters:
        yield Problem(
            "audience",
            "Masters cost a further fee that the budget here does not know: ask for an approval "
            "rate and a number of approved tasks instead.",
        )
    if len(audience.exclusion) > EXCLUSION:
        yield Problem("audience", f"The exclusion list's name has at most {EXCLUSION} characters.")
