"""The members of a campaign, the invitations to it, and the links for annotators."""

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, F, OuterRef, QuerySet
from django.urls import reverse
from django.utils import timezone

from annotate.accounts import accounts
from annotate.common import audit, tokens
from annotate.common import mail as common_mail
from annotate.common.errors import Conflict, Gone, Invalid, NotFound
from annotate.common.tokens import invitation_token
from annotate.crowds import adapters
from annotate.models import (
    Annotator,
    Campaign,
    Invitation,
    Mail,
    Membership,
    ResultsSeen,
    Review,
)
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
        if mine.role in Membership.SEE_RESULTS or mine.unblinded:
            # As a reviewer later, this person does not rule blind.
            seen = ResultsSeen(
                campaign_id=campaign_id, user_id=mine.user_id, after_ruling=0, at=timezone.now()
            )
            ResultsSeen.objects.bulk_create([seen], ignore_conflicts=True)
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
ENDED = {
    "accepted": "This invitation has been used already. If it was not you, ask its sender for a "
    "new one.",
    "expired": "This invitation has expired. Ask the person who sent it for a new one.",
    "withdrawn": "This invitation was withdrawn. Ask the person who sent it whether you need a "
    "new one.",
}


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
    found = _invitations().filter(digest=tokens.digest(secret)).select_related("campaign")
    made: Invitation | None = found.first()
    if made is None:
        raise NotFound(NOT_OURS)
    if why := ended(made):
        raise Gone(ENDED[why])
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
    if role not in Role.values:
        found["role"] = "Choose a role."
    if not 1 <= days <= LONGEST_DAYS:
        found["days"] = f"Choose between 1 and {LONGEST_DAYS} days."
    if not 1 <= most_uses <= MOST_USES:
        found["most_uses"] = f"Choose between 1 and {MOST_USES} people."
    elif most_uses > 1 and (email or role == Role.OWNER):
        found["most_uses"] = "An invitation by e-mail, or as owner, is for one person."
    return found


def _invitations() -> QuerySet[Any]:
    """Select invitations; `by_owner`: whether who made them is still an active owner."""
    owner = Membership.objects.filter(
        campaign=OuterRef("campaign"), role=Role.OWNER, user__is_active=True
    )
    return Invitation.objects.annotate(by_owner=Exists(owner.filter(user=OuterRef("created_by"))))


def ended(made: Any) -> str:
    """Return why an invitation of `_invitations` has ended; "" if it is good."""
    if made.revoked_at:
        return "withdrawn"
    if made.uses >= made.most_uses:
        return "accepted"
    if made.expires_at <= timezone.now():
        return "expired"
    return "" if made.by_owner else "withdrawn"


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


def members(campaign_id: int) -> list[Membership]:
    """Return the members with their users: owners first, then by name."""
    order = Role.values
    rows = Membership.objects.filter(campaign=campaign_id).select_related("user")
    return sorted(rows, key=lambda one: (order.index(one.role), one.user.get_username()))


def invitations(campaign_id: int) -> tuple[list[Invitation], list[Invitation]]:
    """Return the good invitations, with their mails, and the last of those that have ended."""
    rows = _invitations().filter(campaign=campaign_id).select_related("created_by")
    good = rows.filter(
        revoked_at=None, expires_at__gt=timezone.now(), uses__lt=F("most_uses"), by_owner=True
    ).prefetch_related("mails")
    found = list(good)
    return found, list(rows.exclude(pk__in=[one.pk for one in found])[:MOST_ENDED])


def sends_mail() -> bool:
    return bool(settings.SENDS_MAIL)


# The links by which annotators come to a campaign; nothing is stored for them.


def token(campaign: Campaign, person: str = "") -> str:
    return invitation_token(campaign.pk, person, number=campaign.links_number)


def links_of(campaign: Campaign, person: str = "") -> str:
    """Return the link for everybody, or for one person."""
    address = reverse("annotate:join", args=[token(campaign, person)])
    return f"{settings.PUBLIC_URL}{address}"


def experts(campaign: Campaign) -> list[dict[str, Any]]:
    """Return the experts who were named, with their links; those who were released have none."""
    excluded = excluded_experts(campaign)
    return [
        {
            "name": one.name,
            "is_excluded": one.name in excluded,
            "link": "" if one.released_at else links_of(campaign, one.name),
            "released_at": one.released_at,
        }
        for one in campaign.experts.order_by(F("released_at").asc(nulls_first=True), "pk")
    ]


def excluded_experts(campaign: Campaign) -> set[str]:
    """Return the experts whose work a ruling has excluded, and who were not released since."""
    if not campaign.named_experts:
        return set()
    reviews = Review.objects.filter(campaign=campaign, status=Review.Status.EXCLUDED)
    named = campaign.experts.filter(released_at=None).values("name")
    people = Annotator.by_name(named).filter(pk__in=reviews.values("annotator"))
    return set(people.values_list("external_id", flat=True))


def ask_unnamed(campaign: Campaign) -> None:
    """Raise `Conflict` where experts are named: nobody else gets a link."""
    if campaign.named_experts:
        raise Conflict("Named experts judge here, by links of their own. Replace one of them.")


def ask(campaign: Campaign) -> None:
    """Raise `Conflict` where people come from a marketplace and not by links."""
    if adapters.publishes(campaign.crowd):
        label = adapters.crowd_label(campaign.crowd)
        raise Conflict(f"People of this campaign come from {label}, and not by links.")
