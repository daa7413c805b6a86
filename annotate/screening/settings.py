"""The thresholds of all screens: fixed before a campaign, kept with it as plain JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, TypeVar

from annotate.screening.registry import SCREENS
from annotate.screening.thresholds import CrowdThresholds, SettingsError, Thresholds

CROWD = "crowd"
T = TypeVar("T", bound=Thresholds)


@dataclass(frozen=True)
class Settings:
    """Every threshold and minimum sample of every screen.

    groups: the thresholds of each screen by the name of its group; those not given are the usual
    ones.
    """

    crowd: CrowdThresholds = field(default_factory=CrowdThresholds)
    groups: Mapping[str, Thresholds] = field(default_factory=dict)

    def __post_init__(self) -> None:
        usual = {screen.group: screen.thresholds() for screen in SCREENS.values()}
        object.__setattr__(self, "groups", {**usual, **self.groups})
        for name, part in {CROWD: self.crowd, **self.groups}.items():
            part.check(name)

    def of(self, kind: type[T]) -> T:
        """Return the thresholds of a screen, by their class."""
        return next(part for part in self.groups.values() if isinstance(part, kind))

    def to_dict(self) -> dict[str, dict[str, float]]:
        """Return plain JSON, every value spelt out."""
        return {name: asdict(part) for name, part in {CROWD: self.crowd, **self.groups}.items()}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Settings:
        """Read what `to_dict` wrote; what is left out keeps its default.

        Raises SettingsError for unknown names and for values that cannot be right.
        """
        read = {name: _part(name, values) for name, values in given.items()}
        crowd = read.pop(CROWD, None)
        return cls(crowd if isinstance(crowd, CrowdThresholds) else CrowdThresholds(), read)


def _part(name: str, values: Any) -> Thresholds:
    groups: dict[str, type[Thresholds]] = {CROWD: CrowdThresholds}
    groups |= {screen.group: screen.thresholds for screen in SCREENS.values()}
    kind = groups.get(name)
    if kind is None or not isinstance(values, Mapping):
        raise SettingsError(f"{name!r} is not one of the groups {', '.join(groups)}.")
    unknown = sorted(set(values) - {each.name for each in fields(kind)})
    if unknown:
        raise SettingsError(f"{name} has no setting {', '.join(map(repr, unknown))}.")
    return kind(**values)
