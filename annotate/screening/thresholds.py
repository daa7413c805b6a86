"""The thresholds of a screen: numbers with a range, fixed before a campaign."""

from typing import Any

from pydantic import Field

from annotate.schemas import Declared, Refused


class SettingsError(Refused):
    """Thresholds that are unknown, not numbers, or outside their ranges."""


def between(default: float, low: float, high: float) -> Any:
    """Declare a threshold from `low` to `high`."""
    return Field(default=default, ge=low, le=high)


class Thresholds(Declared):
    """One group of thresholds; each field is declared with `between`."""


class CrowdThresholds(Thresholds):
    """What the others must have done before anyone is compared with them.

    uniform: a person who gives one answer at least this often, over `uniform_minimum` judgments, is
        not part of the yardstick.
    """

    people: int = between(5, 2, 1000)
    judgments: int = between(50, 1, 100_000)
    uniform: float = between(0.8, 0.5, 1)
    uniform_minimum: int = between(5, 2, 1000)
