"""Pages behind the numbers: metrics and judgments of a system and of one item."""

from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from annotate.errors import NotFound
from annotate.permissions import researcher_page, with_results
from estimation.charts import looks
from estimation.selectors.looks import item as items
from estimation.selectors.looks import system as selectors
from estimation.selectors.looks.system import SystemLook
from estimation.views import downloads

PICTURES = ("scatter", "scores", "values")


@require_safe
@never_cache
@researcher_page
def systems(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """Show one system: a metric against the judgments, examples, and distributions."""
    campaign = with_results(request.user, public_id)
    found = selectors.look(campaign, request.GET)
    context = {
        "campaign": campaign,
        "look": found,
        "query": urlencode(found.query),
        "section": "campaigns",
    }
    return render(request, "estimates/systems.html", context)


@require_safe
@never_cache
@researcher_page
def picture(request: HttpRequest, public_id: str, name: str, kind: str) -> HttpResponseBase:
    """Return one of the pictures as SVG or PNG, or its data as CSV."""
    found = selectors.look(with_results(request.user, public_id), request.GET)
    if (
        name not in PICTURES
        or not found.content.get("n")
        or (name != "scores" and not found.beside)
    ):
        raise NotFound("There is no such picture.")
    theme = "dark" if request.GET.get("theme") == "dark" else "light"
    inline = "theme" in request.GET
    drawn = _scatter(found, theme) if name == "scatter" else _bars(found, name, theme)
    return downloads.answer(kind, name=f"{public_id}-{name}", inline=inline, **drawn)


def _scatter(found: SystemLook, theme: str) -> dict[str, Any]:
    def rows() -> list[tuple[Any, ...]]:
        return list(selectors.point_rows(found))

    def spec() -> dict[str, Any]:
        cut = found.beside["cut"] if found.beside else (0.0, 0.0)
        asked = {"metric": found.metric, "criterion": found.criterion}
        return looks.scatter(rows(), theme, cut=cut, **asked)

    return {"spec": spec, "header": looks.SCATTER, "rows": rows}


def _bars(found: SystemLook, name: str, theme: str) -> dict[str, Any]:
    values = found.beside and found.beside["values"]
    chosen = found.content["scores"] if name == "scores" else values
    title = f"mean answer, {found.criterion}" if name == "scores" else found.metric

    def rows() -> list[tuple[Any, ...]]:
        return list(selectors.bins(chosen))

    def spec() -> dict[str, Any]:
        return looks.bars(rows(), theme, title=title)

    return {"spec": spec, "header": looks.BARS, "rows": rows}


@require_safe
@never_cache
@vary_on_headers("HX-Request")
@researcher_page
def item(request: HttpRequest, public_id: str, number: int) -> HttpResponseBase:
    """Return an item's metrics and judgments: a fragment, otherwise a page."""
    campaign = with_results(request.user, public_id)
    context = {
        "campaign": campaign,
        "metrics": items.of_item(campaign, number),
        "section": "campaigns",
    }
    fragment = bool(getattr(request, "htmx", False))
    template = "estimates/_item_metrics.html" if fragment else "estimates/item_metrics.html"
    return render(request, template, context)
