"""Checks requests against botocore's model of the service: names, types, lengths, patterns."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from botocore.loaders import Loader
from botocore.model import OperationModel, ServiceModel, Shape

from extras.mturk_simulator.state.errors import INVALID, MISSING, OUT_OF_RANGE, RequestRefused

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
        yield INVALID, f"{where} is not a {shape.type_name}."
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
            yield INVALID, f"{where} has no member {name}."
        else:
            yield from problems(shape.members[name], member, name)


def _of_scalar(shape: Any, value: Any, where: str) -> Iterator[tuple[str, str]]:
    rules = shape.metadata
    size = len(value) if isinstance(value, str) else value
    if size < rules.get("min", size) or size > rules.get("max", size):
        least, most = rules.get("min", ""), rules.get("max", "")
        yield OUT_OF_RANGE, f"{where} is out of range: {least}..{most}."
    if "enum" in rules and value not in rules["enum"]:
        yield INVALID, f"{where} is none of {', '.join(rules['enum'])}."
    if "pattern" in rules and not re.fullmatch(rules["pattern"], value):
        yield INVALID, f"{where} is not of the pattern {rules['pattern']}."
