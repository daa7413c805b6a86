"""The dashboard: a page, and its numbers, which refresh automatically."""

from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotate.permissions import Access, access, look, researcher_page
from annotate.selectors.campaigns import listing, progress
from annotate.selectors.pay import budget
from annotate.selectors.review import reviews
from annotate.selectors.work import admission
from annotate.states import CampaignStatus as Status
from annotate.states import CloseReason
from estimation.selectors import dashboard, history, rankings

COLLECTS = (Status.OPEN, Status.PAUSED, Status.CLOSING)
MOST_AT_ONCE = 100  # campaigns in one answer
STOP_POLLING = 286  # htmx swaps the answer and stops polling


@require_safe
@never_cache
@researcher_page
def page(request: HttpRequest, public_id: str) -> HttpResponseBase:
    mine = access(request.user, public_id)
    if not mine.sees_results:
        return render(request, "estimates/hidden.html", _hidden(mine))
    return render(request, "estimates/dashboard.html", _context(mine))


@require_safe
@never_cache
@researcher_page
def numbers(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """Return the refreshing part; 204 if the page is up to date."""
    context = _context(access(request.user, public_id))
    board = context["board"]
    if request.GET.get("have") == context["fingerprint"] and board.live:
        return HttpResponse(status=204)
    status = 200 if board.live else STOP_POLLING
    return render(request, "estimates/_numbers.html", context, status=status)


@require_safe
@never_cache
@researcher_page
def at_target(request: HttpRequest) -> HttpResponseBase:
    """Return how many intervals are at their target, for the campaigns that are named."""
    assert request.user.pk is not None
    targets = listing.targets(request.user.pk, request.GET.getlist("campaign")[:MOST_AT_ONCE])
    reached = history.at_target({found.campaign_id: found.widths for found in targets})
    decided = rankings.decided([found.campaign_id for found in targets if found.margins])
    lines = [
        (found, decided.get(found.campaign_id, 0) if found.margins else reached[found.campaign_id])
        for found in targets
    ]
    return render(request, "estimates/_at_target.html", {"lines": lines})


def _context(mine: Access) -> dict[str, Any]:
    campaign = look(mine)
    facts = listing.facts(campaign)
    limit, reserved = _limits(campaign)
    most = budget.cost_at_most(campaign)
    board = dashboard.build(
        facts, price=most.of_judgment, most=most, limit=limit, reserved=reserved
    )
    return {
        "board": board,
        "facts": facts,
        "owner": mine.is_owner,
        "fingerprint": board.fingerprint,
        "section": "campaigns",
    }


def _limits(campaign: Any) -> tuple[CloseReason | None, bool]:
    """Return what forbids further leases permanently, and whether something does for now."""
    if campaign.status not in COLLECTS or not admission.blocked(campaign):
        return None, False
    limit = admission.blocked(campaign, for_now=False)
    return limit, limit is None


def _hidden(mine: Access) -> dict[str, Any]:
    """Return what a reviewer sees of a campaign that is not closed: no results."""
    campaign = mine.campaign
    return {
        "campaign": campaign,
        "progress": progress.progress(campaign.pk, cap=campaign.annotator_cap),
        "waiting": reviews.n_waiting(mine.user_id, campaign=campaign.public_id) or 0,
        "section": "campaigns",
    }
