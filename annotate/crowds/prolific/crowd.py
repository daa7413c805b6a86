"""Prolific as one of the crowds."""

from decimal import ROUND_CEILING, Decimal
from functools import lru_cache
from typing import TYPE_CHECKING

from annotate.crowds.crowd import Crowd, Setting
from annotate.crowds.prices import Tariff

if TYPE_CHECKING:
    from annotate.crowds.prolific.marketplace import Prolific


def make(setting: Setting) -> "Prolific":
    return _prolific(
        setting("PROLIFIC_BASE_URL"),
        setting("PROLIFIC_API_TOKEN"),
        setting("PROLIFIC_WEBHOOK_SECRET"),
    )


@lru_cache(maxsize=8)
def _prolific(base_url: str, api_token: str, webhook_secret: str) -> "Prolific":
    from annotate.crowds.prolific.marketplace import Prolific

    return Prolific(base_url=base_url, api_token=api_token, webhook_secret=webhook_secret)


PROLIFIC = Crowd(
    "prolific",
    "Prolific",
    "published and paid there, in batches",
    # A third, and 20 % tax on it. Its rounding is not documented, so each fee is rounded up.
    Tariff(Decimal("0.4"), rounding=ROUND_CEILING),
    make,
    settings={
        "PROLIFIC_BASE_URL": "https://api.prolific.com",
        "PROLIFIC_API_TOKEN": "",
        "PROLIFIC_WEBHOOK_SECRET": "",
    },
    reopens=True,
    # It always approves after 21 days.
    not_asked=("keywords", "auto_approval"),
)
