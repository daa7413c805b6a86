"""Plain links for colleagues, students and volunteers. We sign the invitation."""

from collections.abc import Mapping
from datetime import timedelta
from decimal import Decimal

from annotate.common import tokens
from annotate.common.errors import ServiceError
from annotate.crowds.contract import (
    Capabilities,
    Claim,
    Crowd,
    Done,
    Entry,
    FramePolicy,
    InvalidEntry,
    Leaving,
    Setting,
)
from annotate.crowds.prices import Tariff


class Link:
    key = "link"
    label = "Invitation links"
    environment = "live"
    can = Capabilities(preview=True, iframe=True)
    refusal_limit = timedelta(days=30)  # after that, people can rely on their pay

    def parse_entry(self, params: Mapping[str, str]) -> Claim | InvalidEntry:
        try:
            campaign_id, person, links = tokens.read_invitation(params.get("invitation", ""))
        except ServiceError as error:
            return InvalidEntry(error.message, error.status)
        return Claim(campaign_id, person, links=links)

    def verify_claim(self, claim: Claim) -> bool:
        """Return True: our own signature confirms the claim."""
        return True

    def completion(self, leaving: Leaving) -> Done:
        """Return the pseudonym. Pay-out lists and exports show it, so it can be checked by hand."""
        return Done(leaving.pseudonym)

    def frame_policy(self) -> FramePolicy:
        """Allow any site to frame these pages: they use no cookie, the token is in the address."""
        return FramePolicy(frame_ancestors=("*",), form_action=("'self'",))


LINK = Link()


# Invitation links as one of the crowds.


def make_crowd(setting: Setting) -> Entry:
    # Its tokens need the settings.

    return LINK


LINK_CROWD = Crowd(
    "link",
    "Invitation links",
    "colleagues, students, volunteers; paid by hand, or unpaid",
    Tariff(Decimal(0), whole_units=False),
    make_crowd,
    publishes=False,
)
