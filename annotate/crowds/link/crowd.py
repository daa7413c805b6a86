"""Invitation links as one of the crowds."""

from decimal import Decimal

from annotate.crowds.base import Entry
from annotate.crowds.crowd import Crowd, Setting
from annotate.crowds.prices import Tariff


def make(setting: Setting) -> Entry:
    from annotate.crowds.link.entry import LINK  # its tokens need the settings

    return LINK


LINK = Crowd(
    "link",
    "Invitation links",
    "colleagues, students, volunteers; paid by hand, or unpaid",
    Tariff(Decimal(0), whole_units=False),
    make,
    publishes=False,
)
