"""The settings of all screens: fixed before a campaign, and stored with it as plain JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, TypeVar

from pydantic import Field

from annotate.schemas import Fault, Problem, Refused, Several, read
from annotate.screening.gold.known_answers import GOLD, KnownAnswers
from annotate.screening.registry import SCREENS
from annotate.screening.signals.settings import SIGNALS, SignalThresholds
from annotate.screening.thresholds import CrowdThresholds, SettingsError, Thresholds, between
from annotate.text.problem_sentences import shown, suggestion

CROWD, FLAGS = "crowd", "flags"
T = TypeVar("T", bound=Thresholds)
Names = Annotated[Several[Annotated[str, Field(max_length=40)]], Field(max_length=100)]


class FlagSettings(Thresholds):
    """Which screens run, and what their flags do.

    off: the screens that do not run.
    list_only: the screens that list people, and never pause them. By default, several weak signs
        pause nobody: who is paused is told one clear reason.
    listed, paused: the share of honest people that all screens together list and pause, over all
        looks at a campaign.
    recent: the number of last judgments that screens also look at alone, and twice as many.
    """

    off: Names = ()
    list_only: Names = ("several_signs",)
    listed: float = between(0.009, 0.0001, 0.1)
    paused: float = between(0.0003, 0.00001, 0.05)
    recent: int = between(8, 5, 100)

    def faults(self, context: Any) -> Iterator[Fault]:
        """Yield names that no screen has, and shares in the wrong order."""
        for field_ in ("off", "list_only"):
            for number, name in enumerate(getattr(self, field_)):
                if name not in SCREENS:
                    known = ", ".join(SCREENS)
                    message = f"Is not one of the screens {known}.{suggestion(name, SCREENS)}"
                    yield (field_, number), message
        if self.paused > self.listed:
            yield ("paused",), "Is at most `listed`, because who is paused is also listed."


@dataclass(frozen=True)
class Settings:
    """Every threshold and minimum sample of every screen, what flags do, signals and gold.

    groups: the thresholds of each screen by the name of its group. Groups that are not given have
        the defaults.
    """

    crowd: CrowdThresholds = field(default_factory=CrowdThresholds)
    flags: FlagSettings = field(default_factory=FlagSettings)
    groups: Mapping[str, Thresholds] = field(default_factory=dict)
    signals: SignalThresholds = field(default_factory=SignalThresholds)
    gold: KnownAnswers = field(default_factory=KnownAnswers)

    def __post_init__(self) -> None:
        usual = {screen.group: screen.thresholds() for screen in SCREENS.values()}
        object.__setattr__(self, "groups", {**usual, **self.groups})

    def of(self, kind: type[T]) -> T:
        """Return the thresholds of a screen, by their class."""
        return next(part for part in self.groups.values() if isinstance(part, kind))

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """Return plain JSON with every value."""
        parts = {
            CROWD: self.crowd,
            FLAGS: self.flags,
            SIGNALS: self.signals,
            GOLD: self.gold,
            **self.groups,
        }
        return {name: part.model_dump(mode="json") for name, part in parts.items()}

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
        crowd, flags = parts.pop(CROWD, CrowdThresholds()), parts.pop(FLAGS, FlagSettings())
        signals, gold = parts.pop(SIGNALS, SignalThresholds()), parts.pop(GOLD, KnownAnswers())
        return cls(crowd, flags, parts, signals, gold)


def _part(name: str, values: Any) -> Thresholds:
    kinds: dict[str, type[Thresholds]] = {CROWD: CrowdThresholds, FLAGS: FlagSettings}
    kinds |= {screen.group: screen.thresholds for screen in SCREENS.values()}
    kinds |= {SIGNALS: SignalThresholds, GOLD: KnownAnswers}
    if name not in kinds:
        message = f"Is not one of the groups {', '.join(kinds)}.{suggestion(name, kinds)}"
        raise Refused([Problem(shown(name), message)])
    return read(kinds[name], values, at=(name,))
