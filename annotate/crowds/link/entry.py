"""Plain links: colleagues, students, volunteers. The invitation is signed by us."""

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
    refusal_limit = timedelta(days=30)  # then people can rely on their pay

    def parse_entry(self, params: Mapping[str, str]) -> Claim | InvalidEntry:
        try:
            campaign_id, person = tokens.read_invitation(params.get("invitation", ""))
        except ServiceError as error:
            return InvalidEntry(error.message, error.status)
        return Claim(campaign_id, person)

    def verify_claim(self, claim: Claim) -> bool:
        """Our own signature says it."""
        return True

    def completion(self, leaving: Leaving) -> Done:
        """The pseudonym: pay-out lists and exports carry it, so it can be checked by hand."""
        return Done(leaving.pseudonym)

    def frame_policy(self) -> FramePolicy:
        """Any site may frame these pages: they carry no cookie, the token is in the address."""
        return FramePolicy(frame_ancestors=("*",), form_action=("'self'",))


LINK = Link()
