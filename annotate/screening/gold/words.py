"""Texts about gold items, as those of screens."""

from django.utils.translation import gettext_lazy

from annotate.screening.words import ForReviewers, Numbers, ScreenAxis
from annotate.text.figures import count, percent


def _wrong(said: Numbers) -> int:
    return round(said.numbers.get("wrong") or 0)


def _limit(said: Numbers) -> str:
    honest = said.numbers.get("by_honest") or 0.0
    share = percent(honest, 1) if honest >= 0.001 else "under 0.1\u00a0%"
    return f"Of people who work with care, {share} miss as many."


FOR_REVIEWERS = ForReviewers(
    "Gold items",
    "tasks whose right answer is known",
    "tasks with a known answer missed",
    big=lambda said: f"{count(_wrong(said))} of {count(said.n)}",
    detail=lambda _said: "",
    limit=_limit,
    axis=lambda _values: ScreenAxis(0, 1, percent, flags_above=True),
)
NOTICED = gettext_lazy("wrong answers to tasks whose right answer is known")
