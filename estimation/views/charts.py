"""Plots and their data, at addresses whose content never changes."""

import csv
from dataclasses import replace

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from annotate.errors import NotFound
from annotate.instruments.base import Criterion
from annotate.permissions import researcher_page, with_results
from annotate.selectors.campaigns import listing
from annotate.selectors.campaigns.listing import CampaignFacts
from estimation.charts import render as charts
from estimation.charts.theme import THEMES
from estimation.selectors import history, shown
from estimation.selectors.history import Point

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
    drawn = charts.svg(
        charts.Wanted(
            facts.campaign_id,
            _criterion(facts, criterion),
            system_id,
            upto,
            facts.targets.get(criterion),
            bool(facts.metrics),
            theme,
        )
    )
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
def data(
    request: HttpRequest, public_id: str, criterion: str, system_id: int, upto: int
) -> HttpResponseBase:
    """Return the plotted points as CSV."""
    facts = _facts(request, public_id, criterion, system_id)
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    name = f"{public_id}-{criterion}-{system_id}.csv"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    writer = csv.writer(response)
    writer.writerow(COLUMNS)
    for p in _points(facts, criterion, system_id, upto, most=history.MOST_POINTS):
        writer.writerow(
            [p.n_judgments, p.estimate, p.low, p.high, p.mean_estimate, p.mean_low, p.mean_high]
        )
    return _kept(response)


def _facts(request: HttpRequest, public_id: str, criterion: str, system_id: int) -> CampaignFacts:
    facts = listing.facts(with_results(request.user, public_id))
    known = any(c.name == criterion for c in facts.criteria)
    if not known or all(s.system_id != system_id for s in facts.systems):
        raise NotFound("There is no such plot.")
    return facts


def _points(
    facts: CampaignFacts, criterion: str, system_id: int, upto: int, *, most: int
) -> list[Point]:
    points = history.points(facts.campaign_id, criterion, most=most, upto=upto)
    return [point for point in points if point.system_id == system_id]


def _criterion(facts: CampaignFacts, name: str) -> Criterion:
    return next(criterion for criterion in facts.criteria if criterion.name == name)


def _cut(facts: CampaignFacts, criterion: str, points: list[Point]) -> list[Point]:
    """Cut the intervals to the scale, as the page shows them; the CSV has the whole intervals."""
    scale = _criterion(facts, criterion)

    def cut(point: Point) -> Point:
        to = shown.of_scale(scale, point.estimate).cut
        return replace(
            point,
            low=to(point.low),
            high=to(point.high),
            mean_low=to(point.mean_low),
            mean_high=to(point.mean_high),
        )

    return [cut(point) for point in points]


def _kept(response: HttpResponse) -> HttpResponse:
    response["Cache-Control"] = FOR_EVER
    return response
