"""The members of a campaign: roles are given, changed and taken back, and an owner always stays."""

from django.db import transaction
from django.utils import timezone

from annotate.errors import Conflict, Invalid, NotFound
from annotate.models import Membership, ResultsSeen
from annotate.services import audit

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
