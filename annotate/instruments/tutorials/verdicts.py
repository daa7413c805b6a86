"""The three answers that a paragraph of an evidence question can get."""

from django.utils.translation import gettext_lazy as _

from annotate.instruments.tutorials.content import Option

VERDICTS = (
    Option(1, _("That it is correct"), _("It says so, or you can work it out from it")),
    Option(0, _("Neither"), _("It leaves the answer open")),
    Option(-1, _("That it is incorrect"), _("What it says and the answer cannot both hold")),
)
