"""Texts about answers that seldom agree with the others'."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.screening.agreement.finding import AgreementThresholds
from annotate.screening.words import ForAnnotators, ForReviewers, Numbers, ScreenAxis, Told, within
from annotate.text.figures import number

FOR_REVIEWERS = ForReviewers(
    "Low agreement",
    "agreement with others",
    "agreement with others",
    big=lambda said: number(said.value),
    detail=lambda said: f"{within(said, number)}0 is chance, 1 what is usual here.",
    limit=lambda said: f"Flagged if certainly below {number(said.threshold)}.",
    axis=lambda values: ScreenAxis(
        min(-0.5, *values), max(1.5, *values), number, flags_above=False
    ),
)


def _notice(found: Numbers, own: AgreementThresholds, *, paragraphs: bool) -> Told:
    sentences = []
    if found.value is not None:
        said = _(
            "On a scale where 0 is chance and 1 is how far people here usually agree, yours is "
            "%(value)s."
        )
        sentences.append(said % {"value": number(found.value)})
    limit = _("We look at work whose agreement is clearly below %(threshold)s.")
    sentences.append(limit % {"threshold": number(own.threshold)})
    return _("Your answers rarely match those of other people for the same texts"), sentences


FOR_ANNOTATORS = ForAnnotators(gettext_lazy("answers that rarely go with other people’s"), _notice)
