"""The thresholds of a screen: numbers with a range, fixed before a campaign."""

from dataclasses import Field, dataclass, field, fields
from typing import Any


class SettingsError(ValueError):
    """A threshold that is unknown, not a number, or outside its range."""


def between(default: float, low: float, high: float) -> Any:
    """Declare a threshold from `low` to `high`."""
    return field(default=default, metadata={"low": low, "high": high})


@dataclass(frozen=True, slots=True)
class Thresholds:
    """One group of thresholds; each field is declared with `between`."""

    def check(self, group: str) -> None:
        """Raise SettingsError for a value outside its range; `group` names these thresholds."""
        for each in fields(self):
            _check(group, each, getattr(self, each.name))


@dataclass(frozen=True, slots=True)
class CrowdThresholds(Thresholds):
    """What the others must have done before anybody is compared with them.

    uniform: who gives one answer at least so often, over `uniform_minimum` judgments, is no
    yardstick for anybody.
    """

    people: int = between(5, 2, 1000)
    judgments: int = between(50, 1, 100_000)
    uniform: float = between(0.9, 0.5, 1)
    uniform_minimum: int = between(5, 2, 1000)


def _check(group: str, each: Field[Any], value: Any) -> None:
    low, high = each.metadata["low"], each.metadata["high"]
    is_whole = each.type in (int, "int")
    kinds = int if is_whole else (int, float)
    if isinstance(value, bool) or not isinstance(value, kinds) or not low <= value <= high:
        what = "a whole number" if is_whole else "a number"
        raise SettingsError(f"{group}.{each.name} is {what} from {low} to {high}, not {value!r}.")
