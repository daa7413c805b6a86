"""How people enter from Prolific and leave: top-level pages, with ids in the address.

Prolific signs nothing in the address. A person is verified at once by asking Prolific for the
submission: participant, study and state must agree with the address. Our signed name of the posting
is in the path, so a study cannot be exchanged for another of ours.
"""

from collections.abc import Mapping
from http import HTTPStatus
from urllib.parse import urlencode

from django.utils.translation import gettext as _

from annotate import tokens
from annotate.crowds.base import (
    Capabilities,
    Claim,
    Configuration,
    FramePolicy,
    InvalidEntry,
    Leaving,
    Redirect,
    Transient,
)
from annotate.crowds.prolific import studies as studies
from annotate.crowds.prolific.checks import LEAST_REASON
from annotate.crowds.prolific.http import READ_SECONDS, ProlificClient, error_of, path
from annotate.crowds.prolific.people import is_id
from annotate.errors import ServiceError

ENTRY_SECONDS = 3.0  # a person waits for the page
PARAMETERS = ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")
HOLDS_A_PLACE = ("ACTIVE", "RESERVED")  # reserved: the state just before they open our page


class ProlificEntry:
    """Entry and exit. `environment` is "live" at Prolific itself; otherwise the server's name."""

    key = "prolific"
    label = "Prolific"
    can = Capabilities(
        verify_at_entry=True,
        auto_approval=True,
        messaging=True,
        least_reason=LEAST_REASON,
        no_effect=("keywords", "auto_approval"),
    )
    refusal_limit = studies.AUTO_APPROVAL

    def __init__(
        self,
        *,
        base_url: str,
        api_token: str,
        webhook_secret: str = "",
        read_seconds: float = READ_SECONDS,
    ):
        self.client = ProlificClient(base_url, api_token, read_seconds=read_seconds)
        self.environment = "live" if self.client.live else self.client.netloc
        self.app = studies.APP if self.client.live else self.client.base_url
        self._webhook_secret = webhook_secret
        self._currency = ""
        self._entry_seconds = min(ENTRY_SECONDS, read_seconds)

    def parse_entry(self, params: Mapping[str, str]) -> Claim | InvalidEntry:
        ids = {name: params.get(name, "") for name in PARAMETERS}
        if not all(is_id(value) for value in ids.values()):
            return InvalidEntry(
                _("This link is not complete. Open the study from Prolific again."),
                HTTPStatus.BAD_REQUEST,
            )
        try:
            posting = tokens.read_posting(params.get("posting", ""))
        except ServiceError as error:
            return InvalidEntry(error.message, error.status)
        person, listing, unit = ids.values()
        return Claim(person=person, posting=posting, listing=listing, unit=unit)

    def verify_claim(self, claim: Claim) -> bool | InvalidEntry:
        """Return whether Prolific confirms the claim; raises `Transient` if it does not answer."""
        reply = self.client.ask("GET", path("submissions", claim.unit), seconds=self._entry_seconds)
        if reply.status == HTTPStatus.NOT_FOUND:
            return _not_yours()
        if not reply.ok:
            error = error_of(reply)
            raise error if isinstance(error, Transient | Configuration) else Transient(str(error))
        if not isinstance(reply.data, dict):
            raise Transient("Prolific’s answer was incomplete. Try again in a moment.")
        said = studies.submission(reply.data)
        if (said.person, said.listing, said.unit) != (claim.person, claim.listing, claim.unit):
            return _not_yours()
        if studies.status(reply.data) not in HOLDS_A_PLACE:
            return InvalidEntry(_("Prolific says that this submission is over."), HTTPStatus.GONE)
        return True

    def completion(self, leaving: Leaving) -> Redirect:
        """Return the address that submits the work; its code says that the work was completed."""
        return Redirect(f"{self.app}/submissions/complete?{urlencode({'cc': leaving.code})}")

    def frame_policy(self) -> FramePolicy:
        """Allow no frames: Prolific opens our pages in a separate tab."""
        return FramePolicy(frame_ancestors=("'none'",), form_action=("'self'",))


def _not_yours() -> InvalidEntry:
    return InvalidEntry(
        _("Prolific does not know this submission. Open the study from Prolific again."),
        HTTPStatus.FORBIDDEN,
    )
