"""The crowds that people can come from. A new one is a folder and an entry here.

Adapters are imported when they are made, because boto3 takes time.
"""

from dataclasses import replace
from decimal import ROUND_CEILING, Decimal

from annotate.crowds.contract import Crowd, Entry, Marketplace
from annotate.crowds.link import LINK
from annotate.crowds.prices import MTURK_TARIFF, Tariff


def _link() -> Entry:
    return LINK


def _mturk(environment: str, endpoint_url: str, worker_url: str) -> Marketplace:
    from annotate.crowds.mturk.marketplace import MTurk

    return MTurk(environment, endpoint_url=endpoint_url, worker_url=worker_url)


def _prolific(base_url: str, api_token: str, webhook_secret: str) -> Marketplace:
    from annotate.crowds.prolific.marketplace import Prolific

    return Prolific(base_url=base_url, api_token=api_token, webhook_secret=webhook_secret)


CROWDS = {
    "link": Crowd(
        "link",
        "Invitation links",
        "colleagues, students, volunteers; paid by hand, or unpaid",
        Tariff(Decimal(0), whole_units=False),
        _link,
        publishes=False,
    ),
    "mturk": Crowd(
        "mturk",
        "Amazon Mechanical Turk",
        "published and paid there, in batches",
        MTURK_TARIFF,
        _mturk,
        settings={
            "MTURK_ENVIRONMENT": "sandbox",  # or "production"
            "MTURK_ENDPOINT_URL": "",  # of another compatible server
            # Where that server frames pages and receives submissions, if at another address.
            "MTURK_WORKER_URL": "",
        },
        not_asked=("languages",),
    ),
    "prolific": Crowd(
        "prolific",
        "Prolific",
        "published and paid there, in batches",
        # A third, and 20 % tax on it. Its rounding is not documented, so each fee is rounded up.
        Tariff(Decimal("0.4"), rounding=ROUND_CEILING),
        _prolific,
        settings={
            "PROLIFIC_BASE_URL": "https://api.prolific.com",
            "PROLIFIC_API_TOKEN": "",
            "PROLIFIC_WEBHOOK_SECRET": "",
        },
        reopens=True,
        not_asked=("keywords", "auto_approval"),  # it always approves after 21 days
    ),
}


def tariffs_of(crowd: str, share: Decimal | None = None) -> Tariff:
    """Return a crowd's tariff. `share` is the account's own, if it differs from the usual one."""
    usual = CROWDS[crowd].tariff
    return usual if share is None else replace(usual, share=share)


def usual_share(crowd: str) -> Decimal:
    """Return the usual fee of a crowd, as a share of what people are paid."""
    return CROWDS[crowd].tariff.share
