"""Pictures of many systems, to be shown or saved: as SVG, PNG, or their data as CSV."""

from collections.abc import Callable
from functools import partial
from typing import Any

from django.http import HttpRequest, HttpResponseBase
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotate.errors import NotFound
from annotate.permissions import researcher_page, with_results
from annotate.selectors.campaigns import listing
from annotate.selectors.campaigns.listing import CampaignFacts
from estimation.charts import compared as charts
from estimation.charts.narrowing import narrowing
from estimation.charts.theme import THEMES
from estimation.selectors import comparisons
from estimation.selectors.criteria.contrasts import Adjustment
from estimation.selectors.looks import compared
from estimation.views import downloads


@require_safe
@never_cache
@researcher_page
def figure(
    request: HttpRequest, public_id: str, of: str, criterion: str, kind: str
) -> HttpResponseBase:
    """Return the estimates, the differences or the widths of all systems on a criterion.

    theme: in the address, for a picture that is shown in a page.
    """
    facts = listing.facts(with_results(request.user, public_id))
    adjustment = comparisons.adjustment_of(facts, request.GET.get("adjust", ""))
    makes: dict[str, Callable[[CampaignFacts, str, Adjustment], dict[str, Any]]] = {
        "estimates": _estimates,
        "differences": _differences,
        "history": partial(_history, theme=request.GET.get("theme", "")),
    }
    if of not in makes or criterion not in facts.criterion_names:
        raise NotFound("There is no such picture.")
    drawn = makes[of](facts, criterion, adjustment)
    inline = "theme" in request.GET
    return downloads.answer(kind, name=f"{public_id}-{of}-{criterion}", inline=inline, **drawn)


def _estimates(facts: CampaignFacts, criterion: str, adjustment: Adjustment) -> dict[str, Any]:
    rows = compared.estimates(facts, criterion, adjustment)
    if not rows:
        raise NotFound("There is no estimate to draw yet.")
    return {
        "spec": lambda: charts.forest(rows, title=criterion),
        "header": compared.ESTIMATES,
        "rows": lambda: rows,
    }


def _differences(facts: CampaignFacts, criterion: str, adjustment: Adjustment) -> dict[str, Any]:
    table, rows = compared.differences(facts, criterion, adjustment)
    if table is None or not table.grid:
        raise NotFound("A matrix of differences needs three systems that were compared.")
    return {
        "spec": lambda: charts.matrix(table.grid, title=criterion),
        "header": compared.DIFFERENCES,
        "rows": lambda: rows,
    }


def _history(
    facts: CampaignFacts, criterion: str, _adjustment: Adjustment, *, theme: str
) -> dict[str, Any]:
    rows = compared.widths(facts, criterion)
    if not rows:
        raise NotFound("There is no interval to draw yet.")
    target, shown = facts.targets.get(criterion), THEMES.get(theme)
    return {
        "spec": lambda: narrowing(rows, title=criterion, target=target, theme=shown),
        "header": compared.HISTORY,
        "rows": lambda: rows,
    }
