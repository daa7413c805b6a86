"""What is kept of the signals of an annotator's page: counts and keyed hashes, nothing else."""

import secrets
from dataclasses import dataclass, replace
from typing import Any

from annotate.models import Campaign, SignalKey
from annotate.screening.signals import hashed, screen_of, sent, signals_on

KEY = 32  # bytes


@dataclass(frozen=True)
class PageSent:
    """What came with a submit beside the response. None of it is stored as it is.

    signals: whatever the page sent. network: the address of the connection. agent: the browser's
    description of itself. "" if unknown.
    """

    signals: Any = None
    network: str = ""
    agent: str = ""


def begin(campaign: Campaign) -> None:
    """Make the key of a campaign that opens, if its settings ask for signals. Safe to repeat."""
    if signals_on(campaign.screening):
        SignalKey.objects.get_or_create(
            campaign=campaign, defaults={"key": secrets.token_bytes(KEY)}
        )


def counted(key: bytes | None, page: PageSent | None) -> dict[str, Any] | None:
    """Return what is stored of a task; None where signals are off or the page sent none.

    Nothing that a page sends raises an error here, so no judgment is lost by it.
    """
    counts = None if page is None or key is None else sent(page.signals)
    if counts is None or page is None or key is None:
        return None
    device = f"{page.agent}\n{screen_of(page.signals)}" if page.agent else ""
    return replace(
        counts,
        network=hashed(key, "network", page.network),
        device=hashed(key, "device", device),
    ).as_data()
