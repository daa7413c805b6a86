"""The batches of a campaign, what people on its crowd see of them, and what the crowd tells us."""

from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Any

from csp.decorators import csp_replace
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe

from annotate import adapters, tokens
from annotate.crowds.registry import CROWDS
from annotate.crowds.tariffs import ZERO
from annotate.errors import ServiceError
from annotate.permissions import is_owner, researcher_page, visible
from annotate.requests import bodies
from annotate.selectors import listings
from annotate.selectors.marketplace import batch_board, batches
from annotate.selectors.marketplace.batches import RUNNING
from annotate.selectors.marketplace.operations import OpenOperation
from annotate.selectors.pay import budget
from annotate.selectors.work import task_page as work
from annotate.selectors.work import units
from annotate.services.marketplace import events
from annotate.states import CampaignStatus
from annotate.text.figures import count, money
from annotate.views.campaigns.budgets import MANY
from annotate.views.work import entry
from annotate.views.work.access import speak, worker_page

WHAT = {
    "publish": "Publish {places}",
    "add_places": "Add {places}",
    "stop": "Stop a posting",
    "archive": "Put a posting away",
    "approve": "Approve and pay the submission of {who}",
    "reject": "Reject the submission of {who}",
    "override": "Approve the rejected submission of {who}",
    "bonus": "Pay {who} {amount} extra",
    "exclude": "Keep somebody out",
    "include": "Let somebody in again",
    "message": "Write to people",
}
# (it happened, it did not): what a person says who has looked at the crowd.
ANSWERS = {
    "publish": ("It is published", "It is not there: publish it"),
    "add_places": ("The places are there", "They are not: add them"),
    "approve": ("It was paid", "It was not paid: pay it"),
    "bonus": ("It was paid", "It was not paid: send again"),
}
OTHERWISE = ("It was done", "It was not done: do it")


@dataclass(frozen=True)
class OperationWords:
    op: OpenOperation
    what: str
    yes: str
    no: str


def said(op: OpenOperation) -> OperationWords:
    places = "1 place" if op.places == 1 else f"{count(op.places)} places"
    what = WHAT.get(op.kind, op.kind).format(
        places=places, who=op.annotator, amount=money(op.amount)
    )
    return OperationWords(op, what, *ANSWERS.get(op.kind, OTHERWISE))


PARTS = {"all": "All batches", RUNNING: "Not over yet"}
ROWS = 10  # on a page
STOP_POLLING = 286  # htmx swaps the answer and asks no more


@require_safe
@never_cache
@researcher_page
def page(request: HttpRequest, public_id: str) -> HttpResponseBase:
    campaign = visible(request.user, public_id)
    if not adapters.publishes(campaign.crowd):
        publishing = [crowd.label for crowd in CROWDS.values() if crowd.publishes]
        context = {"campaign": campaign, "crowds": publishing, "section": "campaigns"}
        return render(request, "campaigns/batches_link.html", context)
    return render(request, "campaigns/batches.html", _context(request, campaign))


@require_safe
@never_cache
@researcher_page
def now(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """The refreshing part; 204 where the asking page shows it already."""
    context = _context(request, visible(request.user, public_id))
    board = context["board"]
    if request.GET.get("have") == context["fingerprint"] and board.live:
        return HttpResponse(status=204)
    status = 200 if board.live else STOP_POLLING
    return render(request, "campaigns/_batches.html", context, status=status)


def _context(request: HttpRequest, campaign: Any) -> dict[str, Any]:
    """Reviewers see that work comes from a crowd, but neither money nor acts."""
    owner = is_owner(request.user, campaign)
    asked = listings.asked(request.GET, sorts={}, choices=PARTS, size=ROWS, anchor="batches-h")
    board = batch_board.board(campaign.pk, campaign.crowd, asked)
    return {
        "campaign": campaign,
        "board": board,
        "listing": board.listing,
        "world": board.world,
        "owner": owner,
        **(_beyond(campaign) if owner and board.doubtful else {}),
        "short": _short(campaign) if owner else ZERO,
        "operations": [said(op) for op in board.operations.listed],
        "fingerprint": board.fingerprint,
        "section": "campaigns",
    }


def _short(campaign: Any) -> Decimal:
    """Return what the budget lacks for another place; 0 where that takes too long to find out."""
    over = campaign.status in (CampaignStatus.CLOSED, CampaignStatus.ARCHIVED)
    if over or campaign.budget is None or batches.more_units(campaign.pk, than=MANY):
        return ZERO
    return budget.short_of_a_place(campaign)


def _beyond(campaign: Any) -> dict[str, Any]:
    """Return by how much the budget is exceeded, or that this takes too long to find out."""
    if campaign.budget is not None and batches.more_units(campaign.pk, than=MANY):
        return {"excess_unknown": True}
    return {"excess": budget.excess(campaign)}


OWN_FRAME = {"frame-ancestors": ["'self'"], "form-action": ["'none'"]}


@csp_replace(OWN_FRAME)
@worker_page
@require_safe
def preview(request: HttpRequest, token: str) -> HttpResponse:
    """Show the crowd's preview page. Only our pages may frame it; the token gives access."""
    campaign_id, tasks = tokens.read_preview(token)
    study = work.study(campaign_id)
    speak(study)
    offer = units.UnitOffer(campaign_id, study.crowd, tasks, study.reward * tasks, timedelta(0))
    return entry.preview(request, study, offer)


@csrf_exempt
@require_POST
def receive(request: HttpRequest, crowd: str) -> HttpResponse:
    """Answer 204 to every event that the crowd signed, new or not, so that it is not sent again."""
    try:
        events.receive(crowd, bodies.raw(request), request.headers)
    except ServiceError as error:
        return HttpResponse(error.message, status=error.status, content_type="text/plain")
    return HttpResponse(status=204)
