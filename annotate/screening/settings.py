"""The thresholds of all screens: fixed before a campaign, and stored with it as plain JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from annotate.schemas import Problem, Refused, read
from annotate.screening.registry import SCREENS
from annotate.screening.thresholds import CrowdThresholds, SettingsError, Thresholds
from annotate.text.problem_sentences import shown, suggestion

CROWD = "crowd"
T = TypeVar("T", bound=Thresholds)


@dataclass(frozen=True)
class Settings:
    """Every threshold and minimum sample of every screen.

    groups: the thresholds of each screen by the name of its group. Groups that are not given have
        the defaults.
    """

    crowd: CrowdThresholds = field(default_factory=CrowdThresholds)
    groups: Mapping[str, Thresholds] = field(default_factory=dict)

    def __post_init__(self) -> None:
        usual = {screen.group: screen.thresholds() for screen in SCREENS.values()}
        object.__setattr__(self, "groups", {**usual, **self.groups})

    def of(self, kind: type[T]) -> T:
        """Return the thresholds of a screen, by their class."""
        return next(part for part in self.groups.values() if isinstance(part, kind))

    def to_dict(self) -> dict[str, dict[str, float]]:
        """Return plain JSON with every value."""
        return {
            name: part.model_dump() for name, part in {CROWD: self.crowd, **self.groups}.items()
        }

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Settings:
        """Read the output of `to_dict`; missing values get their defaults.

        Raises SettingsError with every unknown name and every invalid value.
        """
        parts: dict[str, Any] = {}
        problems: list[Problem] = []
        for name, values in given.items():
            try:
                parts[name] = _part(name, values)
            except Refused as refused:
                problems += refused.problems
        if problems:
            raise SettingsError(problems)
        return cls(parts.pop(CROWD, CrowdThresholds()), parts)


def _part(name: str, values: Any) -> Thresholds:
    kinds: dict[str, type[Thresholds]] = {CROWD: CrowdThresholds}
    kinds |= {screen.group: screen.thresholds for screen in SCREENS.values()}
    if name not in kinds:
        message = f"Is not one of the groups {', '.join(kinds)}.{suggestion(name, kinds)}"
        raise Refused([Problem(shown(name), message)])
    return read(kinds[name], values, at=(name,))
