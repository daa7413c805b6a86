"""The crowds that people can come from, and their adapters, made from the settings.

A new crowd is a folder and an entry here. Adapters are imported when they are made, because boto3
takes time.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from decimal import ROUND_CEILING, Decimal
from functools import lru_cache
from typing import cast

from django.conf import settings

from annotate.common import tokens
from annotate.crowds.contract import (
    Capabilities,
    Claim,
    Configuration,
    Crowd,
    Entry,
    Marketplace,
)
from annotate.crowds.prices import MTURK_TARIFF, Tariff


class Link:
    """Plain links for colleagues, students and volunteers. We sign the invitation."""

    key = "link"
    label = "Invitation links"
    environment = "live"
    can = Capabilities()
    refusal_limit = timedelta(days=30)  # after that, people can rely on their pay

    def parse_entry(self, params: Mapping[str, str]) -> Claim:
        campaign_id, person, links = tokens.read_invitation(params.get("invitation", ""))
        return Claim(campaign_id, person, links=links)

    def verify_claim(self, claim: Claim) -> bool:
        """Return True: our own signature confirms the claim."""
        return True

    def frame_policy(self) -> dict[str, list[str]]:
        """Allow any site to frame these pages: they use no cookie, the token is in the address."""
        return {"frame-ancestors": ["*"], "form-action": ["'self'"]}


LINK = Link()


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
        lambda: LINK,
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


def setting(name: str) -> str:
    """Return the value of a crowd's setting."""
    return str(getattr(settings, name))


def crowd_label(crowd: str) -> str:
    """Return the name of a crowd as people know it; of one that is gone, its key."""
    return CROWDS[crowd].label if crowd in CROWDS else crowd


def publishes(crowd: str) -> bool:
    """Whether a crowd publishes work and pays for it."""
    return crowd in CROWDS and CROWDS[crowd].publishes


def reopening() -> tuple[str, ...]:
    """Return the crowds whose full postings go on when a place of them is free again."""
    return tuple(crowd.key for crowd in CROWDS.values() if crowd.reopens)


def entry(crowd: str) -> Entry:
    """Return the way in from a crowd."""
    if crowd in CROWDS and not publishes(crowd):
        return _adapter(CROWDS[crowd].make)
    return marketplace(crowd)


def marketplace(crowd: str) -> Marketplace:
    """Return the adapter of a crowd in the environment of the settings.

    Raises `Configuration` for a crowd that publishes nothing or that the settings do not name.
    Nothing is called and no credential is looked for before the first use.
    """
    if not publishes(crowd):
        raise Configuration(f"{crowd_label(crowd)} does not publish work or pay annotators.")
    made = _adapter(CROWDS[crowd].make, *map(setting, CROWDS[crowd].settings))
    return cast(Marketplace, made)


@lru_cache(maxsize=16)
def _adapter(make: Callable[..., Entry], *settings: str) -> Entry:
    return make(*settings)


# The environment of a crowd in the settings: production, a sandbox, or a private server.


REAL = ("production", "live")


@dataclass(frozen=True)
class CrowdEnvironment:
    """Where batches are launched now. `problem`: why that is unknown, and what to do."""

    crowd: str
    label: str
    environment: str
    problem: str = ""

    @property
    def is_real(self) -> bool:
        """Return whether real people work there for real money."""
        return self.environment in REAL

    @property
    def is_local(self) -> bool:
        """Return whether it is a private server and not the crowd's."""
        return bool(self.environment) and not self.is_real and self.environment != "sandbox"

    @property
    def place(self) -> str:
        """Return words that follow “Launch”."""
        if self.environment == "sandbox":
            return "in the sandbox"
        return f"on {self.environment}" if self.environment != "live" else f"on {self.label}"


def world_of_posting(crowd: str, environment: str = "") -> CrowdEnvironment:
    """Return the environment of this crowd's settings, or the one named by `environment`."""
    label = crowd_label(crowd)
    if environment:
        return CrowdEnvironment(crowd, label, environment)
    try:
        return CrowdEnvironment(crowd, label, marketplace(crowd).environment)
    except Configuration as error:
        return CrowdEnvironment(crowd, label, "", error.message)
