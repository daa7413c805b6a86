"""Prolific's form of a study, and the meaning of its states."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from decimal import ROUND_CEILING, Decimal
from typing import Any
from urllib.parse import urlsplit

from django.utils.translation import get_language_info

from annotate.common.numbers import money_text, number
from annotate.crowds.contract import (
    Audience,
    ListingProblem,
    Posted,
    PostingLevel,
    Spec,
    Stage,
    Submission,
    UnitState,
    on_ours,
)
from annotate.crowds.prices import CENT

# Whom a study is for: our requirements as Prolific's filters.
#
# Prolific numbers the choices of its filters and publishes the list (`GET /filters/`), so
# requirements are looked up there by their titles. One that is not on the list is a problem and
# never left out.


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


def unknown(audience: Audience) -> Iterator[str]:
    """Yield what Prolific cannot require, whatever its list contains."""
    if audience.masters:
        yield "Prolific has no “masters”. Ask for an approval rate instead."
    if audience.approval_rate is not None and not 0 <= audience.approval_rate <= 100:
        yield "The approval rate is a percentage from 0 to 100."
    if audience.approved_work is not None and audience.approved_work < 0:
        yield "The number of approved submissions cannot be negative."
    for code in audience.countries:
        if code.upper() not in COUNTRIES:
            yield f"Plumbline cannot ask Prolific for people from “{code}”. Remove this country."
    for code in audience.languages:
        if not _language(code):
            yield f"“{code}” is no language code that Plumbline knows, such as “en”."


def filters(
    audience: Audience, listed: Iterable[Mapping[str, Any]]
) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the filters of a study, and the problems with what is not on Prolific's list.

    listed: Prolific's filters. They are read only where something is asked for.
    """
    titles = {
        COUNTRY: [COUNTRIES.get(code.upper(), code) for code in audience.countries],
        LANGUAGE: [_language(code) or code for code in audience.languages],
    }
    lowest = {APPROVAL_RATE: audience.approval_rate, APPROVED_WORK: audience.approved_work}
    wished: dict[str, Any] = {
        **{name: chosen for name, chosen in titles.items() if chosen},
        **{name: lower for name, lower in lowest.items() if lower is not None},
    }
    known = {str(entry.get("filter_id")): entry for entry in listed} if wished else {}
    found: list[dict[str, Any]] = []
    problems: list[str] = []
    for name, wish in wished.items():
        if name not in known:
            problems.append(f"Prolific offers no filter “{name}” any more.")
        elif name in lowest:
            found.append({"filter_id": name, "selected_range": {"lower": wish}})
        else:
            choices, title = known[name].get("choices") or {}, known[name].get("title", "")
            numbers = {str(text).casefold(): str(number) for number, text in choices.items()}
            there = [numbers[one.casefold()] for one in wish if one.casefold() in numbers]
            found.append({"filter_id": name, "selected_values": there})
            problems += [
                f"Prolific’s list “{title}” does not have “{one}”. Remove it."
                for one in wish
                if one.casefold() not in numbers
            ]
    return found, problems


def blocklist(group_id: str) -> dict[str, Any]:
    """Return the filter that excludes a group, including people who join it later."""
    return {"filter_id": BLOCKLIST, "selected_values": [group_id]}


def _language(code: str) -> str:
    try:
        return str(get_language_info(code.lower())["name"])
    except KeyError:
        return ""


APP = "https://app.prolific.com"
MARK = 12  # digits of an operation's id that note an extension
MARKS_KEPT = 8
AUTO_APPROVAL = timedelta(days=21)  # according to Prolific's help pages; no setting changes it
DRAFT = "UNPUBLISHED"
PAUSED = "PAUSED"
RUNNING = ("ACTIVE", "PUBLISHING", "SCHEDULED")
COMPLETED = "COMPLETED"
PASSING = "PROCESSING"  # not documented; others see it for moments before another status
PARAMETERS = "PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"
# Right after a review, Prolific reports "PROCESSING" for a while. It does not mean the end.
UNITS = {
    "RESERVED": UnitState.ACTIVE,
    "ACTIVE": UnitState.ACTIVE,
    "AWAITING REVIEW": UnitState.SUBMITTED,
    "APPROVED": UnitState.APPROVED,
    "PARTIALLY APPROVED": UnitState.APPROVED,
    "REJECTED": UnitState.REJECTED,
    "RETURNED": UnitState.RETURNED,
    "TIMED OUT": UnitState.RETURNED,
    "SCREENED OUT": UnitState.RETURNED,
}


def draft(spec: Spec, op_id: str, filters: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the body that creates a draft; money in pence or cents, times in whole minutes."""
    joint = "&" if "?" in spec.url else "?"
    return {
        "name": spec.title,
        "internal_name": internal_name(op_id),
        "description": spec.description,
        "external_study_url": f"{spec.url}{joint}{PARAMETERS}",
        "prolific_id_option": "url_parameters",
        "completion_codes": [
            {
                "code": spec.code,
                "code_type": "COMPLETED",
                "actions": [{"action": "MANUALLY_REVIEW"}],
            }
        ],
        "estimated_completion_time": whole_minutes(spec.minutes),
        "maximum_allowed_time": whole_minutes(spec.duration / timedelta(minutes=1)),
        "reward": minor(spec.reward),
        "total_available_places": spec.places,
        "device_compatibility": ["desktop", "tablet", "mobile"],
        "peripheral_requirements": [],
        "filters": list(filters),
    }


def internal_name(op_id: str) -> str:
    """Return the name that only researchers see. It identifies the study's operation."""
    return f"plumbline {op_id}"


def is_made_by(study: Mapping[str, Any], op_id: str) -> bool:
    return f"{study.get('internal_name', '')} ".startswith(f"{internal_name(op_id)} ")


def is_ours(study: Mapping[str, Any]) -> bool:
    return str(study.get("internal_name", "")).startswith("plumbline ")


def is_extended_by(study: Mapping[str, Any], op_id: str) -> bool:
    return f"+{op_id[:MARK]}" in str(study.get("internal_name", "")).split()


def extended_name(study: Mapping[str, Any], op_id: str) -> str:
    """Return the internal name with a note of one more extension; the oldest notes are dropped."""
    words = str(study.get("internal_name", "")).split()
    name = [word for word in words if not word.startswith("+")]
    marks = [word for word in words if word.startswith("+")]
    return " ".join([*name, *marks[1 - MARKS_KEPT :], f"+{op_id[:MARK]}"])


def posted(study: Mapping[str, Any], app: str = APP) -> Posted:
    listing = str(study["id"])
    places = int(study.get("total_available_places") or 0)
    return Posted(listing, places, url=f"{app}/studies/{listing}")


def status(thing: Mapping[str, Any]) -> str:
    """Return a study's or a submission's status in one spelling: AWAITING_REVIEW, TIMED-OUT …"""
    return re.sub(r"[_\-\s]+", " ", str(thing.get("status", ""))).strip().upper()


def level(study: Mapping[str, Any], submissions: Iterable[Submission]) -> PostingLevel:
    """Return how full a study is.

    Studies do not expire. A full one awaits review like a stopped one, and may continue when a
    place is free again. A paused study takes no new people until it is started.
    """
    states = [submission.state for submission in submissions]
    pending = states.count(UnitState.ACTIVE)
    holding = (UnitState.ACTIVE, UnitState.SUBMITTED, UnitState.APPROVED)  # a rejected one is free
    taken = sum(states.count(state) for state in holding)
    places = int(study.get("total_available_places") or 0)
    free, now = max(0, places - taken), status(study)
    if now in RUNNING:
        return PostingLevel(Stage.OPEN, places, free, pending)
    stage = Stage.DRAINING if pending else Stage.CLOSED
    return PostingLevel(stage, places, 0, pending, paused=now == PAUSED and free > 0)


def submission(
    row: Mapping[str, Any], listing: str = "", *, ahead: timedelta | None = None
) -> Submission:
    """Return a submission; `receipt` stays empty, because Prolific passes on no value of ours.

    ahead: how far Prolific's clock is ahead of ours.
    """
    submitted_at = on_ours(when(row.get("completed_at")), ahead)
    state = UNITS.get(status(row), UnitState.ACTIVE)
    return Submission(
        listing=str(row.get("study_id") or row.get("study") or listing),
        unit=str(row["id"]),
        person=str(row.get("participant_id") or row.get("participant") or ""),
        state=state,
        accepted_at=on_ours(when(row.get("started_at")), ahead),
        submitted_at=submitted_at,
        auto_approval_at=submitted_at + AUTO_APPROVAL if submitted_at else None,
    )


def when(stamp: Any) -> datetime | None:
    """Return a time with its zone; Prolific writes UTC."""
    if not stamp or not isinstance(stamp, str):
        return None
    text = stamp.replace("Z", "+00:00")
    return datetime.fromisoformat(text if re.search(r"[+-]\d\d:?\d\d$", text) else f"{text}+00:00")


def whole_minutes(minutes: float) -> int:
    return max(1, math.ceil(minutes))


def minor(amount: Decimal) -> int:
    """Return pence or cents."""
    return int((amount * 100).to_integral_exact())


def major(minor_units: Any) -> Decimal:
    """Return pounds or dollars from Prolific's pence or cents."""
    return (Decimal(str(minor_units)) / 100).quantize(Decimal("0.01"))


# Checks for what Prolific would refuse.
#
# Prolific documents a least reward per hour, whole minutes, https and the length of a rejection's
# reason. It documents no limits for titles and descriptions; Prolific refuses long ones.


LEAST_PER_HOUR = {"GBP": Decimal(6), "USD": Decimal(8)}
DAY = timedelta(hours=24)
LEAST_REASON = 100  # characters in the message of a rejection


def problems(spec: Spec, *, live: bool, currency: str = "") -> Iterator[ListingProblem]:
    """Yield what is wrong with a posting; `currency` is the account's, if it is known."""
    for name, value in (("title", spec.title), ("description", spec.description)):
        if not value.strip():
            yield ListingProblem(name, f"Prolific needs a {name}.")
    if spec.places < 1:
        yield ListingProblem("places", "A study needs at least one place.")
    yield from _of_reward(spec, currency)
    if spec.minutes <= 0:
        yield ListingProblem("minutes", "Say how many minutes the work takes: at least one.")
    if spec.duration < timedelta(minutes=whole_minutes(spec.minutes)):
        yield ListingProblem(
            "duration", "The time allowed must not be shorter than the work takes."
        )
    if spec.duration >= DAY:
        yield ListingProblem("duration", "Prolific allows less than 24 hours. Allow less time.")
    parts = urlsplit(spec.url)
    if parts.scheme not in (("https",) if live else ("https", "http")) or not parts.netloc:
        yield ListingProblem(
            "url", "Prolific sends people to https:// addresses only. Set PUBLIC_URL."
        )
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
    return money_text(amount, currency) if currency else number(amount)
