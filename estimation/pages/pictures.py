"""A picture as SVG or PNG, and its data as CSV: one answer for all pictures."""

import csv
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any
from urllib.parse import urlencode

from django.core.cache import cache
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from annotate.campaigns import lists as campaigns_lists
from annotate.campaigns.lists import CampaignFacts
from annotate.common.access import researcher_page, safe_page, with_results
from annotate.common.errors import NotFound
from annotate.instruments.base import Criterion
from estimation import read
from estimation.models import Estimate
from estimation.pages import charts, looks, numbers
from estimation.pages.charts import THEMES

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
    elif kind == "png":
        import vl_convert

        # On white paper: a transparent picture is unreadable on a dark page.
        paper = {**spec(), "background": "white"}
        response.write(vl_convert.vegalite_to_png(paper, scale=PNG_SCALE))
    else:
        response.write(charts.svg(spec()))
    return response


# Plots and their data, at addresses whose content never changes.


FOR_EVER = "private, max-age=31536000, immutable"
KEEP_SECONDS = 3600  # a plot where all processes see it
TABLE_POINTS = 12
COLUMNS = ("estimate", "low", "high", "mean_estimate", "mean_low", "mean_high")


@require_safe
@researcher_page
def trend(
    request: HttpRequest, public_id: str, criterion: str, system_id: int, upto: int, theme: str
) -> HttpResponseBase:
    """Return the interval over judgments, as SVG; it is drawn once for each estimate."""
    facts, asked = _facts(request, public_id, criterion, system_id)
    if theme not in THEMES:
        raise NotFound("There is no such plot.")
    key = f"plot:{facts.campaign_id}:{criterion}:{system_id}:{upto}:{theme}"
    drawn: bytes | None = cache.get(key)
    if drawn is None:
        points = read.points(facts.campaign_id, criterion, upto=upto)
        mine = [point for point in points if point.system_id == system_id]
        if not mine:
            raise NotFound("There is no such plot.")
        target = facts.targets.get(criterion)
        frame = charts.axis_frame(points, criterion=asked, target=target)
        more: dict[str, Any] = {"target": target, "with_metric": bool(facts.metrics)}
        drawn = charts.svg(charts.trend_chart(mine, frame, THEMES[theme], **more))
        cache.set(key, drawn, KEEP_SECONDS)
    return _kept(HttpResponse(drawn, content_type=KINDS["svg"]))


@require_safe
@vary_on_headers("HX-Request")
@researcher_page
def table(
    request: HttpRequest, public_id: str, criterion: str, system_id: int, upto: int
) -> HttpResponseBase:
    """Return the same numbers as a table: a fragment for the dashboard, otherwise a page.

    Intervals are cut to the scale, as the page shows them; the CSV has the whole intervals.
    """
    facts, asked = _facts(request, public_id, criterion, system_id)
    points = _points(facts, criterion, system_id, upto, most=TABLE_POINTS)
    for point in points:
        ends = (point.low, point.high, point.mean_low, point.mean_high)
        point.low, point.high, point.mean_low, point.mean_high = (
            read.cut(end, asked, point.estimate) for end in ends
        )
    context = {
        "facts": facts,
        "criterion": criterion,
        "system": next(s for s in facts.systems if s.system_id == system_id),
        "upto": upto,
        "points": points,
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
    facts, _asked = _facts(request, public_id, criterion, system_id)
    points = _points(facts, criterion, system_id, upto, most=read.MOST_POINTS)
    return _kept(
        answer(
            "csv",
            name=f"{public_id}-{criterion}-{system_id}",
            spec=dict,
            header=("judgments", *COLUMNS),
            rows=([p.n_judgments, *(getattr(p, name) for name in COLUMNS)] for p in points),
        )
    )


def _facts(
    request: HttpRequest, public_id: str, criterion: str, system_id: int
) -> tuple[CampaignFacts, Criterion]:
    facts = campaigns_lists.facts(with_results(request.user, public_id))
    asked = next((one for one in facts.criteria if one.name == criterion), None)
    if asked is None or all(one.system_id != system_id for one in facts.systems):
        raise NotFound("There is no such plot.")
    return facts, asked


def _points(
    facts: CampaignFacts, criterion: str, system_id: int, upto: int, *, most: int
) -> list[Estimate]:
    points = read.points(facts.campaign_id, criterion, most=most, upto=upto)
    return [point for point in points if point.system_id == system_id]


def _kept(response: HttpResponse) -> HttpResponse:
    response["Cache-Control"] = FOR_EVER
    return response


# Pictures of many systems, to be shown or saved: as SVG, PNG, or their data as CSV.


@safe_page
def figure(
    request: HttpRequest, public_id: str, of: str, criterion: str, kind: str
) -> HttpResponseBase:
    """Return the estimates, the differences or the widths of all systems on a criterion.

    theme: in the address, for a picture that is shown in a page.
    """
    facts = campaigns_lists.facts(with_results(request.user, public_id))
    adjustment = numbers.adjustment_of(facts, request.GET.get("adjust", ""))
    title = next((one.title for one in facts.criteria if one.name == criterion), None)
    if title is None:
        raise NotFound("There is no such picture.")
    draw: Callable[..., dict[str, Any]]
    header: Sequence[str]
    if of == "estimates":
        rows, header = looks.estimates(facts, criterion, adjustment), looks.ESTIMATES
        draw, lacking = partial(charts.forest, rows), "There is no estimate to draw yet."
    elif of == "differences":
        compared, rows = looks.differences(facts, criterion, adjustment)
        grid, header = compared.grid if compared else (), looks.DIFFERENCES
        rows = rows if grid else []
        draw = partial(charts.matrix, grid)
        lacking = "A matrix of differences needs three systems that were compared."
    elif of == "history":
        rows, header = looks.widths(facts, criterion), looks.HISTORY
        theme = THEMES.get(request.GET.get("theme", ""))
        target = facts.targets.get(criterion)
        draw = partial(charts.narrowing, rows, target=target, theme=theme)
        lacking = "There is no interval to draw yet."
    else:
        raise NotFound("There is no such picture.")
    if not rows:
        raise NotFound(lacking)
    return answer(
        kind,
        name=f"{public_id}-{of}-{criterion}",
        spec=partial(draw, title=title),
        header=header,
        rows=rows,
        inline="theme" in request.GET,
    )


# Pages behind the numbers: metrics and judgments of a system and of one item.


PICTURES = ("scatter", "scores", "values")


@safe_page
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


@safe_page
def picture(request: HttpRequest, public_id: str, name: str, kind: str) -> HttpResponseBase:
    """Return one of the pictures as SVG or PNG, or its data as CSV."""
    found = looks.look(with_results(request.user, public_id), request.GET)
    metric = found.beside
    if name not in PICTURES or not found.content.get("n") or (name != "scores" and metric is None):
        raise NotFound("There is no such picture.")
    theme = "dark" if request.GET.get("theme") == "dark" else "light"
    rows: list[tuple[Any, ...]]
    header: Sequence[str]
    if metric is not None and name == "scatter":
        rows, header = list(looks.point_rows(found)), charts.SCATTER
        asked: dict[str, Any] = {"metric": found.metric, "criterion": found.criterion}
        spec = partial(charts.scatter, rows, theme, cut=metric["cut"], **asked)
    elif metric is not None and name == "values":
        rows, header = list(looks.bins(metric["values"])), charts.BARS
        spec = partial(charts.bars, rows, theme, title=found.metric)
    else:
        rows, header = list(looks.bins(found.content["scores"])), charts.BARS
        spec = partial(charts.bars, rows, theme, title=f"mean answer, {found.criterion}")
    return answer(
        kind,
        name=f"{public_id}-{name}",
        spec=spec,
        header=header,
        rows=rows,
        inline="theme" in request.GET,
    )


@vary_on_headers("HX-Request")
@safe_page
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
