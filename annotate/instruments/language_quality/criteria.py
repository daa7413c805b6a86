"""Three questions of three levels each, and the edit: names, wording, scales.

There are three levels because five raised the annotator variance (Chaganty et al. 2018, appendix
A.1).
"""

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from annotate.instruments.rating.definition import EDIT, HTER, Choice, question

IMPROVE = (EDIT,)
FAIR = pgettext_lazy("quality of a text", "Fair")

FLUENCY = question(
    "fluency",
    Choice(1, _("Fluent"), _("No errors, or one slip you read past")),
    Choice(0, _("Partly fluent"), _("Errors, but the meaning is always clear"), IMPROVE),
    Choice(-1, _("Not fluent"), _("You have to guess, or it makes no sense"), IMPROVE),
    label=_("Fluency"),
    ask=_("Does it read as natural, correct language?"),
)
REDUNDANCY = question(
    "redundancy",
    Choice(1, _("Little or none"), _("Nothing is repeated without need")),
    Choice(0, _("Some"), _("A phrase or a name is repeated"), IMPROVE),
    Choice(-1, _("A lot"), _("Whole sentences could be cut"), IMPROVE),
    label=_("Redundancy"),
    ask=_("Is anything said more often than needed?"),
    balance=0.07,
    person_share=0.06,
)
OVERALL = question(
    "overall",
    Choice(1, _("Good"), _("You would publish it as it stands")),
    Choice(
        0, pgettext_lazy("quality of a text", "Fair"), _("Fine after a short correction"), IMPROVE
    ),
    Choice(-1, _("Poor"), _("You would rewrite it from scratch"), IMPROVE),
    label=_("Overall"),
    ask=_("How good is the text as a whole?"),
    balance=0.16,
)
ASKED = (FLUENCY, REDUNDANCY, OVERALL)
ALL = (*ASKED, HTER)
