"""Checks for what MTurk would refuse, before it is called."""

import re
from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal
from urllib.parse import urlsplit

from annotate.crowds.base import Audience, ListingProblem, Spec
from annotate.crowds.mturk.question import question_xml
from annotate.crowds.prices import CENT

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


def joined(keywords: tuple[str, ...]) -> str:
    return ", ".join(keywords)


def problems(spec: Spec, *, plain_http: bool) -> Iterator[ListingProblem]:
    """Yield what MTurk would refuse. botocore checks only types."""
    yield from _texts(spec)
    yield from _money(spec)
    yield from _times(spec)
    yield from _address(spec, plain_http=plain_http)
    yield from _audience(spec.audience)


def _texts(spec: Spec) -> Iterator[ListingProblem]:
    for field, longest in TEXTS.items():
        text = str(getattr(spec, field))
        if not text.strip() or len(text) > longest:
            yield ListingProblem(field, f"The {field} needs 1 to {longest:,} characters.")
    if len(joined(spec.keywords)) > KEYWORDS:
        yield ListingProblem("keywords", f"Keywords and commas: at most {KEYWORDS:,} characters.")


def _money(spec: Spec) -> Iterator[ListingProblem]:
    if not payable(spec.reward):
        yield ListingProblem("reward", "The reward is an amount above 0 with at most two decimals.")
    if not 1 <= spec.places <= PLACES_AT_MOST:
        yield ListingProblem(
            "places",
            f"A HIT has 1 to {PLACES_AT_MOST} places here. Publish more HITs instead: "
            "from 10 places on, each costs a further fee.",
        )


def payable(amount: Decimal) -> bool:
    return amount.is_finite() and amount > 0 and amount == amount.quantize(CENT)


def _times(spec: Spec) -> Iterator[ListingProblem]:
    for field in ("duration", "lifetime"):
        if not SHORTEST <= getattr(spec, field) <= YEAR:
            yield ListingProblem(field, f"The {field} is 30 seconds to 365 days.")
    if not timedelta(0) <= spec.auto_approval <= LATEST_APPROVAL:
        yield ListingProblem("auto_approval", "Automatic approval comes after 0 to 30 days.")


def _address(spec: Spec, *, plain_http: bool) -> Iterator[ListingProblem]:
    parts = urlsplit(spec.url)
    schemes = ("https", "http") if plain_http else ("https",)
    if parts.scheme not in schemes or not parts.hostname:
        yield ListingProblem(
            "url",
            "MTurk shows only pages whose address begins with https://. Set PUBLIC_URL to such "
            "an address of this server.",
        )
    elif len(question_xml(spec.url).encode()) > QUESTION_BYTES:
        yield ListingProblem("url", f"The question is longer than {QUESTION_BYTES:,} bytes.")


def _audience(audience: Audience) -> Iterator[ListingProblem]:
    if len(audience.countries) > COUNTRIES:
        yield ListingProblem("audience", f"MTurk takes at most {COUNTRIES} countries.")
    if not all(COUNTRY.fullmatch(country) for country in audience.countries):
        yield ListingProblem("audience", "Countries are two capital letters each, such as DE.")
    if audience.languages:
        yield ListingProblem(
            "audience",
            "MTurk does not know which languages people speak: choose countries, and let the "
            "tutorial decide.",
        )
    if audience.approval_rate is not None and not 0 <= audience.approval_rate <= 100:
        yield ListingProblem("audience", "The approval rate is a percentage: 0 to 100.")
    if audience.approved_work is not None and audience.approved_work < 0:
        yield ListingProblem("audience", "The number of approved tasks is 0 or more.")
    if audience.masters:
        yield ListingProblem(
            "audience",
            "Masters cost a further fee, which the budget does not include. Ask for an approval "
            "rate and a number of approved tasks instead.",
        )
    if len(audience.exclusion) > EXCLUSION:
        yield ListingProblem(
            "audience", f"The exclusion list's name has at most {EXCLUSION} characters."
        )
