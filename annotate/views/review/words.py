"""The screens in words and numbers, for reviewers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import log10
from typing import Protocol

from annotate.selectors.review.screens import Look, Screened
from annotate.text.figures import count, many, number, percent
from annotate.views.review import plots
from annotate.views.review.plots import Bars, Strip, StripAxis

LEAST_P = 1e-6  # what the axis of probabilities ends at


class Numbers(Protocol):
    """What a verdict and a flag have in common."""

    @property
    def screen(self) -> str: ...
    @property
    def value(self) -> float | None: ...
    @property
    def low(self) -> float | None: ...
    @property
    def high(self) -> float | None: ...
    @property
    def threshold(self) -> float: ...
    @property
    def n(self) -> int: ...
    @property
    def numbers(self) -> Mapping[str, float | None]: ...


@dataclass(frozen=True)
class Words:
    """How one screen speaks.

    big: its figure. unit: what that is. detail: what it was compared with. limit: the threshold.
    onto: the value's place on the axis; axis: from all values that are shown on it.
    """

    title: str
    unit: str
    big: Callable[[Numbers], str]
    detail: Callable[[Numbers], str]
    limit: Callable[[Numbers], str]
    axis: Callable[[list[float]], StripAxis]
    onto: Callable[[float], float] = lambda value: value


@dataclass(frozen=True)
class Told:
    """One screen about one annotator, ready to be shown."""

    screen: str
    title: str
    state: str  # flagged, flagged_before, passed, little
    big: str
    unit: str
    detail: str
    limit: str
    n: int
    strip: Strip


def seconds(value: float | None) -> str:
    """`13 s`, `4 min`; a dash for None."""
    if value is None:
        return "–"
    if value < 9.95:
        return f"{value:.1f}\u00a0s"
    return f"{value:.0f}\u00a0s" if value < 180 else f"{value / 60:.0f}\u00a0min"


def _times(value: float) -> str:
    return f"{value:.2g}×" if value < 9.5 else f"{value:.0f}×"


def _within(said: Numbers, write: Callable[[float | None], str]) -> str:
    if said.low is None and said.high is None:
        return ""
    if said.low is None:
        return f"at most {write(said.high)} by its interval. "
    if said.high is None:
        return f"at least {write(said.low)} by its interval. "
    return f"between {write(said.low)} and {write(said.high)} by its interval. "


def _fast(said: Numbers) -> str:
    others = said.numbers.get("others_seconds")
    beside = f" Others take {seconds(others)}." if others is not None else ""
    within = _within(said, lambda value: "–" if value is None else _times(value))
    return f"{within[:1].upper()}{within[1:]}{beside}".replace("  ", " ").strip()


def _agreeing(said: Numbers) -> str:
    within = _within(said, number)
    return f"{within[:1].upper()}{within[1:]}0 is chance, 1 what is usual here."


def _short(said: Numbers) -> str:
    short, again = said.numbers.get("short") or 0, said.numbers.get("repeated") or 0
    within = _within(said, percent)
    return (
        f"{within[:1].upper()}{within[1:]}{short:.0f} short and {again:.0f} repeated of {said.n}."
    )


def _thin(said: Numbers) -> str:
    ways = {
        "one_word": "one word",
        "whole": "whole paragraphs",
        "disjoint": "apart from all others’",
    }
    shares = [
        f"{words} {percent(said.numbers[name])}"
        for name, words in ways.items()
        if said.numbers.get(name) is not None
    ]
    within = _within(said, percent)
    listed = ", ".join(shares)
    return f"{within[:1].upper()}{within[1:]}{listed[:1].upper()}{listed[1:]}."


def _uniform(said: Numbers) -> str:
    run, share = said.numbers.get("longest_run"), said.numbers.get("modal_share")
    if not share:
        return ""
    longest = f" Longest run of one answer: {run:.0f}." if run else ""
    return f"Most frequent answer {percent(share)} of {said.n}.{longest}"


def _combined(said: Numbers) -> str:
    """What it rests on, and why it compares nobody yet."""
    numbers = {name: value or 0.0 for name, value in said.numbers.items()}
    text = f"From the combinations of answers in {many(said.n, 'judgment')}."
    if (needed := numbers.get("others_needed", 0.0)) > numbers.get("others", 0.0):
        there = count(int(numbers["others"]))
        return f"{text} They are compared once others gave {count(int(needed))}; so far {there}."
    if numbers.get("information_needed", 0.0) > numbers.get("information", 0.0):
        return f"{text} Here, answers to one question say too little about those to the others."
    return text


def _probability(value: float | None) -> str:
    if value is None:
        return "–"
    if value >= 0.01:
        return f"{value:.2g}"
    if value < LEAST_P:
        return "under 1 in a million"
    return f"1 in {count(int(float(f'{1 / value:.2g}')))}"


def _odds(value: float | None) -> str:
    """Odds whose logarithm to base 10 is `value`."""
    if value is None:
        return "–"
    size = f"over {count(10**6)}" if abs(value) > 6 else count(round(10 ** abs(value)))
    return f"{size} : 1" if value >= 0 else f"1 : {size}"


def _log(value: float) -> float:
    return -log10(max(value, LEAST_P))


SCREENS = {
    "too_fast": Words(
        "Too fast",
        "median active time",
        big=lambda v: seconds(v.numbers.get("seconds")),
        detail=_fast,
        limit=lambda v: (
            f"{'–' if v.value is None else _times(v.value)} of the reading time. Flags where it is "
            f"clearly below {_times(v.threshold)} and far less than the others take."
        ),
        axis=lambda values: StripAxis(0, min(10.0, max(3.0, *values)), _times, flags_above=False),
    ),
    "low_agreement": Words(
        "Low agreement",
        "agreement with others",
        big=lambda v: number(v.value),
        detail=_agreeing,
        limit=lambda v: f"Flags where even the upper end is below {number(v.threshold)}.",
        axis=lambda values: StripAxis(
            min(-0.5, *values), max(1.5, *values), number, flags_above=False
        ),
    ),
    "short_edits": Words(
        "Short edits",
        "of required edits short or repeated",
        big=lambda v: percent(v.value),
        detail=_short,
        limit=lambda v: f"Flags where even the lower end is above {percent(v.threshold)}.",
        axis=lambda _values: StripAxis(0, 1, percent, flags_above=True),
    ),
    "thin_evidence": Words(
        "Thin evidence",
        "of judgments on thin highlights",
        big=lambda v: percent(v.value),
        detail=_thin,
        limit=lambda v: f"Flags where even the lower end is above {percent(v.threshold)}.",
        axis=lambda _values: StripAxis(0, 1, percent, flags_above=True),
    ),
    "no_variation": Words(
        "No variation",
        "probability of answers so uniform",
        big=lambda v: _probability(v.value),
        detail=_uniform,
        limit=lambda v: f"Flags from {_probability(v.threshold)} down.",
        axis=lambda _values: StripAxis(0, 6, lambda at: _probability(10**-at), flags_above=True),
        onto=_log,
    ),
    "random_answers": Words(
        "Random answers",
        "odds of random choice against a person",
        big=lambda v: _odds(v.value),
        detail=_combined,
        limit=lambda v: f"Flags from {_odds(v.threshold)}.",
        axis=lambda _values: StripAxis(-4, 4, _odds, flags_above=True),
    ),
}


def title(screen: str) -> str:
    return SCREENS[screen].title


def brief(said: Numbers) -> str:
    """One flag in a line: `Too fast: 13 s median active time. Flags below …`."""
    words = SCREENS[said.screen]
    return f"{words.big(said)} {words.unit}. {words.limit(said)}"


def told(look: Look, *, fired: frozenset[str]) -> list[Told]:
    """Every screen of a look; `fired`: those that have flagged this annotator at some time."""
    ordered = sorted(look.screens, key=lambda one: not _flagged(one, fired))
    return [_told(one, fired) for one in ordered]


def _flagged(one: Screened, fired: frozenset[str]) -> bool:
    return one.verdict.flagged or one.verdict.screen in fired


def _told(one: Screened, fired: frozenset[str]) -> Told:
    verdict = one.verdict
    words = SCREENS[verdict.screen]
    state = (
        "flagged"
        if verdict.flagged
        else "flagged_before"
        if verdict.screen in fired
        else "passed"
        if verdict.enough
        else "little"
    )
    return Told(
        verdict.screen,
        words.title,
        state,
        words.big(verdict),
        words.unit,
        _detail(words, verdict),
        words.limit(verdict),
        verdict.n,
        _strip(words, one),
    )


def _detail(words: Words, said: Numbers) -> str:
    return "Nothing to go by yet." if said.value is None else words.detail(said)


def _strip(words: Words, one: Screened) -> Strip:
    verdict = one.verdict

    def onto(value: float | None) -> float | None:
        return None if value is None else words.onto(value)

    others = [words.onto(value) for value in one.others]
    own = onto(verdict.value)
    # One extreme value does not squeeze the plot.
    usual = sorted(others)[: max(1, round(0.98 * len(others)))]
    low, high = onto(verdict.low), onto(verdict.high)
    return plots.strip(
        words.axis([*usual, *([] if own is None else [own]), words.onto(verdict.threshold)]),
        own=own,
        low=low,
        high=high,
        threshold=words.onto(verdict.threshold),
        others=others,
        label=f"{words.title}: this annotator {words.big(verdict)}, {words.limit(verdict)} "
        f"{_place(verdict.value, one.others)}",
    )


def _place(own: float | None, others: Sequence[float]) -> str:
    if own is None or not others:
        return "There is no one to compare with."
    below = sum(value < own for value in others)
    above = sum(value > own for value in others)
    return f"{below} of {len(others)} others lie lower, {above} higher."


def times(look: Look) -> Bars | None:
    """The active time of each judgment, beside what others usually take."""
    if look.times is None or not look.times.own:
        return None
    own = sorted(look.times.own)
    usual = look.times.others
    beside = f"; the others’ median is {seconds(usual)}" if usual is not None else ""
    span = seconds(own[0]) if len(own) == 1 else f"{seconds(own[0])} to {seconds(own[-1])}"
    label = f"Active time of {many(len(own), 'judgment')}: {span}{beside}"
    return plots.bars(look.times.own, usual=usual, label=label)
