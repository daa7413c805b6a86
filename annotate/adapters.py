"""The crowds that this installation can reach, made from its settings."""

from functools import lru_cache
from typing import TYPE_CHECKING

from django.conf import settings

from annotate.crowds.base import Configuration, Entry, Marketplace
from annotate.crowds.link import LINK

if TYPE_CHECKING:
    from annotate.crowds.prolific.marketplace import Prolific

LABELS = {"link": "Invitation links", "mturk": "Amazon Mechanical Turk", "prolific": "Prolific"}
MARKETPLACES = ("mturk", "prolific")
# Whose full postings go on when a place of them is free again, unless they were stopped.
REOPENING = ("prolific",)


def entry(crowd: str) -> Entry:
    """Return the way in from a crowd."""
    return LINK if crowd == LINK.key else marketplace(crowd)


def marketplace(crowd: str) -> Marketplace:
    """Return the adapter of a crowd in the environment of the settings.

    Raises `Configuration` for a crowd that publishes nothing or that the settings do not name.
    Nothing is called and no credential is looked for before the first use.
    """
    if crowd == "mturk":
        return _mturk(
            settings.MTURK_ENVIRONMENT, settings.MTURK_ENDPOINT_URL, settings.MTURK_WORKER_URL
        )
    if crowd == "prolific":
        return prolific()
    raise Configuration(f"{LABELS.get(crowd, crowd)} does not publish work or pay annotators.")


def prolific() -> "Prolific":
    return _prolific(
        settings.PROLIFIC_BASE_URL, settings.PROLIFIC_API_TOKEN, settings.PROLIFIC_WEBHOOK_SECRET
    )


@lru_cache(maxsize=8)
def _mturk(environment: str, endpoint_url: str, worker_url: str) -> Marketplace:
    from annotate.crowds.mturk.marketplace import MTurk  # boto3 takes its time

    return MTurk(environment, endpoint_url=endpoint_url, worker_url=worker_url)


@lru_cache(maxsize=8)
def _prolific(base_url: str, api_token: str, webhook_secret: str) -> "Prolific":
    from annotate.crowds.prolific.marketplace import Prolific

    return Prolific(base_url=base_url, api_token=api_token, webhook_secret=webhook_secret)
