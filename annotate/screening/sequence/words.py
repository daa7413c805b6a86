"""Texts about answers that follow a pattern."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.screening.sequence.finding import Sequence
from annotate.screening.words import (
    ForAnnotators,
    ForReviewers,
    Numbers,
    ScreenAxis,
    Told,
    odds,
    times,
)
from annotate.text.figures import many, percent


def _share(said: Numbers) -> float | None:
    """Return the share of the texts shown first, if it is the reason; None if a pattern is."""
    side, first = said.numbers.get("side"), said.numbers.get("first")
    if side is None or first is None or said.value is None:
        return None
    return first if side >= said.value else None


def _detail(said: Numbers) -> str:
    share = _share(said)
    if share is None:
        return f"From the order of answers in {many(said.n, 'judgment')}."
    return (
        f"Preferred the text shown first in {percent(share)} of the pairs without a tie, in "
        f"{many(said.n, 'judgment')}. The order is random."
    )


FOR_REVIEWERS = ForReviewers(
    "Answer pattern",
    "answers by turns",
    "to be a pattern than chance",
    big=lambda said: times(said.value),
    detail=_detail,
    limit=lambda said: f"Pauses only from {times(said.threshold)}.",
    axis=lambda _values: ScreenAxis(-4, 4, odds, flags_above=True),
)


def _notice(found: Numbers, own: Sequence, *, paragraphs: bool) -> Told:
    share = _share(found)
    if share is not None:
        said = _(
            "Which text is shown first is random. You preferred the first one in %(share)s of the "
            "pairs that were no tie."
        )
        return _("You nearly always preferred the same side"), [said % {"share": percent(share)}]
    said = _("Texts come in random order, but your answers follow each other in a pattern.")
    return _("Your answers follow a pattern"), [said]


FOR_ANNOTATORS = ForAnnotators(gettext_lazy("answers that follow a pattern"), _notice)
