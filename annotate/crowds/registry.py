"""The crowds that people can come from. A new one is a folder and a line here."""

from dataclasses import replace
from decimal import Decimal

from annotate.crowds.contract import Crowd
from annotate.crowds.link import LINK_CROWD
from annotate.crowds.mturk.client import MTURK
from annotate.crowds.prices import Tariff
from annotate.crowds.prolific.studies import PROLIFIC

CROWDS: dict[str, Crowd] = {crowd.key: crowd for crowd in (LINK_CROWD, MTURK, PROLIFIC)}


# What each crowd charges, and at which share.


def tariffs_of(crowd: str, share: Decimal | None = None) -> Tariff:
    """Return a crowd's tariff. `share` is the account's own, if it differs from the usual one."""
    usual = CROWDS[crowd].tariff
    return usual if share is None else replace(usual, share=share)


def usual_share(crowd: str) -> Decimal:
    """Return the usual fee of a crowd, as a share of what people are paid."""
    return CROWDS[crowd].tariff.share
