"""Whom a study is for: our requirements as Prolific's filters.

Prolific numbers the choices of its filters and publishes the list (`GET /filters/`), so
requirements are looked up there by their titles. One that is not on the list is a problem and never
left out.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import get_language_info

from annotate.crowds.base import Audience, ListingProblem

COUNTRY = "current-country-of-residence"
LANGUAGE = "fluent-languages"
APPROVAL_RATE = "approval_rate"
APPROVED_WORK = "approval_numbers"  # seen in use, but not in the documentation that we read
BLOCKLIST = "participant_group_blocklist"
# As Prolific's list spells them. Other countries cannot be chosen here.
COUNTRIES = {
    "AT": "Austria",
    "AU": "Australia",
    "BE": "Belgium",
    "BR": "Brazil",
    "CA": "Canada",
    "CH": "Switzerland",
    "CL": "Chile",
    "CN": "China",
    "CO": "Colombia",
    "CZ": "Czech Republic",
    "DE": "Germany",
    "DK": "Denmark",
    "EE": "Estonia",
    "ES": "Spain",
    "FI": "Finland",
    "FR": "France",
    "GB": "United Kingdom",
    "GR": "Greece",
    "HU": "Hungary",
    "IE": "Ireland",
    "IL": "Israel",
    "IN": "India",
    "IS": "Iceland",
    "IT": "Italy",
    "JP": "Japan",
    "KE": "Kenya",
    "KR": "Korea",
    "LT": "Lithuania",
    "LU": "Luxembourg",
    "LV": "Latvia",
    "MX": "Mexico",
    "NG": "Nigeria",
    "NL": "Netherlands",
    "NO": "Norway",
    "NZ": "New Zealand",
    "PL": "Poland",
    "PT": "Portugal",
    "RO": "Romania",
    "SE": "Sweden",
    "SG": "Singapore",
    "SI": "Slovenia",
    "SK": "Slovakia",
    "TR": "Turkey",
    "US": "United States",
    "ZA": "South Africa",
}


@dataclass(frozen=True)
class Wish:
    """One filter: choices by their titles, or a range from `lower` up."""

    filter_id: str
    titles: tuple[str, ...] = ()
    lower: int | None = None


def unknown(audience: Audience) -> list[ListingProblem]:
    """Return what Prolific cannot require, whatever its list contains."""
    found = []
    if audience.masters:
        found.append(_problem("Prolific has no “masters”. Ask for an approval rate instead."))
    if audience.approval_rate is not None and not 0 <= audience.approval_rate <= 100:
        found.append(_problem("The approval rate is a percentage from 0 to 100."))
    if audience.approved_work is not None and audience.approved_work < 0:
        found.append(_problem("The number of approved submissions cannot be negative."))
    found += [
        _problem(f"Plumbline cannot ask Prolific for people from “{code}”. Remove this country.")
        for code in audience.countries
        if code.upper() not in COUNTRIES
    ]
    found += [
        _problem(f"“{code}” is no language code that Plumbline knows, such as “en”.")
        for code in audience.languages
        if not _language(code)
    ]
    return found


def wishes(audience: Audience) -> list[Wish]:
    countries = tuple(COUNTRIES.get(code.upper(), code) for code in audience.countries)
    languages = tuple(_language(code) or code for code in audience.languages)
    found = [
        Wish(name, titles)
        for name, titles in ((COUNTRY, countries), (LANGUAGE, languages))
        if titles
    ]
    found += [
        Wish(name, lower=lower)
        for name, lower in (
            (APPROVAL_RATE, audience.approval_rate),
            (APPROVED_WORK, audience.approved_work),
        )
        if lower is not None
    ]
    return found


def resolve(
    wished: Iterable[Wish], listed: Iterable[Mapping[str, Any]]
) -> tuple[list[dict[str, Any]], list[ListingProblem]]:
    """Return the filters of a study, and the problems with what is not on Prolific's list."""
    known = {str(entry.get("filter_id")): entry for entry in listed}
    filters: list[dict[str, Any]] = []
    problems: list[ListingProblem] = []
    for wish in wished:
        if wish.filter_id not in known:
            problems.append(_problem(f"Prolific offers no filter “{wish.filter_id}” any more."))
        elif wish.lower is not None:
            filters.append({"filter_id": wish.filter_id, "selected_range": {"lower": wish.lower}})
        else:
            chosen, missing = _choices(wish.titles, known[wish.filter_id])
            problems += missing
            filters.append({"filter_id": wish.filter_id, "selected_values": chosen})
    return filters, problems


def blocklist(group_id: str) -> dict[str, Any]:
    """Return the filter that excludes a group, including people who join it later."""
    return {"filter_id": BLOCKLIST, "selected_values": [group_id]}


def _choices(
    titles: tuple[str, ...], entry: Mapping[str, Any]
) -> tuple[list[str], list[ListingProblem]]:
    choices = entry.get("choices") or {}
    numbers = {str(title).casefold(): str(number) for number, title in choices.items()}
    chosen = [numbers[title.casefold()] for title in titles if title.casefold() in numbers]
    missing = [
        _problem(f"Prolific’s list “{entry.get('title', '')}” does not have “{title}”. Remove it.")
        for title in titles
        if title.casefold() not in numbers
    ]
    return chosen, missing


def _language(code: str) -> str:
    try:
        return str(get_language_info(code.lower())["name"])
    except KeyError:
        return ""


def _problem(message: str) -> ListingProblem:
    return ListingProblem("audience", message)
