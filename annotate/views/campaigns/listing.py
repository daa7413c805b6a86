"""The researcher's list of campaigns, and the acts that change a campaign's state."""

from collections.abc import Callable
from dataclasses import dataclass

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from annotate.adapters import publishes
from annotate.errors import Conflict, NotFound
from annotate.forms.base import ReasonForm
from annotate.models import Campaign
from annotate.permissions import owned, researcher_page, run
from annotate.selectors import listings
from annotate.selectors.campaigns import imports, progress
from annotate.selectors.campaigns import listed as selectors
from annotate.services.campaigns import drafts, life, metric_transform


@dataclass(frozen=True)
class StateChange:
    """A change of state: what is asked before it (if anything), and what is said after it."""

    do: Callable[[Campaign, int, str], object]
    done: str
    title: str = ""
    button: str = ""
    asks_why: bool = False
    ends: bool = False  # what only owners do, and after which the campaign has no page

    @property
    def confirms(self) -> bool:
        return bool(self.title)


ACTS = {
    "open": StateChange(
        lambda campaign, user, _why: life.open_(campaign.pk, actor_id=user),
        "The campaign is open: everyone with its link can judge.",
    ),
    "pause": StateChange(
        lambda campaign, user, _why: life.pause(campaign.pk, actor_id=user),
        "The campaign is paused: no one gets a new text. Texts being judged may still be sent.",
    ),
    "close": StateChange(
        lambda campaign, user, _why: _must(
            life.close(campaign.pk, Campaign.Reason.HAND, actor_id=user)
        ),
        "The campaign is closing: items already begun are finished first.",
        title="Close this campaign?",
        button="Close the campaign",
    ),
    "finish": StateChange(
        lambda campaign, user, _why: _must(life.finish(campaign.pk, actor_id=user, reason="hand")),
        "The campaign is closed.",
        title="Finish now?",
        button="Finish now",
    ),
    "reopen": StateChange(
        lambda campaign, user, why: life.reopen(campaign.pk, actor_id=user, why=why),
        "The campaign is open again.",
        title="Reopen this campaign?",
        button="Reopen the campaign",
        asks_why=True,
    ),
    "bound_metrics": StateChange(
        lambda campaign, user, why: _must(
            metric_transform.bound(campaign.pk, actor_id=user, why=why),
            "The metrics enter bounded already. Nothing was done.",
        ),
        "The metrics enter bounded from now on. All estimates are made again.",
        title="Use bounded metrics?",
        button="Use bounded metrics",
        asks_why=True,
    ),
    "archive": StateChange(
        lambda campaign, user, _why: life.archive(campaign.pk, actor_id=user),
        "The campaign is archived.",
        title="Archive this campaign?",
        button="Archive the campaign",
    ),
    "delete": StateChange(
        lambda campaign, user, _why: drafts.delete(campaign.pk, actor_id=user),
        "The draft is deleted.",
        title="Delete this draft?",
        button="Delete the draft",
        ends=True,
    ),
}


AT_A_CROWD = {
    "open": "The campaign is open. People come as soon as a batch is launched.",
    "pause": "The campaign is paused, and its batches are stopped for good. Running work may still "
    "be sent in, and is paid. Once you go on, launch another batch.",
    "reopen": "The campaign is open again. What was published before stays stopped: people come as "
    "soon as another batch is launched.",
}


ORDERS = {"attention": "What needs attention first", "new": "Newest", "name": "Name"}
PARTS = {
    "all": "All but archived",
    "running": "Open, paused or closing",
    "draft": "Drafts",
    "closed": "Closed",
    "archived": "Archive",
}
ROWS = 25  # on a page


@require_safe
@never_cache
@researcher_page
def index(request: HttpRequest) -> HttpResponseBase:
    assert request.user.pk is not None
    asked = listings.asked(
        request.GET, sorts=ORDERS, choices=PARTS, size=ROWS, anchor="campaigns-h"
    )
    listing, campaigns = selectors.listed(request.user.pk, asked)
    context = {
        "campaigns": campaigns,
        "listing": listing,
        "any": bool(campaigns) or selectors.has_any(request.user.pk),
        "archived": selectors.n_archived(request.user.pk),
        "imports": imports.unfinished(request.user.pk),
        "upload_limit": settings.UPLOAD_LIMIT // (1024 * 1024),
        "section": "campaigns",
    }
    return render(request, "campaigns/list.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@researcher_page
def act(request: HttpRequest, public_id: str, verb: str) -> HttpResponseBase:
    """GET says what will happen, POST does it; an act without a question is a POST at once."""
    if verb not in ACTS:
        raise NotFound("There is no such act.")
    asked = ACTS[verb]
    campaign = (owned if asked.ends else run)(request.user, public_id)
    form = ReasonForm(request.POST or None)
    if request.method != "POST" or (asked.asks_why and not form.is_valid()):
        return _confirm(request, campaign, verb, form)
    assert request.user.pk is not None
    try:
        asked.do(campaign, request.user.pk, form["why"].value() or "")
        messages.success(request, _said(campaign, verb))
        if asked.ends:
            return redirect("annotate:campaigns")
    except Conflict as refused:
        messages.error(request, refused.message)
    return redirect("estimation:dashboard", public_id)


def _confirm(
    request: HttpRequest, campaign: Campaign, verb: str, form: ReasonForm
) -> HttpResponseBase:
    asked = ACTS[verb]
    if not asked.confirms:
        return redirect("estimation:dashboard", campaign.public_id)
    context = {
        "campaign": campaign,
        "verb": verb,
        "act": asked,
        "form": form,
        "progress": progress.progress(campaign.pk, cap=campaign.annotator_cap),
        "section": "campaigns",
    }
    status = 422 if form.is_bound and not form.is_valid() else 200
    return render(request, "campaigns/confirm.html", context, status=status)


def _said(campaign: Campaign, verb: str) -> str:
    """Return the message after the act. What opening means depends on where people come from."""
    if publishes(campaign.crowd):
        return AT_A_CROWD.get(verb, ACTS[verb].done)
    return ACTS[verb].done


def _must(
    done: bool, why: str = "The campaign’s state has changed meanwhile. Nothing was done."
) -> None:
    if not done:
        raise Conflict(why)
