"""Who sees a campaign, and who is invited."""

from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db.models import F
from django.utils import timezone

from annotate.models import Campaign, Invitation, Mail, Membership

MOST_ENDED = 20  # invitations that have ended, on the page


@dataclass(frozen=True)
class Member:
    id: int
    user_id: int
    name: str
    role: str
    is_active: bool


@dataclass(frozen=True)
class Sending:
    """The state of an invitation's mail. problem: "" unless the last attempt failed."""

    is_sent: bool
    is_given_up: bool
    problem: str
    next_at: datetime


@dataclass(frozen=True)
class Invited:
    """A line of the list of invitations. ended: why it is no longer good; "" while it is."""

    public_id: str
    role: str
    email: str
    by: str
    uses: int
    most_uses: int
    created_at: datetime
    expires_at: datetime
    ended: str
    sending: Sending | None


@dataclass(frozen=True)
class InvitationOffer:
    """What an invitation offers, for the person who follows its link."""

    campaign: str
    campaign_name: str
    role: str
    by: str
    email: str
    expires_at: datetime


def members(campaign_id: int) -> list[Member]:
    """Return the members: owners first, then by name."""
    order = {role: n for n, role in enumerate(Membership.Role.values)}
    rows = Membership.objects.filter(campaign=campaign_id).values_list(
        "pk", "user", "user__username", "role", "user__is_active"
    )
    return sorted((Member(*row) for row in rows), key=lambda one: (order[one.role], one.name))


def invitations(campaign_id: int) -> list[Invited]:
    """Return the invitations that are good, then the last of those that have ended."""
    rows = Invitation.objects.filter(campaign=campaign_id).select_related("created_by")
    now = timezone.now()
    is_good = {"revoked_at": None, "expires_at__gt": now, "uses__lt": F("most_uses")}
    good = list(rows.filter(**is_good))
    shown = [*good, *rows.exclude(pk__in=[one.pk for one in good])[:MOST_ENDED]]
    mails = {
        one.invitation_id: one for one in Mail.objects.filter(invitation__in=shown).order_by("pk")
    }
    owners = set(
        Membership.objects.filter(
            campaign=campaign_id, role=Membership.Role.OWNER, user__is_active=True
        ).values_list("user", flat=True)
    )
    return [
        Invited(
            one.public_id,
            one.role,
            one.email,
            one.created_by.get_username(),
            one.uses,
            one.most_uses,
            one.created_at,
            one.expires_at,
            _ended(one, now, owners),
            _sending(mails.get(one.pk)),
        )
        for one in shown
    ]


def offer(made: Invitation) -> InvitationOffer:
    campaign: Campaign = made.campaign
    return InvitationOffer(
        campaign.public_id,
        campaign.name,
        made.role,
        made.created_by.get_username(),
        made.email,
        made.expires_at,
    )


def sends_mail() -> bool:
    return bool(settings.SENDS_MAIL)


def _ended(one: Invitation, now: datetime, owners: set[int]) -> str:
    if one.revoked_at or one.created_by_id not in owners:
        return "withdrawn"
    if one.uses >= one.most_uses:
        return "accepted"
    return "expired" if one.expires_at <= now else ""


def _sending(mail: Mail | None) -> Sending | None:
    if mail is None:
        return None
    return Sending(bool(mail.sent_at), bool(mail.given_up_at), mail.problem, mail.due_at)
