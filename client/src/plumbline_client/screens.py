"""The settings of a campaign's screens, which look at people's work, and their changes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from plumbline_client.rows import read
from plumbline_client.transport import Transport

Settings = Mapping[str, Mapping[str, Any]]  # group -> name -> value


@dataclass(frozen=True, slots=True)
class Amendment:
    """One change. changes: path -> (was, now). actor: “” for a command of the server."""

    at: datetime
    actor: str
    why: str
    changes: Mapping[str, tuple[Any, Any]]


@dataclass(frozen=True, slots=True)
class ScreenSettings:
    """settings: all that are in use. at_opening: those that the campaign opened with; None before.

    amendments: what was changed, the newest first.
    """

    settings: Settings
    at_opening: Settings | None
    amendments: tuple[Amendment, ...]
    data: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


class Screens:
    """The screens of a campaign. A new one takes settings as `create(..., screening={...})`."""

    def __init__(self, at: Transport, campaign: str) -> None:
        self._at = at
        self._path = f"{campaign}screens/"

    def state(self) -> ScreenSettings:
        return _state(self._at.get(self._path))

    def change(self, settings: Settings, *, reason: str = "") -> ScreenSettings:
        """Change some settings, such as `{"timing": {"share": 0.25}}`; others stay.

        reason: the log keeps it; needed once the campaign has opened. Raises `Refused` for a value
        that is out of range and for a missing reason, `Conflict` for a campaign that is closed.
        """
        given = {group: dict(values) for group, values in settings.items()}
        return _state(self._at.patch(self._path, {"settings": given, "reason": reason}))


def _state(data: Mapping[str, Any]) -> ScreenSettings:
    return read(ScreenSettings, data, amendments=tuple(map(_amendment, data["amendments"])))


def _amendment(data: Mapping[str, Any]) -> Amendment:
    changes = {path: (was, now) for path, (was, now) in data["changes"].items()}
    return read(Amendment, data, changes=changes)
