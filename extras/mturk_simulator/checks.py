"""What a request may say, by botocore's model of the service and beyond, and pages of results."""

import base64
import binascii
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeVar

from botocore.loaders import Loader
from botocore.model import OperationModel, ServiceModel, Shape

from extras.mturk_simulator.world import (
    MISSING,
    OUT_OF_RANGE,
    RequestRefused,
)

TARGET = "MTurkRequesterServiceV20170117"
TYPES: dict[str, tuple[type, ...]] = {
    "structure": (dict,),
    "list": (list,),
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "long": (int,),
    "timestamp": (int, float),
}


@lru_cache(maxsize=1)
def service() -> ServiceModel:
    return ServiceModel(Loader().load_service_model("mturk", "service-2"), "mturk")


def operation(name: str) -> OperationModel | None:
    """Return the operation of that name; None if the service has none."""
    return service().operation_model(name) if name in service().operation_names else None


def check(model: OperationModel, arguments: Any) -> None:
    """Refuse arguments that do not have the operation's shape, naming the first problem."""
    for code, message in problems(model.input_shape, arguments, "the request"):
        raise RequestRefused(code, message)


def problems(shape: Shape, value: Any, where: str) -> Iterator[tuple[str, str]]:
    if not _is(shape.type_name, value):
        yield "InvalidParameterValue", f"{where} is not a {shape.type_name}."
    elif shape.type_name == "structure":
        yield from _of_structure(shape, value, where)
    elif shape.type_name == "list":
        for index, member in enumerate(value):
            yield from problems(shape.member, member, f"{where}[{index}]")
    else:
        yield from _of_scalar(shape, value, where)


def _is(kind: str, value: Any) -> bool:
    return isinstance(value, TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool))


def _of_structure(shape: Any, value: dict[str, Any], where: str) -> Iterator[tuple[str, str]]:
    for name in shape.required_members:
        if name not in value:
            yield MISSING, f"{name} is missing."
    for name, member in value.items():
        if name not in shape.members:
            yield "InvalidParameterValue", f"{where} has no member {name}."
        else:
            yield from problems(shape.members[name], member, name)


def _of_scalar(shape: Any, value: Any, where: str) -> Iterator[tuple[str, str]]:
    rules = shape.metadata
    size = len(value) if isinstance(value, str) else value
    if size < rules.get("min", size) or size > rules.get("max", size):
        least, most = rules.get("min", ""), rules.get("max", "")
        yield OUT_OF_RANGE, f"{where} is out of range: {least}..{most}."
    if "enum" in rules and value not in rules["enum"]:
        yield "InvalidParameterValue", f"{where} is none of {', '.join(rules['enum'])}."
    if "pattern" in rules and not re.fullmatch(rules["pattern"], value):
        yield "InvalidParameterValue", f"{where} is not of the pattern {rules['pattern']}."


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
LOCALES_AT_MOST = 30
COUNTRY = "00000000000000000071"
APPROVED = "00000000000000000040"
APPROVAL_RATE = "000000000000000000L0"
SYSTEM = (COUNTRY, APPROVED, APPROVAL_RATE)
# The comparators that this stand-in offers, and what values each takes.
COMPARATORS = {"In": "LocaleValues", "GreaterThanOrEqualTo": "IntegerValues", "DoesNotExist": ""}


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
        name, comparator = one["QualificationTypeId"], one["Comparator"]
        if name not in known and name not in SYSTEM:
            raise RequestRefused(
                "QualificationTypeDoesNotExist", f"Qualification type {name} does not exist."
            )
        if comparator not in COMPARATORS:
            raise RequestRefused(
                "NotOfferedByStandIn", f"This stand-in does not offer {comparator}."
            )
        wanted = COMPARATORS[comparator]
        given = [kind for kind in ("LocaleValues", "IntegerValues") if one.get(kind)]
        most = LOCALES_AT_MOST if comparator == "In" else 1
        if given != [wanted] * bool(wanted) or (wanted and len(one[wanted]) > most):
            message = f"{comparator} takes {f'1 to {most} {wanted}' if wanted else 'no values'}."
            raise RequestRefused("InvalidParameterValue", message)


Row = TypeVar("Row")
SIZE = 10  # where a request sets none


def page(
    arguments: Mapping[str, Any],
    rows: Iterable[Row],
    key: Callable[[Row], int],
    *,
    newest_first: bool = False,
) -> tuple[Sequence[Row], dict[str, Any]]:
    """Return the rows of the requested page, and NumResults and NextToken of the answer.

    A full page always has a token, as at Amazon; the page after it may be empty.
    """
    ordered = sorted(rows, key=key, reverse=newest_first)
    if "NextToken" in arguments:
        after = _read(arguments["NextToken"])
        ordered = [
            row for row in ordered if (key(row) < after if newest_first else key(row) > after)
        ]
    size = arguments.get("MaxResults", SIZE)
    shown = ordered[:size]
    token = {"NextToken": _token(key(shown[-1]))} if len(shown) == size else {}
    return shown, {"NumResults": len(shown), **token}


def _token(serial: int) -> str:
    return base64.urlsafe_b64encode(f"after:{serial}".encode()).decode()


def _read(token: str) -> int:
    try:
        word, _, serial = base64.urlsafe_b64decode(token).decode().partition(":")
        if word != "after":
            raise ValueError
        return int(serial)
    except (binascii.Error, ValueError):
        raise RequestRefused("InvalidParameterValue", "NextToken is not one of ours.")
