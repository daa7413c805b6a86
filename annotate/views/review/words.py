"""The screens in words and numbers, for reviewers."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from annotate.screening.base import PAUSED, ForReviewers, Numbers, ScreenAxis
from annotate.screening.gold import FOR_REVIEWERS as GOLD_REVIEWERS
from annotate.screening.gold import GOLD
from annotate.screening.screens import SCREENS
from annotate.selectors.review import records
from annotate.selectors.review.records import Fired
from annotate.selectors.review.screens import Look, Screened
from annotate.text.figures import many, number, seconds, series
from annotate.views.review import plots
from annotate.views.review.plots import Bars, Strip

MOST_DRAWN = 2000  # a strip of more has the same shape: it has some 45 columns of dots


@dataclass(frozen=True)
class Told:
    """One screen about one annotator, ready to be shown."""

    screen: str
    title: str
    state: str  # flagged, listed, flagged_before, listed_before, passed, little
    big: str
    unit: str
    detail: str
    limit: str
    n: int
    strip: Strip


def _words(screen: str) -> ForReviewers:
    """Return the words of a screen, also of one that an earlier version had."""
    if screen in SCREENS:
        return SCREENS[screen].reviewers
    if screen == GOLD:
        return GOLD_REVIEWERS
    return ForReviewers(
        title=screen.replace("_", " ").capitalize(),
        looks_at="",
        unit="by a screen that is no longer in use",
        big=lambda said: number(said.value),
        detail=lambda _said: "",
        limit=lambda said: f"Its threshold was {number(said.threshold)}.",
        axis=lambda values: ScreenAxis(min(values), max(values) + 1e-9, number, flags_above=True),
    )


def title(screen: str) -> str:
    return _words(screen).title


def looked_at() -> str:
    """Return the signs that the screens look at, in a list."""
    return series(screen.reviewers.looks_at for screen in SCREENS.values())


def brief(said: Numbers) -> str:
    """One flag in a line: `Too fast: 13 s median active time. Flags below …`."""
    words = _words(said.screen)
    return f"{words.big(said)} {words.unit}. {words.limit(said)}"


def flags(fired: Iterable[Fired]) -> list[tuple[str, str]]:
    """Return the title and line of each sign, with its latest numbers."""
    return [(title(flag.screen), brief(flag)) for flag in records.signs(fired)]


def told(look: Look, *, fired: Mapping[str, bool]) -> list[Told]:
    """Every screen of a look; `fired`: those that have flagged this annotator at some time, and
    whether that paused them."""
    ordered = sorted(look.screens, key=lambda one: not _flagged(one, fired))
    return [_told(one, fired) for one in ordered]


def _flagged(one: Screened, fired: Mapping[str, bool]) -> bool:
    return one.verdict.flagged or one.verdict.screen in fired


def _told(one: Screened, fired: Mapping[str, bool]) -> Told:
    verdict = one.verdict
    words = _words(verdict.screen)
    if verdict.flagged:
        state = "flagged" if verdict.tier == PAUSED else "listed"
    elif verdict.screen in fired:
        state = "flagged_before" if fired[verdict.screen] else "listed_before"
    else:
        state = "passed" if verdict.enough else "little"
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


def _detail(words: ForReviewers, said: Numbers) -> str:
    return "Nothing to go by yet." if said.value is None else words.detail(said)


def _strip(words: ForReviewers, one: Screened) -> Strip:
    verdict = one.verdict

    def onto(value: float | None) -> float | None:
        return None if value is None else words.onto(value)

    others = [words.onto(value) for value in _drawn(one.others)]
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


def _drawn(others: Sequence[float]) -> Sequence[float]:
    """Return at most `MOST_DRAWN` of these ascending values, evenly by rank, with both ends."""
    if len(others) <= MOST_DRAWN:
        return others
    last, steps = len(others) - 1, MOST_DRAWN - 1
    return [others[i * last // steps] for i in range(MOST_DRAWN)]


def _place(own: float | None, others: Sequence[float]) -> str:
    if own is None or not others:
        return "There is no one to compare with."
    below, above = bisect_left(others, own), len(others) - bisect_right(others, own)
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
