"""The screens that exist, their settings, and running them over one campaign."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, fields
from inspect import cleandoc
from typing import Annotated, Any, TypeVar

import numpy as np
from pydantic import Field

from annotate.common.numbers import short
from annotate.common.schemas import (
    Fault,
    Problem,
    Refused,
    Several,
    problem_sentences_shown,
    read,
    suggestion,
)
from annotate.screening.agreement import LOW_AGREEMENT, unseen
from annotate.screening.base import (
    NOMINAL,
    Columns,
    CrowdThresholds,
    Cutoffs,
    Screen,
    ScreenFinding,
    SettingsError,
    Thresholds,
    Verdict,
    added,
    between,
    last,
    verdicts,
)
from annotate.screening.edits import OWN_CONSISTENCY, SHORT_EDITS, THIN_EVIDENCE
from annotate.screening.gold import GOLD, KnownAnswers
from annotate.screening.patterns import ANSWER_PATTERN, RANDOM_ANSWERS
from annotate.screening.signals import SIGNALS, SignalThresholds
from annotate.screening.speed import TOO_FAST, Timing, hurried
from annotate.screening.uniform import NO_VARIATION

SCREENS: dict[str, Screen[Any]] = {
    screen.key: screen
    for screen in (
        TOO_FAST,
        LOW_AGREEMENT,
        SHORT_EDITS,
        THIN_EVIDENCE,
        NO_VARIATION,
        RANDOM_ANSWERS,
        ANSWER_PATTERN,
        OWN_CONSISTENCY,
    )
}


# What earlier versions had. Stored settings and flags may name it; it does nothing.
RETIRED_SUM = "several_signs"
RETIRED_GROUPS = ("together",)
RETIRED_SETTINGS = {"patterns": ("slips", "per_combination", "information")}


def is_sum(screen: str) -> bool:
    """Return whether this screen, of an earlier version, added up the evidence of all others."""
    return screen == RETIRED_SUM


def n_signs(screens: Collection[str]) -> int:
    """Return how many different signs these screens are: their sum counts only alone."""
    return len({one for one in screens if not is_sum(one)}) or len(set(screens))


CROWD, FLAGS = "crowd", "flags"
T = TypeVar("T", bound=Thresholds)
Names = Annotated[Several[Annotated[str, Field(max_length=40)]], Field(max_length=100)]


class FlagSettings(Thresholds):
    """Which screens run, and what their flags do.

    off: the screens that do not run.
    list_only: the screens that list people, and never pause them.
    listed, paused: the share of honest people that all screens together list and pause, over all
        looks at a campaign.
    recent: the number of last judgments that screens also look at alone, and twice as many.
    """

    off: Names = ()
    list_only: Names = ()
    listed: float = between(0.0025, 0.0001, 0.1)
    paused: float = between(0.0003, 0.00001, 0.05)
    recent: int = between(8, 5, 100)

    def faults(self, context: Any) -> Iterator[Fault]:
        """Yield names that no screen has, and shares in the wrong order."""
        for field_ in ("off", "list_only"):
            for place, name in enumerate(getattr(self, field_)):
                if name not in SCREENS and not is_sum(name):
                    known = ", ".join(SCREENS)
                    message = f"Is not one of the screens {known}.{suggestion(name, SCREENS)}"
                    yield (field_, place), message
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
            if name in RETIRED_GROUPS:
                continue
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
        raise Refused([Problem(problem_sentences_shown(name), message)])
    if isinstance(values, Mapping):
        gone = RETIRED_SETTINGS.get(name, ())
        values = {key: value for key, value in values.items() if key not in gone}
    return read(kinds[name], values, at=(name,))


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
    for name, declared in kind.model_fields.items():
        ends = {
            key: getattr(one, key)
            for one in declared.metadata
            for key in ("ge", "le")
            if hasattr(one, key)
        }
        default = getattr(usual, name)
        yield DescribedSetting(
            group,
            name,
            _kind(declared.annotation),
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


WHOLE = ("screen", "people", "threshold", "numbers")


def measured(screen: Screen[Any], columns: Columns, settings: Settings) -> ScreenFinding:
    """Return what one screen measures, on all work or on the last judgments: what is strongest.

    The last ones are looked at, and twice as many: those show what is weak in each task.
    """
    own = settings.of(screen.thresholds)
    found = screen.find(columns, own, settings.crowd)
    for most in (settings.flags.recent, 2 * settings.flags.recent) if screen.recent else ():
        if (columns.judgments > most).any():
            recent = screen.find(last(columns, most), own, settings.crowd)
            found = _stronger(found, recent, most)
    return found


def _stronger(found: ScreenFinding, recent: ScreenFinding, most: int) -> ScreenFinding:
    """Return the stronger of two findings for each person; its number "recent" says which it is."""
    worse = recent.evidence > found.evidence
    mixed = {
        one.name: np.where(worse, getattr(recent, one.name), getattr(found, one.name))
        for one in fields(ScreenFinding)
        if one.name not in WHOLE
    }
    before = {"recent": np.zeros(worse.size)} | dict(found.numbers)
    now = dict(recent.numbers) | {"recent": np.full(worse.size, float(most))}
    numbers = {name: np.where(worse, now[name], column) for name, column in before.items()}
    return ScreenFinding(
        found.screen, found.people, threshold=found.threshold, numbers=numbers, **mixed
    )


def findings(columns: Columns, settings: Settings) -> list[ScreenFinding]:
    """Return what each screen that is on measures."""
    on = [screen for key, screen in SCREENS.items() if key not in settings.flags.off]
    columns = added(columns, hurried=hurried(columns, settings.of(Timing)))
    if LOW_AGREEMENT in on:
        columns = added(columns, unseen=unseen(columns, settings.crowd))
    return [measured(screen, columns, settings) for screen in on]


def run(
    screen: Screen[Any], columns: Columns, settings: Settings, cutoffs: Cutoffs = NOMINAL
) -> list[Verdict]:
    """Return the verdicts of one screen on every annotator, flagged or not."""
    return _judged(measured(screen, columns, settings), settings, cutoffs)


def screen_all(
    columns: Columns,
    settings: Settings | None = None,
    cutoffs: Cutoffs = NOMINAL,
    flagged_only: bool = False,
) -> list[Verdict]:
    """Return the verdicts of the screens on every annotator, flagged or not.

    Where a campaign does not collect a screen's data, there is none of this screen.
    flagged_only: return the verdicts that flag, which takes much less time in a large campaign.
    """
    chosen = settings or Settings()
    return [
        one
        for found in findings(columns, chosen)
        if found.n.any()
        for one in _judged(found, chosen, cutoffs, flagged_only)
    ]


def _judged(
    found: ScreenFinding, settings: Settings, cutoffs: Cutoffs, flagged_only: bool = False
) -> list[Verdict]:
    return verdicts(
        found,
        listed_at=cutoffs.listed(found.screen),
        paused_at=cutoffs.paused(found.screen),
        pauses=found.screen not in settings.flags.list_only,
        flagged_only=flagged_only,
    )
