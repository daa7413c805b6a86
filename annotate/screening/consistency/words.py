"""Texts about ratings that do not go with the own edits."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotate.screening.consistency.finding import Consistency
from annotate.screening.words import ForAnnotators, ForReviewers, Numbers, ScreenAxis, Told
from annotate.text.figures import number

FOR_REVIEWERS = ForReviewers(
    "Own consistency",
    "ratings against own edits",
    "how far ratings go with own edits",
    big=lambda said: number(said.value),
    detail=lambda said: "0: worse ratings do not come with larger edits. 1: as is usual here.",
    limit=lambda said: f"Pauses only below {number(said.threshold)}.",
    axis=lambda values: ScreenAxis(
        min(-0.5, *values), max(1.5, *values), number, flags_above=False
    ),
)


def _notice(found: Numbers, own: Consistency, *, paragraphs: bool) -> Told:
    sentences = []
    if found.value is not None:
        said = _(
            "People usually change more in texts that they rate lower. On a scale where 0 is not "
            "at all and 1 is usual here, you are at %(value)s."
        )
        sentences.append(said % {"value": number(found.value)})
    return _("Your ratings do not go with your own edits"), sentences


FOR_ANNOTATORS = ForAnnotators(gettext_lazy("ratings that do not go with one’s own edits"), _notice)
