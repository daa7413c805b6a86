"""Who may see a campaign's results: its systems, scores, estimates and what follows from them.

Only this module decides it; pages, API and fragments of both apps ask `permissions`.
"""

from datetime import datetime
from enum import StrEnum

from django.db.models import Q

from annotate.models import Campaign, Membership, ResultsSeen


class Sight(StrEnum):
    """Whether a reviewer rules blind, or why not."""

    BLIND = "blind"
    OWNER = "owner"  # or a collaborator: they can see results on other pages
    CLOSED = "closed"  # so can every reviewer now
    SEEN = "seen"  # they have seen, or could see, results that are hidden from them now
    STRANGER = "stranger"  # not a member of the campaign; what they have seen is unknown


def sees_results(role: str | None, closed_at: datetime | None) -> bool:
    """Return whether a member of this role sees a campaign's results.

    Reviewers see them once it is closed. The results of a reopened campaign are hidden again.
    """
    return role in Membership.SEE_RESULTS or (role is not None and closed_at is not None)


def results_visible() -> Q:
    """Return `sees_results` as a condition on memberships."""
    return Q(role__in=Membership.SEE_RESULTS) | Q(campaign__closed_at__isnull=False)


def role(user_id: int | None, campaign_id: int) -> str | None:
    """Return a user's role in a campaign; None for users who are not members."""
    mine = Membership.objects.filter(user=user_id, campaign=campaign_id)
    return mine.values_list("role", flat=True).first()


def sight(user_id: int, campaign: Campaign) -> Sight:
    """Return whether a ruling by this user would be blind now; always two queries."""
    mine = Membership.objects.filter(user=user_id, campaign=campaign).first()
    seen = ResultsSeen.objects.filter(campaign=campaign, user=user_id).exists()
    if mine is None:
        return Sight.STRANGER
    if mine.role in Membership.SEE_RESULTS:
        return Sight.OWNER
    if sees_results(mine.role, campaign.closed_at):
        return Sight.CLOSED
    return Sight.SEEN if seen or mine.unblinded else Sight.BLIND
