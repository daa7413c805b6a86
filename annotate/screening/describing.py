"""The settings of the screens as a form or a command shows them: names, ranges and meanings.

What a setting means stands once, in the docstring of its group.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from inspect import cleandoc
from typing import Any

from annotate.screening.gold.known_answers import GOLD, KnownAnswers
from annotate.screening.registry import SCREENS
from annotate.screening.settings import CROWD, FLAGS, FlagSettings
from annotate.screening.signals.settings import SIGNALS, SignalThresholds
from annotate.screening.thresholds import CrowdThresholds, Thresholds
from annotate.text.figures import short

NAMED = re.compile(r"^([a-z_, ]+): (.+(?:\n    .+)*)", re.MULTILINE)


@dataclass(frozen=True)
class DescribedSetting:
    """One setting. kind: bool, int, float, or tuple for names of screens. low, high: its range."""

    group: str
    name: str
    kind: type
    default: Any
    low: float | None = None
    high: float | None = None
    about: str = ""

    @property
    def path(self) -> str:
        return f"{self.group}.{self.name}"

    @property
    def label(self) -> str:
        return self.name.replace("_", " ").capitalize()

    @property
    def within(self) -> str:
        """Return its range and default in words; "" if it has no range."""
        if self.low is None or self.high is None:
            return ""
        low, high, usual = (_figure(one) for one in (self.low, self.high, self.default))
        return f"{low} to {high}; default {usual}."


@dataclass(frozen=True)
class DescribedGroup:
    name: str
    title: str
    about: str
    settings: tuple[DescribedSetting, ...]


def groups() -> list[DescribedGroup]:
    """Return all settings in their groups, those that concern all screens first."""
    kinds: list[tuple[str, str, type[Thresholds]]] = [
        (FLAGS, "Screens and flags", FlagSettings),
        (SIGNALS, "Signals of the page", SignalThresholds),
        (GOLD, "Gold items", KnownAnswers),
    ]
    kinds.extend((one.group, one.reviewers.title, one.thresholds) for one in SCREENS.values())
    kinds.append((CROWD, "Who is compared with whom", CrowdThresholds))
    return [_group(*one) for one in kinds]


def by_path() -> dict[str, DescribedSetting]:
    """Return all settings by names such as `timing.share`."""
    return {one.path: one for group in groups() for one in group.settings}


def _group(name: str, title: str, kind: type[Thresholds]) -> DescribedGroup:
    doc = cleandoc(kind.__doc__ or "")
    return DescribedGroup(
        name,
        title,
        _plain(doc.split("\n\n")[0]),
        tuple(_settings(name, kind, doc)),
    )


def _settings(group: str, kind: type[Thresholds], doc: str) -> Iterator[DescribedSetting]:
    about = {
        name: _sentence(text) for names, text in NAMED.findall(doc) for name in names.split(", ")
    }
    usual = kind()
    for name, field in kind.model_fields.items():
        ends = {
            key: getattr(one, key)
            for one in field.metadata
            for key in ("ge", "le")
            if hasattr(one, key)
        }
        default = getattr(usual, name)
        yield DescribedSetting(
            group,
            name,
            _kind(field.annotation),
            default,
            ends.get("ge"),
            ends.get("le"),
            about.get(name, ""),
        )


def _kind(annotation: Any) -> type:
    return annotation if annotation in (bool, int, float) else tuple


def _plain(text: str) -> str:
    """Return a docstring's text with the names of settings as the form shows them."""
    named = re.sub(r"`([^`]*)`", lambda name: f"“{name[1].replace('_', ' ')}”", text)
    return " ".join(named.split())


def _sentence(text: str) -> str:
    told = _plain(text)
    return told[:1].upper() + told[1:]


def _figure(value: float) -> str:
    return short(value, most=6 if abs(value) >= 1e-4 else 12)
