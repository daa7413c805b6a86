"""The page behind the link of an invitation: what is offered, and how to accept it."""

from django.contrib import messages
from django.contrib.auth import login
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from annotate.errors import Invalid, ServiceError
from annotate.forms.accounts import ROLES, NewAccountForm
from annotate.requests import limits
from annotate.requests.client_address import client_address
from annotate.selectors.campaigns import members as selectors
from annotate.selectors.campaigns.members import InvitationOffer
from annotate.services.campaigns import invitations

TRIES, SECONDS = 60, 900  # of one address


@sensitive_post_parameters("password", "again")
@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def page(request: HttpRequest, token: str) -> HttpResponseBase:
    """Show what is offered. POST accepts it, with the account that is signed in or a new one."""
    try:
        address = limits.key("invitation", client_address(request))
        limits.check(limits.Limit(address, TRIES, SECONDS))
        offer = selectors.offer(invitations.find(token))
        if request.method != "POST":
            return _page(request, token, offer, NewAccountForm())
        if request.user.is_authenticated:
            return _accept(request, token, offer)
        return _register(request, token, offer)
    except ServiceError as refused:
        context = {"message": refused.message}
        return render(request, "accounts/invitation_ended.html", context, status=refused.status)


def _accept(request: HttpRequest, token: str, offer: InvitationOffer) -> HttpResponseBase:
    assert request.user.pk is not None
    if invitations.accept(token, request.user.pk):
        messages.success(request, f"You are now {offer.role} of “{offer.campaign_name}”.")
    else:
        messages.info(request, "You are a member of this campaign already. Nothing was changed.")
    return redirect("estimation:dashboard", offer.campaign)


def _register(request: HttpRequest, token: str, offer: InvitationOffer) -> HttpResponseBase:
    form = NewAccountForm(request.POST)
    if not form.is_valid():
        return _page(request, token, offer, form, status=422)
    given = form.cleaned_data
    try:
        user = invitations.accept_as_new(
            token, username=given["username"], password=given["password"]
        )
    except Invalid as refused:
        for name, text in refused.errors.items():
            form.add_error(name if name in form.fields else None, text)
        return _page(request, token, offer, form, status=422)
    login(request, user, backend="config.login.LimitedBackend")
    messages.success(request, f"Welcome. You are now {offer.role} of “{offer.campaign_name}”.")
    return redirect("estimation:dashboard", offer.campaign)


def _page(
    request: HttpRequest,
    token: str,
    offer: InvitationOffer,
    form: NewAccountForm,
    *,
    status: int = 200,
) -> HttpResponseBase:
    means = {role.value: text for role, text in ROLES.items()}[offer.role]
    context = {"offer": offer, "means": means, "form": form, "here": request.path}
    return render(request, "accounts/invitation.html", context, status=status)
