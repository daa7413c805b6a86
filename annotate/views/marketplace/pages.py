"""The batches of a campaign: what is published on its crowd, how far it is, what it costs."""

from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotate.permissions import is_owner, researcher_page, visible
from annotate.selectors.marketplace import batch_board
from annotate.selectors.pay import budget
from annotate.views.marketplace import operation_words

STOP_POLLING = 286  # htmx swaps the answer and asks no more


@require_safe
@never_cache
@researcher_page
def page(request: HttpRequest, public_id: str) -> HttpResponseBase:
    campaign = visible(request.user, public_id)
    if campaign.crowd == "link":
        context = {"campaign": campaign, "section": "campaigns"}
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
    board = batch_board.board(campaign.pk, campaign.crowd)
    return {
        "campaign": campaign,
        "board": board,
        "world": board.world,
        "owner": is_owner(request.user, campaign),
        "excess": budget.excess(campaign) if board.doubtful else None,
        "operations": [operation_words.said(op) for op in board.operations.listed],
        "fingerprint": board.fingerprint,
        "section": "campaigns",
    }
