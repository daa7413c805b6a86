"""Texts about work that took little time."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.screening.timing.finding import Timing
from annotate.screening.words import (
    ForAnnotators,
    ForReviewers,
    Numbers,
    ScreenAxis,
    Task,
    Told,
    within,
)
from annotate.text.figures import number, percent, seconds


def _times(value: float) -> str:
    return f"{value:.2g}×" if value < 9.5 else f"{value:.0f}×"


def _detail(said: Numbers) -> str:
    others = said.numbers.get("others_seconds")
    beside = f"Others take {seconds(others)}." if others is not None else ""
    before = said.numbers.get("seconds_before")
    earlier = f" Their own tasks before took {seconds(before)}." if before is not None else ""
    interval = within(said, lambda value: "–" if value is None else _times(value))
    return f"{interval}{beside}{earlier}".strip()


def _limit(said: Numbers) -> str:
    return (
        f"{'–' if said.value is None else _times(said.value)} of the reading time. Flagged if "
        f"clearly below {_times(said.threshold)} and either far less than the others take, or "
        "faster than anybody can read."
    )


FOR_REVIEWERS = ForReviewers(
    "Too fast",
    "reading time",
    "median active time",
    big=lambda said: seconds(said.numbers.get("seconds")),
    detail=_detail,
    limit=_limit,
    axis=lambda values: ScreenAxis(0, min(10.0, max(3.0, *values)), _times, flags_above=False),
)


def _notice(found: Numbers, own: Timing, *, paragraphs: bool) -> Told:
    speed = own.scanning if paragraphs else own.words_per_minute
    sentences = []
    mine, others = found.numbers.get("seconds"), found.numbers.get("others_seconds")
    if mine is not None and others is not None:
        said = _("Half of your tasks took less than %(mine)s seconds; %(others)s is usual here.")
        sentences.append(said % {"mine": number(mine, 0), "others": number(others, 0)})
    if found.value is not None:
        said = _("That is %(share)s of the time that reading takes at %(speed)d words a minute.")
        sentences.append(said % {"share": percent(found.value), "speed": speed})
    limit = _(
        "We look at work that stays below that reading time and below %(share)s of what is usual, "
        "or that is faster than anybody can read."
    )
    return _("Your tasks took little time"), [*sentences, limit % {"share": percent(own.share)}]


def _evidence(task: Task) -> str:
    return _("%(seconds)s seconds") % {
        "seconds": number(task.seconds, 0 if task.seconds >= 10 else 1)
    }


FOR_ANNOTATORS = ForAnnotators(gettext_lazy("less time than reading takes"), _notice, _evidence)
