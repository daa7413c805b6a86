"""The settings of the screens as command-line options."""

import json
from argparse import ArgumentTypeError, _ArgumentGroup
from collections.abc import Sequence
from typing import Any

from django.core.management.base import CommandParser

Setting = tuple[str, str, Any]  # group, name, value


def setting(text: str) -> Setting:
    """Read `timing.share=0.25`, `signals.on=true` or `flags.off=["short_edits"]`."""
    path, equals, value = text.partition("=")
    group, dot, name = path.partition(".")
    if not (equals and dot and group and name):
        raise ArgumentTypeError(f"“{text}” must look like timing.share=0.25.")
    try:
        return group, name, json.loads(value)
    except (ValueError, RecursionError):
        raise ArgumentTypeError(
            f'“{value}” is not JSON, such as 0.25, true or ["short_edits"].'
        ) from None


def add_settings(parser: CommandParser | _ArgumentGroup, option: str = "--set") -> None:
    parser.add_argument(
        option,
        type=setting,
        action="append",
        default=[],
        dest="screen_settings",
        metavar="GROUP.NAME=VALUE",
        help="a setting of the screens, such as signals.on=true; repeatable",
    )


def settings_of(given: Sequence[Setting]) -> dict[str, dict[str, Any]]:
    """Return group -> name -> value; of two values of one name the later holds."""
    found: dict[str, dict[str, Any]] = {}
    for group, name, value in given:
        found.setdefault(group, {})[name] = value
    return found
