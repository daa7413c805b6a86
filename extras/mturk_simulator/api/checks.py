"""Limits of the service that its model does not state."""

from collections.abc import Mapping
from typing import Any

from extras.mturk_simulator.state.errors import INVALID, OUT_OF_RANGE, TYPE_UNKNOWN, RequestRefused

DAY = 24 * 3600
LENGTHS = {
    "Title": (1, 128),
    "Description": (1, 2000),
    "Keywords": (0, 1000),
    "RequesterAnnotation": (0, 255),
    "Subject": (1, 200),
    "MessageText": (1, 4096),
    "Reason": (1, 4096),
    "Name": (1, 200),
    "RequesterFeedback": (0, 1024),
}
RANGES = {
    "LifetimeInSeconds": (30, 365 * DAY),
    "AssignmentDurationInSeconds": (30, 365 * DAY),
    "AutoApprovalDelayInSeconds": (0, 30 * DAY),
    "MaxAssignments": (1, 1_000_000_000),
    "NumberOfAdditionalAssignments": (1, 1_000_000_000),
}
REQUIREMENTS_AT_MOST = 10
INTEGERS_AT_MOST = 15
LOCALES_AT_MOST = 30
COUNTRY = "00000000000000000071"
ADULT = "00000000000000000060"
APPROVED = "00000000000000000040"
APPROVAL_RATE = "000000000000000000L0"
MASTERS = ("2F1QJWKUDD8XADTFD2Q0G6UTO95ALH", "2ARFPLSP75KLA8M8DH1HTEQVJT3SY6")
SYSTEM = (COUNTRY, ADULT, APPROVED, APPROVAL_RATE, *MASTERS)
SETS = ("In", "NotIn")
PRESENCE = ("Exists", "DoesNotExist")
LOCALE_COMPARATORS = ("EqualTo", "NotEqualTo", *SETS)


def limits(arguments: Mapping[str, Any]) -> None:
    """Refuse texts that are too long or empty, and numbers out of their range."""
    for name, (least, most) in LENGTHS.items():
        if name in arguments and not least <= len(arguments[name]) <= most:
            raise RequestRefused(OUT_OF_RANGE, f"{name} has {least} to {most} characters.")
    for name, (least, most) in RANGES.items():
        if name in arguments and not least <= arguments[name] <= most:
            raise RequestRefused(OUT_OF_RANGE, f"{name} lies between {least} and {most}.")


def requirements(asked: list[dict[str, Any]], known: Mapping[str, Any]) -> None:
    """Refuse requirements that cannot be evaluated; `known` are the requester's own types."""
    if len(asked) > REQUIREMENTS_AT_MOST:
        raise RequestRefused(
            OUT_OF_RANGE, f"At most {REQUIREMENTS_AT_MOST} requirements are possible."
        )
    for one in asked:
        if one["QualificationTypeId"] not in known and one["QualificationTypeId"] not in SYSTEM:
            name = one["QualificationTypeId"]
            raise RequestRefused(TYPE_UNKNOWN, f"Qualification type {name} does not exist.")
        if problem := _problem(one):
            raise RequestRefused(INVALID, problem)


def _problem(one: Mapping[str, Any]) -> str:
    integers, locales = one.get("IntegerValues", []), one.get("LocaleValues", [])
    comparator = one["Comparator"]
    if comparator in PRESENCE:
        return f"{comparator} takes no values." if integers or locales else ""
    if one["QualificationTypeId"] == COUNTRY:
        if comparator not in LOCALE_COMPARATORS:
            return f"{comparator} does not compare places."
        return _count(locales, integers, "LocaleValues", comparator, LOCALES_AT_MOST)
    return _count(integers, locales, "IntegerValues", comparator, INTEGERS_AT_MOST)


def _count(values: list[Any], others: list[Any], name: str, comparator: str, most: int) -> str:
    most = most if comparator in SETS else 1
    fits = 1 <= len(values) <= most and not others
    return "" if fits else f"{comparator} takes 1 to {most} {name} and nothing else."
