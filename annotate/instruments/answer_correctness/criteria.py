"""The criteria, and the three possible answers about a paragraph.

A paragraph shows that the answer is correct, incorrect, or neither (Chaganty et al. 2018, appendix
A.2).
"""

from django.utils.translation import gettext_lazy as _

from annotate.instruments.base import Criterion, Level

ANY_CORRECT = Criterion(
    "any_correct", low=0, high=1, label="Any correct", is_yes_no=True, balance=0.14
)
AVG_CORRECT = Criterion("avg_correct", low=0, high=1, label="Average correct", balance=0.10)
ALL = (ANY_CORRECT, AVG_CORRECT)

CORRECT, NEITHER, INCORRECT = 1, 0, -1
VERDICTS = (
    Level(CORRECT, _("The answer is correct"), _("It says so, or implies it")),
    Level(NEITHER, _("Neither"), _("It leaves the answer open")),
    Level(INCORRECT, _("The answer is incorrect"), _("It rules the answer out")),
)
