"""A picture as SVG or PNG, and its data as CSV: one answer for all pictures."""

import csv
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from annotate.campaigns import lists as campaigns_lists
from annotate.campaigns.lists import CampaignFacts
from annotate.common.access import researcher_page, with_results
from annotate.common.errors import NotFound
from annotate.instruments.base import Criterion
from estimation import read
from estimation.models import Estimate
from estimation.pages import charts as pages_charts
from estimation.pages import looks, numbers
from estimation.pages.charts import THEMES, narrowing

KINDS = {"svg": "image/svg+xml", "png": "image/png", "csv": "text/csv; charset=utf-8"}
PNG_SCALE = 3.0  # for print


def answer(
    kind: str,
    *,
    name: str,
    spec: Callable[[], dict[str, Any]],
    header: Sequence[str],
    rows: Iterable[Sequence[Any]],
    inline: bool = False,
) -> HttpResponse:
    """Return the picture or its data.

    kind: "svg", "png" or "csv". name: of the file. spec: makes the Vega-Lite specification.
    header, rows: of the CSV. inline: to be shown in a page, not saved.
    """
    if kind not in KINDS:
        raise NotFound("Pictures come as svg, png or csv.")
    response = HttpResponse(content_type=KINDS[kind])
    if not inline:
        response["Content-Disposition"] = f'attachment; filename="{name}.{kind}"'
    if kind == "csv":
        writer = csv.writer(response)
        writer.writerow(header)
        writer.writerows(rows)
    else:
        response.write(_drawn(kind, spec()))
    return response


def _drawn(kind: str, spec: dict[str, Any]) -> bytes:
    import vl_convert

    if kind == "png":
        # On white paper: a transparent picture is unreadable on a dark page.
        drawn: bytes = vl_convert.vegalite_to_png({**spec, "background": "white"}, scale=PNG_SCALE)
        return drawn
    return str(vl_convert.vegalite_to_svg(spec)).encode()


# Plots and their data, at addresses whose content never changes.


FOR_EVER = "private, max-age=31536000, immutable"
TABLE_POINTS = 12
COLUMNS = (
    "judgments",
    "estimate",
    "low",
    "high",
    "mean_estimate",
    "mean_low",
    "mean_high",
)


@require_safe
@researcher_page
def trend(
    request: HttpRequest, public_id: str, criterion: str, system_id: int, upto: int, theme: str
) -> HttpResponseBase:
    """Return the interval over judgments, as SVG."""
    facts = _facts(request, public_id, criterion, system_id)
    if theme not in THEMES:
        raise NotFound("There is no such plot.")
    drawn = pages_charts.svg(facts, _criterion(facts, criterion), system_id, upto, theme)
    if drawn is None:
        raise NotFound("There is no such plot.")
    return _kept(HttpResponse(drawn, content_type="image/svg+xml"))


@require_safe
@vary_on_headers("HX-Request")
@researcher_page
def table(
    request: HttpRequest, public_id: str, criterion: str, system_id: int, upto: int
) -> HttpResponseBase:
    """Return the same numbers as a table: a fragment for the dashboard, otherwise a page."""
    facts = _facts(request, public_id, criterion, system_id)
    context = {
        "facts": facts,
        "criterion": criterion,
        "system": next(s for s in facts.systems if s.system_id == system_id),
        "upto": upto,
        "points": _cut(
            facts, criterion, _points(facts, criterion, system_id, upto, most=TABLE_POINTS)
        ),
        "section": "campaigns",
    }
    fragment = bool(getattr(request, "htmx", False))
    template = "estimates/_table.html" if fragment else "estimates/table.html"
    return render(request, template, context)


@require_safe
@researcher_page
def charts_data(
    request: HttpRequest, public_id: str, criterion: str, system_id: int, upto: int
) -> HttpResponseBase:
    """Return the plotted points as CSV."""
    facts = _facts(request, public_id, criterion, system_id)
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    name = f"{public_id}-{criterion}-{system_id}.csv"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    writer = csv.writer(response)
    writer.writerow(COLUMNS)
    for p in _points(facts, criterion, system_id, upto, most=read.MOST_POINTS):
        writer.writerow(
            [p.n_judgments, p.estimate, p.low, p.high, p.mean_estimate, p.mean_low, p.mean_high]
        )
    return _kept(response)


def _facts(request: HttpRequest, public_id: str, criterion: str, system_id: int) -> CampaignFacts:
    facts = campaigns_lists.facts(with_results(request.user, public_id))
    known = any(c.name == criterion for c in facts.criteria)
    if not known or all(s.system_id != system_id for s in facts.systems):
        raise NotFound("There is no such plot.")
    return facts


def _points(
    facts: CampaignFacts, criterion: str, system_id: int, upto: int, *, most: int
) -> list[Estimate]:
    points = read.points(facts.campaign_id, criterion, most=most, upto=upto)
    return [point for point in points if point.system_id == system_id]


def _criterion(facts: CampaignFacts, name: str) -> Criterion:
    return next(criterion for criterion in facts.criteria if criterion.name == name)


def _cut(facts: CampaignFacts, criterion: str, points: list[Estimate]) -> list[Estimate]:
    """Cut the intervals to the scale, as the page shows them; the CSV has the whole intervals."""
    scale = _criterion(facts, criterion)
    for point in points:
        at = point.estimate
        point.low, point.high = read.cut(point.low, scale, at), read.cut(point.high, scale, at)
        point.mean_low = read.cut(point.mean_low, scale, at)
        point.mean_high = read.cut(point.mean_high, scale, at)
    return points


def _kept(response: HttpResponse) -> HttpResponse:
    response["Cache-Control"] = FOR_EVER
    return response


# Pictures of many systems, to be shown or saved: as SVG, PNG, or their data as CSV.


@require_safe
@never_cache
@researcher_page
def figure(
    request: HttpRequest, public_id: str, of: str, criterion: str, kind: str
) -> HttpResponseBase:
    """Return the estimates, the differences or the widths of all systems on a criterion.

    theme: in the address, for a picture that is shown in a page.
    """
    facts = campaigns_lists.facts(with_results(request.user, public_id))
    adjustment = numbers.adjustment_of(facts, request.GET.get("adjust", ""))
    drawn: dict[str, Any] = {
        "name": f"{public_id}-{of}-{criterion}",
        "inline": "theme" in request.GET,
    }
    if criterion not in facts.criterion_names:
        raise NotFound("There is no such picture.")
    spec: Callable[[], dict[str, Any]]
    if of == "estimates":
        if not (rows := looks.estimates(facts, criterion, adjustment)):
            raise NotFound("There is no estimate to draw yet.")
        spec = partial(pages_charts.forest, rows, title=criterion)
        return answer(kind, spec=spec, header=looks.ESTIMATES, rows=rows, **drawn)
    if of == "differences":
        table, rows = looks.differences(facts, criterion, adjustment)
        if table is None or not table.grid:
            raise NotFound("A matrix of differences needs three systems that were compared.")
        spec = partial(pages_charts.matrix, table.grid, title=criterion)
        return answer(kind, spec=spec, header=looks.DIFFERENCES, rows=rows, **drawn)
    if of != "history":
        raise NotFound("There is no such picture.")
    if not (rows := looks.widths(facts, criterion)):
        raise NotFound("There is no interval to draw yet.")
    target, theme = facts.targets.get(criterion), THEMES.get(request.GET.get("theme", ""))
    spec = partial(narrowing, rows, title=criterion, target=target, theme=theme)
    return answer(kind, spec=spec, header=looks.HISTORY, rows=rows, **drawn)


# Pages behind the numbers: metrics and judgments of a system and of one item.


PICTURES = ("scatter", "scores", "values")


@require_safe
@never_cache
@researcher_page
def systems(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """Show one system: a metric against the judgments, examples, and distributions."""
    campaign = with_results(request.user, public_id)
    found = looks.look(campaign, request.GET)
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
    found = looks.look(with_results(request.user, public_id), request.GET)
    if (
        name not in PICTURES
        or not found.content.get("n")
        or (name != "scores" and not found.beside)
    ):
        raise NotFound("There is no such picture.")
    theme = "dark" if request.GET.get("theme") == "dark" else "light"
    inline = "theme" in request.GET
    drawn: dict[str, Any] = {"name": f"{public_id}-{name}", "inline": inline}
    rows: list[tuple[Any, ...]]
    if name == "scatter":
        rows = list(looks.point_rows(found))
        cut = found.beside["cut"] if found.beside else (0.0, 0.0)
        asked: dict[str, Any] = {"metric": found.metric, "criterion": found.criterion, "cut": cut}
        spec = partial(pages_charts.scatter, rows, theme, **asked)
        return answer(kind, spec=spec, header=pages_charts.SCATTER, rows=rows, **drawn)
    values = found.beside and found.beside["values"]
    rows = list(looks.bins(found.content["scores"] if name == "scores" else values))
    title = f"mean answer, {found.criterion}" if name == "scores" else found.metric
    spec = partial(pages_charts.bars, rows, theme, title=title)
    return answer(kind, spec=spec, header=pages_charts.BARS, rows=rows, **drawn)


@require_safe
@never_cache
@vary_on_headers("HX-Request")
@researcher_page
def item(request: HttpRequest, public_id: str, number: int) -> HttpResponseBase:
    """Return an item's metrics and judgments: a fragment, otherwise a page."""
    campaign = with_results(request.user, public_id)
    rows, at = looks.of_item(campaign, number)
    context = {
        "campaign": campaign,
        "number": number,
        "rows": rows,
        "at": at,
        "section": "campaigns",
    }
    fragment = bool(getattr(request, "htmx", False))
    template = "estimates/_item_metrics.html" if fragment else "estimates/item_metrics.html"
    return render(request, template, context)
