"""Invitations to a campaign: made, revoked and accepted."""

from datetime import timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from annotate.errors import Conflict, Gone, Invalid, NotFound
from annotate.models import Invitation, Mail, Membership
from annotate.models.base import public_id as new_public_id
from annotate.services import audit
from annotate.services.accounts import mailing, registering, secrets
from annotate.services.campaigns import members

LONGEST_DAYS, MOST_USES, MOST_LIVE = 90, 100, 200
NOT_OURS = (
    "This invitation is not complete, or it belongs to another server. Copy the whole link, or ask "
    "the person who sent it for a new one."
)
USED = "This invitation has been used already. If it was not you, ask its sender for a new one."
EXPIRED = "This invitation has expired. Ask the person who sent it for a new one."
REVOKED = "This invitation was withdrawn. Ask the person who sent it whether you need a new one."


def invite(
    campaign_id: int,
    *,
    role: str,
    email: str = "",
    most_uses: int = 1,
    days: int = 7,
    actor_id: int,
    by_mail: bool = False,
) -> Invitation:
    """Make an invitation; `by_mail`: have a worker send its link to `email`.

    An invitation to an address, or as owner, is for one person.
    """
    errors = _problems(role, email, most_uses, days)
    if errors:
        raise Invalid(errors)
    now, named = timezone.now(), new_public_id()
    with transaction.atomic():
        live = Invitation.objects.filter(
            campaign=campaign_id, revoked_at=None, expires_at__gt=now, uses__lt=F("most_uses")
        )
        if live.count() >= MOST_LIVE:
            raise Conflict(f"{MOST_LIVE} invitations wait already. Withdraw some of them first.")
        made = Invitation.objects.create(
            public_id=named,
            campaign_id=campaign_id,
            created_by_id=actor_id,
            role=role,
            email=email,
            digest=secrets.digest(secrets.of_invitation(named)),
            most_uses=most_uses,
            created_at=now,
            expires_at=now + timedelta(days=days),
        )
        _record("invite", made, actor_id, role=role)
        if by_mail and email:
            mailing.intend(Mail.Kind.INVITATION, to=email, invitation=made)
    return made


def revoke(campaign_id: int, public_id: str, *, actor_id: int) -> bool:
    """Withdraw an invitation; False if it was withdrawn before. Members stay members."""
    made = Invitation.objects.filter(campaign=campaign_id, public_id=public_id).first()
    if made is None:
        raise NotFound("There is no such invitation.")
    with transaction.atomic():
        rows = Invitation.objects.filter(pk=made.pk, revoked_at=None)
        if not rows.update(revoked_at=timezone.now()):
            return False
        _record("revoke_invitation", made, actor_id, role=made.role)
    return True


def find(secret: str) -> Invitation:
    """Return the invitation of a link. Raises `NotFound` or `Gone` with what to do next."""
    found = Invitation.objects.filter(digest=secrets.digest(secret)).select_related("campaign")
    made = found.first()
    if made is None:
        raise NotFound(NOT_OURS)
    if problem := _ended(made):
        raise Gone(problem)
    return made


def accept(secret: str, user_id: int) -> bool:
    """Make this person a member; False if they are one already, and nothing is used up."""
    with transaction.atomic():
        made = find(secret)
        # Wait for others who accept it now, then read it again.
        Invitation.objects.select_for_update().get(pk=made.pk)
        made = find(secret)
        if not members.join(made.campaign_id, user_id, made.role, by=made.created_by_id):
            return False
        Invitation.objects.filter(pk=made.pk).update(uses=F("uses") + 1)
    return True


def accept_as_new(secret: str, *, username: str, password: str) -> User:
    """Create an account and make it a member, or neither. Raises `Invalid` for its name."""
    with transaction.atomic():
        made = find(secret)
        user = registering.register(username, password, email=made.email)
        accept(secret, user.pk)
    return user


def _problems(role: str, email: str, most_uses: int, days: int) -> dict[str, str]:
    found = {}
    if role not in Membership.Role.values:
        found["role"] = "Choose a role."
    if not 1 <= days <= LONGEST_DAYS:
        found["days"] = f"Choose between 1 and {LONGEST_DAYS} days."
    if not 1 <= most_uses <= MOST_USES:
        found["most_uses"] = f"Choose between 1 and {MOST_USES} people."
    elif most_uses > 1 and (email or role == Membership.Role.OWNER):
        found["most_uses"] = "An invitation by e-mail, or as owner, is for one person."
    return found


def _ended(made: Invitation) -> str:
    """Return why an invitation has ended; "" if it is good."""
    if made.revoked_at:
        return REVOKED
    if made.uses >= made.most_uses:
        return USED
    if made.expires_at <= timezone.now():
        return EXPIRED
    owners = Membership.objects.filter(campaign=made.campaign_id, role=Membership.Role.OWNER)
    maker = owners.filter(user=made.created_by_id, user__is_active=True)
    return "" if maker.exists() else REVOKED


def _record(verb: str, made: Invitation, actor_id: int, **detail: object) -> None:
    audit.record(
        verb,
        campaign_id=made.campaign_id,
        actor_id=actor_id,
        subject=f"invitation:{made.public_id}",
        **detail,
    )
