"""Amazon Mechanical Turk as one of the crowds."""

from decimal import Decimal
from functools import lru_cache

from annotate.crowds.base import Marketplace
from annotate.crowds.crowd import Crowd, Setting
from annotate.crowds.prices import CENT, Tariff


def make(setting: Setting) -> Marketplace:
    return _mturk(
        setting("MTURK_ENVIRONMENT"), setting("MTURK_ENDPOINT_URL"), setting("MTURK_WORKER_URL")
    )


@lru_cache(maxsize=8)
def _mturk(environment: str, endpoint_url: str, worker_url: str) -> Marketplace:
    from annotate.crowds.mturk.marketplace import MTurk  # importing boto3 takes time

    return MTurk(environment, endpoint_url=endpoint_url, worker_url=worker_url)


MTURK = Crowd(
    "mturk",
    "Amazon Mechanical Turk",
    "published and paid there, in batches",
    # At least a cent per payment.
    Tariff(Decimal("0.2"), least=CENT),
    make,
    settings={
        "MTURK_ENVIRONMENT": "sandbox",  # or "production"
        "MTURK_ENDPOINT_URL": "",  # of another compatible server
        # Where that server frames pages and receives submissions, if at another address.
        "MTURK_WORKER_URL": "",
    },
    not_asked=("languages",),
)
