"""What the budget of a campaign holds, on the pages of people and of pay.

It adds up every commitment, so a campaign of many people shows it after the page.
"""

from decimal import Decimal
from typing import Any

from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotate.permissions import is_owner, researcher_page, visible
from annotate.selectors.pay import budget

MANY = 2000  # people


def context(campaign: Any, *, n: int) -> dict[str, Any]:
    """Return what a page with `n` people says about the budget: at once, or where to ask."""
    if campaign.budget is None:
        return {"excess": Decimal(0)}
    return {"budget_later": True} if n > MANY else _held(campaign)


@require_safe
@never_cache
@researcher_page
def later(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """The part of the page that was left out."""
    campaign = visible(request.user, public_id)
    owner = is_owner(request.user, campaign)
    return render(
        request, "campaigns/_budget.html", {"campaign": campaign, "owner": owner, **_held(campaign)}
    )


def _held(campaign: Any) -> dict[str, Any]:
    if campaign.budget is None:
        return {"excess": Decimal(0)}
    committed = budget.committed(campaign)
    return {"committed": committed, "excess": max(Decimal(0), committed - campaign.budget)}
