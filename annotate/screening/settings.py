"""The thresholds of the screens: fixed before a campaign, kept with it as plain JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field, asdict, dataclass, field, fields
from typing import Any


class SettingsError(ValueError):
    """A threshold that is unknown, not a number, or outside its range."""


def _between(default: float, low: float, high: float) -> Any:
    return field(default=default, metadata={"low": low, "high": high})


@dataclass(frozen=True, slots=True)
class Crowd:
    """What the others must have done before anybody is compared with them.

    uniform: who gives one answer at least so often, over `uniform_minimum` judgments, is no
    yardstick for anybody.
    """

    people: int = _between(5, 2, 1000)
    judgments: int = _between(50, 1, 100_000)
    uniform: float = _between(0.9, 0.5, 1)
    uniform_minimum: int = _between(5, 2, 1000)


@dataclass(frozen=True, slots=True)
class Timing:
    """Reading faster than `words_per_minute`, in less than `share` of the others' median time.

    scanning: the same for paragraphs, which careful people search rather than read.
    words: tasks with fewer to read are not looked at.
    """

    words_per_minute: float = _between(500, 100, 5000)
    scanning: float = _between(1500, 100, 10_000)
    words: int = _between(20, 1, 1000)
    share: float = _between(1 / 3, 0.01, 1)
    level: float = _between(0.95, 0.6, 0.99999)
    minimum: int = _between(5, 5, 1000)


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement below `threshold`, where 0 is chance and 1 what is usual in the campaign."""

    threshold: float = _between(0.5, 0, 0.9)
    level: float = _between(0.99, 0.6, 0.99999)
    minimum: int = _between(8, 8, 1000)


@dataclass(frozen=True, slots=True)
class Edits:
    """More than `share` of the required edits change under `characters`, or repeat themselves."""

    characters: int = _between(5, 1, 100)
    share: float = _between(0.5, 0.1, 0.99)
    level: float = _between(0.99, 0.6, 0.99999)
    minimum: int = _between(5, 5, 1000)


@dataclass(frozen=True, slots=True)
class Evidence:
    """More than `share` of the judgments rest on thin highlights, of one of three kinds.

    whole: the share of a paragraph's words from which on all of it counts as highlighted.
    paragraph: paragraphs of fewer words are not looked at, for highlighting all is no sign there.
    """

    share: float = _between(0.5, 0.1, 0.99)
    whole: float = _between(0.9, 0.5, 1)
    paragraph: int = _between(20, 2, 1000)
    level: float = _between(0.99, 0.6, 0.99999)
    minimum: int = _between(5, 5, 1000)


@dataclass(frozen=True, slots=True)
class Variation:
    """Uniform answers whose probability is at most `p_value` at one look.

    correlation: the least correlation of answers within people that is believed, because a young
    campaign has seen too few people to know how honest ones differ.
    """

    p_value: float = _between(0.0003, 1e-9, 0.05)
    correlation: float = _between(0.1, 0, 0.9)
    minimum: int = _between(8, 5, 1000)


@dataclass(frozen=True, slots=True)
class Patterns:
    """Answers at least `odds` times as probable from dice as from somebody like the others.

    slips: the share of answers that also careful people give by mistake.
    per_combination: how many judgments of others it takes for each combination of answers that is
    possible: with fewer, rare combinations of honest people look like dice.
    information: how much the others' answers in one judgment must say about each other, in nats for
    each answer: where criteria are unrelated, honest people look like dice.
    """

    odds: float = _between(300, 2, 1e9)
    slips: float = _between(0.1, 0.001, 0.9)
    per_combination: int = _between(10, 10, 1000)
    information: float = _between(0.05, 0.05, 10)
    minimum: int = _between(8, 5, 1000)


@dataclass(frozen=True, slots=True)
class Settings:
    """Every threshold and minimum sample of every screen."""

    crowd: Crowd = field(default_factory=Crowd)
    timing: Timing = field(default_factory=Timing)
    agreement: Agreement = field(default_factory=Agreement)
    edits: Edits = field(default_factory=Edits)
    evidence: Evidence = field(default_factory=Evidence)
    variation: Variation = field(default_factory=Variation)
    patterns: Patterns = field(default_factory=Patterns)

    def __post_init__(self) -> None:
        for group in fields(self):
            part = getattr(self, group.name)
            for each in fields(part):
                _check(group.name, each, getattr(part, each.name))

    def to_dict(self) -> dict[str, dict[str, float]]:
        """Return plain JSON, every value spelt out."""
        return asdict(self)

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Settings:
        """Read what `to_dict` wrote; what is left out keeps its default.

        Raises SettingsError for unknown names and for values that cannot be right.
        """
        return cls(**{name: _part(name, values) for name, values in given.items()})


_GROUPS: dict[str, type] = {
    "crowd": Crowd,
    "timing": Timing,
    "agreement": Agreement,
    "edits": Edits,
    "evidence": Evidence,
    "variation": Variation,
    "patterns": Patterns,
}


def _part(name: str, values: Any) -> Any:
    kind = _GROUPS.get(name)
    if kind is None or not isinstance(values, Mapping):
        raise SettingsError(f"{name!r} is not one of the groups {', '.join(_GROUPS)}.")
    unknown = sorted(set(values) - {each.name for each in fields(kind)})
    if unknown:
        raise SettingsError(f"{name} has no setting {', '.join(map(repr, unknown))}.")
    return kind(**values)


def _check(group: str, each: Field[Any], value: Any) -> None:
    low, high = each.metadata["low"], each.metadata["high"]
    kinds = int if each.type == "int" else (int, float)
    if isinstance(value, bool) or not isinstance(value, kinds) or not low <= value <= high:
        whole = "a whole number" if each.type == "int" else "a number"
        raise SettingsError(f"{group}.{each.name} is {whole} from {low} to {high}, not {value!r}.")
