"""Three questions of three levels each, and the edit: names, wording, scales.

Three levels because five raised the annotator variance (Chaganty et al. 2018, appendix A.1).
"""

from django.utils.translation import gettext_lazy as _

from annotate.instruments.base import Criterion, Level

BEST = 1

FLUENCY = Criterion(
    "fluency",
    low=-1,
    high=1,
    label=_("Fluency"),
    question=_("Does it read as natural, correct language?"),
    levels=(
        Level(1, _("Fluent"), _("No errors, or one slip you read past")),
        Level(0, _("Partly fluent"), _("Errors, but the meaning is always clear")),
        Level(-1, _("Not fluent"), _("Some of it you have to guess")),
    ),
)
REDUNDANCY = Criterion(
    "redundancy",
    low=-1,
    high=1,
    label=_("Redundancy"),
    question=_("Is anything said more often than needed?"),
    levels=(
        Level(1, _("Little or none"), _("Every sentence adds something")),
        Level(0, _("Some"), _("A phrase or a name comes back")),
        Level(-1, _("A lot"), _("Whole sentences could simply go")),
    ),
)
OVERALL = Criterion(
    "overall",
    low=-1,
    high=1,
    label=_("Overall"),
    question=_("How good is the text as a whole?"),
    levels=(
        Level(1, _("Good"), _("You would publish it as it stands")),
        Level(0, _("Middling"), _("Fine after a short correction")),
        Level(-1, _("Poor"), _("You would write it again")),
    ),
)
EDIT = Criterion(
    "edit",
    low=0,
    high=2,
    bounded=False,
    higher_is_better=False,
    label=_("Edit"),
    question=_("Words changed to make the text good, as a share of its words (HTER)"),
)
ASKED = (FLUENCY, REDUNDANCY, OVERALL)
ALL = (*ASKED, EDIT)
