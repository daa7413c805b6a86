"""The dashboard: a page, and its numbers, which refresh themselves."""

from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotate.permissions import is_owner, researcher_page, visible
from annotate.selectors import campaigns, costs
from annotate.services import admission
from estimation.selectors import dashboard, history

STOP_POLLING = 286  # htmx swaps the answer and asks no more


@require_safe
@never_cache
@researcher_page
def page(request: HttpRequest, public_id: str) -> HttpResponseBase:
    return render(request, "estimates/dashboard.html", _context(request, public_id))


@require_safe
@never_cache
@researcher_page
def numbers(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """The refreshing part; 204 where the asking page shows it already."""
    context = _context(request, public_id)
    board = context["board"]
    if request.GET.get("have") == context["fingerprint"] and board.live:
        return HttpResponse(status=204)
    status = 200 if board.live else STOP_POLLING
    return render(request, "estimates/_numbers.html", context, status=status)


@require_safe
@never_cache
@researcher_page
def at_target(request: HttpRequest) -> HttpResponseBase:
    """How many intervals are at their target, for each line of the campaign list."""
    assert request.user.pk is not None
    targets = campaigns.targets(request.user.pk)
    reached = history.at_target({found.campaign_id: found.widths for found in targets})
    lines = [(found, reached[found.campaign_id]) for found in targets]
    return render(request, "estimates/_at_target.html", {"lines": lines})


def _context(request: HttpRequest, public_id: str) -> dict[str, Any]:
    campaign = visible(request.user, public_id)
    facts = campaigns.facts(campaign)
    collects = not facts.is_closing or not admission.blocked(campaign, for_now=False)
    board = dashboard.build(
        facts, price=costs.of_judgment(campaign), most=costs.at_most(campaign), collects=collects
    )
    return {
        "board": board,
        "facts": facts,
        "owner": is_owner(request.user, campaign),
        "fingerprint": board.fingerprint,
        "section": "campaigns",
    }
