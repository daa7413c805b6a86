"""Who may see a campaign, who may act on it, and how a refusal looks."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import AnonymousUser, User
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render

from annotate.errors import NotAllowed, NotFound, ServiceError
from annotate.models import Campaign, CampaignImport, Membership

Who = User | AnonymousUser
View = Callable[..., HttpResponseBase]


def visible(user: Who, public_id: str) -> Campaign:
    """Return the campaign, if `user` is its owner or reviewer.

    A campaign of others is not there (`NotFound`): its existence is nobody's business.
    """
    campaign = Campaign.objects.filter(public_id=public_id, memberships__user=user.pk).first()
    if campaign is None:
        raise NotFound("There is no campaign at this address, or it is not shared with you.")
    return campaign


def owned(user: Who, public_id: str) -> Campaign:
    """Return the campaign, if `user` is its owner; `NotAllowed` for a reviewer."""
    campaign = visible(user, public_id)
    if not is_owner(user, campaign):
        raise NotAllowed("Only the owner of a campaign can do this. You are its reviewer.")
    return campaign


def own_import(user: Who, public_id: str) -> CampaignImport:
    """Return the import, if `user` has begun it; to anybody else it is not there."""
    found = CampaignImport.objects.filter(public_id=public_id, owner=user.pk or 0).first()
    if found is None:
        raise NotFound("There is no import at this address, or it is somebody else's.")
    return found


def is_owner(user: Who, campaign: Campaign) -> bool:
    return Membership.objects.filter(
        campaign=campaign, user=user.pk, role=Membership.Role.OWNER
    ).exists()


def researcher_page(view: View) -> View:
    """Ask for a log-in, and answer a `ServiceError` with a page that says what to do."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if getattr(request, "htmx", False) and not request.user.is_authenticated:
            return _logged_out(request)
        try:
            return asking(request, *args, **kwargs)
        except ServiceError as error:
            return refusal(request, error)

    asking = login_required(view)
    return guarded


def _logged_out(request: HttpRequest) -> HttpResponse:
    """A log-in page must not land inside of a page: reload that, unless a form would be lost."""
    headers = {"HX-Refresh": "true"} if request.method == "GET" else {}
    return HttpResponse(status=401, headers=headers)


def refusal(request: HttpRequest, error: ServiceError) -> HttpResponse:
    return render(request, "4xx.html", {"error": error}, status=error.status)
