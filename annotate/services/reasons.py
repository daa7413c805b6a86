"""The reason for an amendment: what was fixed when a campaign opened is changed later."""

from annotate.errors import Invalid
from annotate.states import CampaignStatus

LONGEST_REASON = 300


def checked(reason: str, *, status: str) -> str:
    """Return the reason on one line. Raises `Invalid` without one, once the campaign has opened."""
    reason = " ".join(reason.split())
    if status == CampaignStatus.DRAFT:
        return reason[:LONGEST_REASON]
    if not 0 < len(reason) <= LONGEST_REASON:
        raise Invalid(
            {"reason": f"Say why, in at most {LONGEST_REASON} characters: the log keeps it."}
        )
    return reason
