"""The members of a campaign and the invitations to it, as its members see them."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from annotate.errors import Invalid, NotFound, ServiceError
from annotate.forms.accounts import ROLES, InviteForm
from annotate.permissions import Access, access, owned, researcher_page, visible
from annotate.requests import limits
from annotate.selectors.campaigns import members as selectors
from annotate.services.accounts.letters import invitation_link
from annotate.services.campaigns import invitations, members
from annotate.states import MemberRole

MAILS_AN_HOUR = 50  # of one person; one address gets a tenth of that


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@researcher_page
def page(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """Show members and invitations. POST makes an invitation; its link stays on the page."""
    mine = access(request.user, public_id)
    if request.method != "POST":
        return _page(request, mine, InviteForm())
    owned(request.user, public_id)
    form = InviteForm(request.POST)
    if not form.is_valid():
        return _page(request, mine, form, status=422)
    try:
        _invite(mine, form.cleaned_data)
    except Invalid as refused:
        for name, text in refused.errors.items():
            form.add_error(name, text)
        return _page(request, mine, form, status=422)
    messages.success(request, "The invitation is made. Its link stands in the list below.")
    return redirect("annotate:members", public_id)


@require_POST
@researcher_page
def change_role(request: HttpRequest, public_id: str, member_id: int) -> HttpResponseBase:
    campaign = owned(request.user, public_id)
    role = request.POST.get("role", "")

    def act() -> str:
        changed = members.change_role(campaign.pk, member_id, role, actor_id=_user(request))
        return "The role is changed." if changed else "Nothing was changed."

    return _done(request, public_id, act)


@require_POST
@researcher_page
def remove(request: HttpRequest, public_id: str, member_id: int) -> HttpResponseBase:
    campaign = owned(request.user, public_id)

    def act() -> str:
        name = members.remove(campaign.pk, member_id, actor_id=_user(request))
        return f"{name} no longer sees this campaign."

    return _done(request, public_id, act)


@require_POST
@researcher_page
def leave(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """Give up one's own role."""
    campaign = visible(request.user, public_id)

    def act() -> str:
        members.leave(campaign.pk, _user(request))
        return f"You have left “{campaign.name}”."

    return _done(request, public_id, act)


@require_POST
@researcher_page
def revoke(request: HttpRequest, public_id: str, invitation_id: str) -> HttpResponseBase:
    campaign = owned(request.user, public_id)

    def act() -> str:
        done = invitations.revoke(campaign.pk, invitation_id, actor_id=_user(request))
        return "The invitation is withdrawn." if done else "It was withdrawn before."

    return _done(request, public_id, act)


def _invite(mine: Access, given: dict[str, Any]) -> None:
    by_mail = bool(given["email"]) and selectors.sends_mail()
    if by_mail:
        who, to = str(mine.user_id), given["email"].casefold()
        limits.check(
            limits.Limit(limits.key("invite", who), MAILS_AN_HOUR, 3600),
            limits.Limit(limits.key("invited", to), MAILS_AN_HOUR // 10, 3600),
        )
    invitations.invite(mine.campaign.pk, **given, actor_id=mine.user_id, by_mail=by_mail)


def _done(request: HttpRequest, public_id: str, act: Any) -> HttpResponseBase:
    """Do it and say so, or say why not; then lead to where the person may still be."""
    try:
        messages.success(request, act())
    except ServiceError as refused:
        messages.error(request, refused.message)
    try:
        visible(request.user, public_id)
    except NotFound:
        return redirect("annotate:campaigns")
    return redirect("annotate:members", public_id)


def _page(
    request: HttpRequest, mine: Access, form: InviteForm, *, status: int = 200
) -> HttpResponseBase:
    invited = selectors.invitations(mine.campaign.pk) if mine.is_owner else []
    context = {
        "campaign": mine.campaign,
        "owner": mine.is_owner,
        "me": mine.user_id,
        "members": selectors.members(mine.campaign.pk),
        "good": [(one, invitation_link(one.public_id)) for one in invited if not one.ended],
        "ended": [one for one in invited if one.ended],
        "roles": [(role.value, text) for role, text in ROLES.items()],
        "given": [role.value for role in ROLES if role != MemberRole.OWNER],
        "form": form,
        "sends_mail": selectors.sends_mail(),
        "section": "campaigns",
    }
    return render(request, "campaigns/members.html", context, status=status)


def _user(request: HttpRequest) -> int:
    assert request.user.pk is not None
    return request.user.pk
