"""Texts about answers that follow a pattern."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.screening.sequence.finding import Sequence
from annotate.screening.words import ForAnnotators, ForReviewers, Numbers, ScreenAxis, Told, odds
from annotate.text.figures import many

FOR_REVIEWERS = ForReviewers(
    "Answer pattern",
    "answers by turns",
    "odds of a pattern against a random order",
    big=lambda said: odds(said.value),
    detail=lambda said: f"From the order of answers in {many(said.n, 'judgment')}.",
    limit=lambda said: f"Pauses only from {odds(said.threshold)}.",
    axis=lambda _values: ScreenAxis(-4, 4, odds, flags_above=True),
)


def _notice(found: Numbers, own: Sequence, *, paragraphs: bool) -> Told:
    said = _("Texts come in random order, but your answers follow each other in a pattern.")
    return _("Your answers follow a pattern"), [said]


FOR_ANNOTATORS = ForAnnotators(gettext_lazy("answers that follow a pattern"), _notice)
