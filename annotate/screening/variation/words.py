"""Texts about answers that are nearly always the same."""

from math import log10

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.screening.variation.finding import Variation
from annotate.screening.words import ForAnnotators, ForReviewers, Numbers, ScreenAxis, Told
from annotate.text.figures import count, number, percent

LEAST_P = 1e-6  # what the axis of probabilities ends at


def _probability(value: float | None) -> str:
    if value is None:
        return "–"
    if value > 2 / 3:
        return "Most"
    if value < LEAST_P:
        return "under 1 in a million"
    return f"1 in {count(int(float(f'{1 / value:.2g}')))}"


def _detail(said: Numbers) -> str:
    run, share = said.numbers.get("longest_run"), said.numbers.get("modal_share")
    if not share:
        return ""
    longest = f" Longest run of one answer: {run:.0f}." if run else ""
    return f"Most frequent answer {percent(share)} of {said.n}.{longest}"


FOR_REVIEWERS = ForReviewers(
    "No variation",
    "uniform answers",
    "honest people would answer this uniformly",
    big=lambda said: _probability(said.value),
    detail=_detail,
    limit=lambda said: f"Pauses only from {_probability(said.threshold)} down.",
    axis=lambda _values: ScreenAxis(0, 6, lambda at: _probability(10**-at), flags_above=True),
    onto=lambda value: -log10(max(value, LEAST_P)),
)


def _notice(found: Numbers, own: Variation, *, paragraphs: bool) -> Told:
    sentences = []
    share, run = found.numbers.get("modal_share"), found.numbers.get("longest_run")
    if share is not None and run is not None:
        said = _("You gave the same answers in %(share)s of your tasks, up to %(run)s in a row.")
        sentences.append(said % {"share": percent(share), "run": number(run, 0)})
    limit = _(
        "We look at work in which one answer comes up so often that this is rare among people who "
        "look at each text."
    )
    sentences.append(limit)
    return _("You nearly always gave the same answers"), sentences


FOR_ANNOTATORS = ForAnnotators(gettext_lazy("the same answers again and again"), _notice)
