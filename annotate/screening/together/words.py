"""Texts about several signs that are weak alone."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.screening.together.finding import SeveralSigns
from annotate.screening.words import ForAnnotators, ForReviewers, Numbers, ScreenAxis, Told
from annotate.text.figures import number

FOR_REVIEWERS = ForReviewers(
    "Several signs",
    "all signs together",
    "sum of the evidence of all screens",
    big=lambda said: number(said.value),
    detail=lambda said: "Each point makes an honest person ten times less likely.",
    limit=lambda said: f"Pauses only from {number(said.threshold)}.",
    axis=lambda values: ScreenAxis(0, max(10.0, *values), number, flags_above=True),
)


def _notice(found: Numbers, own: SeveralSigns, *, paragraphs: bool) -> Told:
    said = _("No single number is far from the usual, but several are at the same time.")
    return _("Several things in your work are unusual"), [said]


FOR_ANNOTATORS = ForAnnotators(gettext_lazy("several unusual things at once"), _notice)
