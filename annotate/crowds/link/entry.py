"""Plain links for colleagues, students and volunteers. We sign the invitation."""

from collections.abc import Mapping
from datetime import timedelta

from annotate import tokens
from annotate.crowds.base import Capabilities, Claim, Done, FramePolicy, InvalidEntry, Leaving
from annotate.errors import ServiceError


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
