"""The page of subscriptions by mail and webhook, for owners and collaborators."""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from annotate.errors import Conflict, Invalid, ServiceError
from annotate.forms.notifications import SubscribeForm
from annotate.permissions import Access, access, researcher_page, run
from annotate.selectors import notifications as selectors
from annotate.services.notifications import payloads, subscribing
from annotate.services.notifications.events import EVENTS


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@researcher_page
def page(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """Show the subscriptions; POST makes one."""
    campaign = run(request.user, public_id)
    mine = access(request.user, public_id)
    if request.method != "POST":
        return _page(request, mine, SubscribeForm())
    form = SubscribeForm(request.POST)
    if not form.is_valid():
        return _page(request, mine, form, status=422)
    try:
        subscribing.subscribe(campaign.pk, user_id=mine.user_id, **form.cleaned_data)
    except (Invalid, Conflict) as refused:
        for name, message in getattr(refused, "errors", {"": refused.message}).items():
            form.add_error(name or None, message)
        return _page(request, mine, form, status=refused.status)
    messages.success(request, "Done. “Send a test” shows whether it arrives.")
    return redirect("annotate:notifications", public_id)


@require_POST
@researcher_page
def end(request: HttpRequest, public_id: str, subscription_id: str) -> HttpResponseBase:
    campaign = run(request.user, public_id)

    def act() -> str:
        user = request.user.pk or 0
        done = subscribing.end(campaign.pk, subscription_id, actor_id=user)
        return "Ended: nothing more is sent." if done else "It had ended before."

    return _done(request, public_id, act)


@require_POST
@researcher_page
def test(request: HttpRequest, public_id: str, subscription_id: str) -> HttpResponseBase:
    campaign = run(request.user, public_id)

    def act() -> str:
        subscribing.test(campaign.pk, subscription_id)
        return (
            "A test is on its way; mails take a minute or two. Reload the page to see how it went."
        )

    return _done(request, public_id, act)


def _done(request: HttpRequest, public_id: str, act: Callable[[], str]) -> HttpResponseBase:
    try:
        messages.success(request, act())
    except ServiceError as refused:
        messages.error(request, refused.message)
    return redirect("annotate:notifications", public_id)


def _page(
    request: HttpRequest, mine: Access, form: SubscribeForm, *, status: int = 200
) -> HttpResponseBase:
    found = selectors.of(mine.campaign.pk)
    context: dict[str, Any] = {
        "campaign": mine.campaign,
        "me": mine.user_id,
        "going": [(one, _events(one), _secret(one)) for one in found if one.ended_at is None],
        "ended": [one for one in found if one.ended_at],
        "form": form,
        "sends_mail": settings.SENDS_MAIL,
        "section": "campaigns",
    }
    return render(request, "campaigns/notifications.html", context, status=status)


def _events(one: selectors.SubscriptionLine) -> str:
    return "; ".join(EVENTS[key].means for key in one.events if key in EVENTS)


def _secret(one: selectors.SubscriptionLine) -> str:
    return "" if one.is_mail else payloads.secret(one.public_id)
