"""The members of a campaign: roles are given, changed and taken back, and an owner always stays."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F
from django.urls import reverse
from django.utils import timezone

from annotate.accounts import accounts
from annotate.common import audit, tokens
from annotate.common import mail as common_mail
from annotate.common.errors import Conflict, Gone, Invalid, NotFound
from annotate.common.tokens import invitation_token
from annotate.crowds import adapters
from annotate.models import Campaign, Invitation, Mail, Membership, ResultsSeen
from annotate.models.base import new_public_id

Role = Membership.Role
LAST = (
    "A campaign needs an owner whose account is active. Invite another owner first, then try again."
)


def join(campaign_id: int, user_id: int, role: str, *, by: int) -> bool:
    """Make somebody a member, or an existing member an owner; False if nothing changes.

    An invitation never lowers a role, and other roles of members are changed by `change_role`.
    """
    with transaction.atomic():
        mine, created = Membership.objects.get_or_create(
            campaign_id=campaign_id, user_id=user_id, defaults={"role": role}
        )
        if not created:
            rows = Membership.objects.filter(pk=mine.pk).exclude(role=Role.OWNER)
            if role != Role.OWNER or not rows.update(role=role):
                return False
        _record("join", mine, actor_id=user_id, role=role, by=by)
    return True


def change_role(campaign_id: int, member_id: int, role: str, *, actor_id: int) -> bool:
    """Give a member another role; False if they have it. Owners are made by invitation.

    Raises `Conflict` for the last active owner.
    """
    if role not in Role.values:
        raise Invalid({"role": "Choose a role."})
    with transaction.atomic():
        mine = _locked(campaign_id, member_id)
        was = mine.role
        if was == role:
            return False
        if role == Role.OWNER:
            raise Conflict(
                "An owner answers for the campaign’s money, so the person must agree: send an "
                "invitation as owner. The member accepts it with the same account."
            )
        _keep_an_owner(mine)
        unblinded = mine.unblinded or was in Membership.SEE_RESULTS
        Membership.objects.filter(pk=mine.pk).update(role=role, unblinded=unblinded)
        _record("change_role", mine, actor_id=actor_id, was=was, role=role)
    return True


def remove(campaign_id: int, member_id: int, *, actor_id: int) -> str:
    """Take a member's role back; return their name. Raises `Conflict` for the last active owner."""
    with transaction.atomic():
        mine = _locked(campaign_id, member_id)
        _keep_an_owner(mine)
        _remember_sight(mine)
        verb = "leave" if mine.user_id == actor_id else "remove_member"
        _record(verb, mine, actor_id=actor_id, role=mine.role)
        mine.delete()
    return mine.user.get_username()


def leave(campaign_id: int, user_id: int) -> None:
    """Give up one's own role. Raises `Conflict` for the last active owner."""
    mine = Membership.objects.filter(campaign=campaign_id, user=user_id).first()
    if mine is None:
        raise NotFound("You are not a member of this campaign.")
    remove(campaign_id, mine.pk, actor_id=user_id)


def _locked(campaign_id: int, member_id: int) -> Membership:
    """Lock a member and all owners, in one order, so that two owners cannot both leave.

    A member's row is read again after the wait: another request may have changed it.
    """
    rows = Membership.objects.filter(campaign=campaign_id).order_by("pk")
    list(rows.select_for_update().values_list("pk"))
    found = rows.filter(pk=member_id).select_related("user").first()
    if found is None:
        raise NotFound("This person is not a member of the campaign any more.")
    return found


def _keep_an_owner(leaving: Membership) -> None:
    owners = Membership.objects.filter(campaign=leaving.campaign_id, role=Role.OWNER)
    others = owners.filter(user__is_active=True).exclude(pk=leaving.pk)
    if leaving.role == Role.OWNER and not others.exists():
        raise Conflict(LAST)


def _remember_sight(mine: Membership) -> None:
    """Note that this person could see results: as a reviewer later, they do not rule blind."""
    if mine.role in Membership.SEE_RESULTS or mine.unblinded:
        seen = ResultsSeen(
            campaign_id=mine.campaign_id, user_id=mine.user_id, after_ruling=0, at=timezone.now()
        )
        ResultsSeen.objects.bulk_create([seen], ignore_conflicts=True)


def _record(verb: str, mine: Membership, *, actor_id: int, **detail: object) -> None:
    audit.record(
        verb,
        campaign_id=mine.campaign_id,
        actor_id=actor_id,
        subject=f"user:{mine.user_id}",
        name=mine.user.get_username(),
        **detail,
    )


# Invitations to a campaign: made, revoked and accepted.


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
            digest=tokens.digest(tokens.of_invitation(named)),
            most_uses=most_uses,
            created_at=now,
            expires_at=now + timedelta(days=days),
        )
        _record_invitation("invite", made, actor_id, role=role)
        if by_mail and email:
            common_mail.intend(Mail.Kind.INVITATION, to=email, invitation=made)
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
        _record_invitation("revoke_invitation", made, actor_id, role=made.role)
    return True


def find_invitation(secret: str) -> Invitation:
    """Return the invitation of a link. Raises `NotFound` or `Gone` with what to do next."""
    found = Invitation.objects.filter(digest=tokens.digest(secret)).select_related("campaign")
    made = found.first()
    if made is None:
        raise NotFound(NOT_OURS)
    if problem := _invitation_ended(made):
        raise Gone(problem)
    return made


def accept(secret: str, user_id: int) -> bool:
    """Make this person a member; False if they are one already, and nothing is used up."""
    with transaction.atomic():
        made = find_invitation(secret)
        # Wait for others who accept it now, then read it again.
        Invitation.objects.select_for_update().get(pk=made.pk)
        made = find_invitation(secret)
        if not join(made.campaign_id, user_id, made.role, by=made.created_by_id):
            return False
        Invitation.objects.filter(pk=made.pk).update(uses=F("uses") + 1)
    return True


def accept_as_new(secret: str, *, username: str, password: str) -> User:
    """Create an account and make it a member, or neither. Raises `Invalid` for its name."""
    with transaction.atomic():
        made = find_invitation(secret)
        user = accounts.register(username, password, email=made.email)
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


def _invitation_ended(made: Invitation) -> str:
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


def _record_invitation(verb: str, made: Invitation, actor_id: int, **detail: object) -> None:
    audit.record(
        verb,
        campaign_id=made.campaign_id,
        actor_id=actor_id,
        subject=f"invitation:{made.public_id}",
        **detail,
    )


# Who sees a campaign, and who is invited.


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


# The links by which annotators come to a campaign; nothing is stored for them.


def token(campaign: Campaign, person: str = "") -> str:
    return invitation_token(campaign.pk, person, number=campaign.links_number)


def links_of(campaign: Campaign, person: str = "") -> str:
    """Return the link for everybody, or for one person."""
    address = reverse("annotate:join", args=[token(campaign, person)])
    return f"{settings.PUBLIC_URL}{address}"


def ask(campaign: Campaign) -> None:
    """Raise `Conflict` where people come from a marketplace and not by links."""
    if adapters.publishes(campaign.crowd):
        label = adapters.crowd_label(campaign.crowd)
        raise Conflict(f"People of this campaign come from {label}, and not by links.")
