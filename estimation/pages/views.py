"""The dashboard: a page, and its numbers, which refresh automatically."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from django.http import (
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    HttpResponseNotModified,
    StreamingHttpResponse,
)
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET
from django.views.decorators.vary import vary_on_headers

from annotate.campaigns import lists as campaigns_lists
from annotate.campaigns import progress
from annotate.common import lists as common_lists
from annotate.common import numbers as common_numbers
from annotate.common.access import (
    Access,
    access,
    look,
    researcher_page,
    reviewable,
    safe_page,
    with_results,
)
from annotate.common.errors import NotFound
from annotate.common.lists import Filter
from annotate.models.base import CampaignStatus as Status
from annotate.review import queries as review_queries
from estimation import export, read, stopping
from estimation.export import FollowedDownload
from estimation.pages import dashboard, latex, pictures
from estimation.pages import numbers as pages_numbers
from estimation.pages import report as pages_report
from estimation.pages.criteria import Adjustment, by_system, strengths
from estimation.pages.report import CampaignReport, checklist, methods

MOST_AT_ONCE = 100  # campaigns in one answer
BY_NAME = "system:"  # an order of systems; no criterion has a colon in its name
STOP_POLLING = 286  # htmx swaps the answer and stops polling


@safe_page
def dashboard_page(request: HttpRequest, public_id: str) -> HttpResponseBase:
    mine = access(request.user, public_id)
    if not mine.sees_results:
        return render(request, "estimates/hidden.html", _hidden(mine))
    return render(
        request,
        "estimates/dashboard.html",
        _context(mine, request.GET),
    )


@safe_page
def numbers(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """Return the refreshing part; 304 if the page is up to date."""
    context = _context(access(request.user, public_id), request.GET)
    version = context["version"]
    if request.headers.get("If-None-Match") == version:
        return HttpResponseNotModified(headers={"ETag": version})
    status = 200 if context["board"].live else STOP_POLLING
    answer = render(request, "estimates/_numbers.html", context, status=status)
    answer["ETag"] = version
    return answer


@safe_page
def all_activity(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """The whole log of a campaign, page by page."""
    campaign = with_results(request.user, public_id)
    part, before = dashboard.asked(request.GET)
    lines, older = dashboard.activity_page(campaign.pk, part, before)
    context = {
        "campaign": campaign,
        "lines": lines,
        "older": older,
        "part": part,
        "parts": [(key, name) for key, (name, _verbs) in dashboard.PARTS.items()],
        "is_first": before == (None, None),
        "zone": timezone.get_current_timezone_name(),
        "section": "campaigns",
    }
    return render(request, "estimates/activity.html", context)


@safe_page
def at_target(request: HttpRequest) -> HttpResponseBase:
    """Return how many intervals are at their target, for the campaigns that are named."""
    assert request.user.pk is not None
    targets = campaigns_lists.targets(
        request.user.pk, request.GET.getlist("campaign")[:MOST_AT_ONCE]
    )
    reached = read.at_target({found.pk: found.widths for found in targets})
    decided = pages_numbers.decided([found.pk for found in targets if found.margins])
    lines = [
        (found, decided.get(found.pk, 0) if found.margins else reached[found.pk])
        for found in targets
    ]
    return render(request, "estimates/_at_target.html", {"lines": lines})


def _context(mine: Access, query: Mapping[str, str]) -> dict[str, Any]:
    """Return what the page shows; `version` is the entity tag of that."""
    campaign = look(mine)
    facts = campaigns_lists.facts(campaign)
    adjustment = pages_numbers.adjustment_of(facts, query.get("adjust", ""))
    board = dashboard.of_campaign(campaign, adjustment)
    version = f'"{board.fingerprint}-{mine.role}"'
    ordered = strengths(board.rows)
    where = {
        "ranks": facts.is_ranking and facts.status != Status.DRAFT,
        "ranks_below": board.has_table and not facts.compares,  # the table has the places
    }
    return {
        "board": board,
        "version": version,
        "contents": _contents(board, **where, strengths=bool(ordered)),
        **where,
        **_adjusted(board, adjustment),
        **_heat(board, adjustment, query),
        "facts": facts,
        "owner": mine.is_owner,
        "runs": mine.runs,
        "reviews": mine.reviews,
        "asks": json.dumps({"If-None-Match": version}),
        "strengths": ordered,
        "section": "campaigns",
    }


def _adjusted(board: dashboard.Dashboard, adjustment: Adjustment) -> dict[str, Any]:
    """Return what the page says of the adjustment for many pairs, and how it is asked for."""
    facts = board.facts
    return {
        "chooses": any(table.grid for table in board.comparisons),
        "has_places": any(
            board.has_table and any(cell.rank for cell in row.cells) for row in board.primary_rows
        ),
        "adjustment": adjustment,
        "adjustments": pages_numbers.offered(facts),
        "adjusted": f"adjusted: {pages_numbers.ADJUSTMENTS[adjustment]}",
        "about_adjustment": pages_numbers.explained(facts, adjustment),
        "adjusting": "" if adjustment == pages_numbers.USUAL else f"?adjust={adjustment}",
        "kinds": tuple(pictures.KINDS),
    }


def _heat(
    board: dashboard.Dashboard, adjustment: Adjustment, query: Mapping[str, str]
) -> dict[str, Any]:
    """Return the table of systems and criteria, in the order that is asked for.

    How often the first of two texts wins is not in it: a map shows that.
    """
    shown = (*board.primary_rows, *board.secondary_rows)
    rows = [row for row in shown if not row.criterion.wins_of]
    one_each = "Pair" if board.facts.compares else "System"
    listing = common_lists.asked(
        query,
        sorts={row.criterion.name: row.criterion.title for row in rows} | {BY_NAME: one_each},
        size=1,
        anchor="estimates-h",
        filters=(Filter("adjust", "", (), adjustment, usual=pages_numbers.USUAL),),
    )
    cells = [cell for row in rows for cell in row.cells]
    return {
        "heat": rows,
        "lines": by_system(rows, listing.sort, backwards=listing.backwards),
        "signs": {
            cell.sign.word: cell.sign for cell in cells if cell.shown and not cell.place
        }.values(),
        "answered": [row.criterion.name for row in rows if row.answers],
        "listing": listing,
        "by_name": BY_NAME,
        "one_each": one_each,
        "order": listing.kept,
        "kept_sort": replace(listing, filters=()).kept,
    }


def _contents(
    board: dashboard.Dashboard, *, ranks: bool, ranks_below: bool, strengths: bool
) -> list[tuple[str, str]]:
    """Return the sections of the page that are shown: (id of the heading, name)."""
    shown = board.is_shown or bool(board.excluded.judgments)
    sections = (
        ("next-h", "Now", True),
        ("forecast-h", "Forecast", board.outlook.is_shown),
        ("ranking-h", "Ranking", ranks and not ranks_below),
        ("strengths-h", "Strength", strengths),
        ("estimates-h", "Estimates", True),
        ("ranking-h", "Ranking", ranks and ranks_below),
        ("comparisons-h", "Differences", board.shows_differences and not board.facts.is_ranking),
        ("agreement-h", "Agreement", shown),
        ("sensitivity-h", "Excluded work", shown),
        ("activity-h", "Activity", True),
    )
    return [(key, name) for key, name, is_shown in sections if is_shown]


def _hidden(mine: Access) -> dict[str, Any]:
    """Return what a reviewer sees of a campaign that is not closed: no results."""
    campaign = mine.campaign
    return {
        "campaign": campaign,
        "progress": progress.progress(campaign.pk, cap=campaign.annotator_cap),
        "waiting": review_queries.n_waiting(mine.user_id, campaign=campaign.public_id) or 0,
        "section": "campaigns",
    }


# The effect of an exclusion on the estimates, on its review page; hidden until it is final.


@vary_on_headers("HX-Request")
@safe_page
def effect(request: HttpRequest, public_id: str, pseudonym: str) -> HttpResponseBase:
    """Return the effect of this annotator's exclusion: a fragment, otherwise a page."""
    campaign = reviewable(request.user, public_id)
    case = review_queries.case(campaign, pseudonym)
    if case is None:
        raise NotFound("No annotator of this name has entered this campaign.")
    context: dict[str, Any] = {
        "case": case,
        "effects": stopping.measure(*case.person) if case.shows_effect else (),
        "sees_results": access(request.user, public_id).sees_results,
        "section": "reviews",
    }
    fragment = bool(getattr(request, "htmx", False))
    template = "estimates/_effect.html" if fragment else "estimates/effect.html"
    return render(request, template, context)


# The whole campaign as one file.


PATIENCE = 20  # questions about a download that has told nothing yet; one a second


@require_GET
@never_cache
@researcher_page
def download(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """Send the export; `?of=` names the download for the page that asks how far it is."""
    campaign = with_results(request.user, public_id)
    name = _name(request, campaign.pk)
    if not name:
        return zipped(public_id)
    followed = FollowedDownload(name)
    parts = followed.over(export.stream(campaign.public_id, progress=followed.progress))
    return _answer(campaign.public_id, parts)


@safe_page
def standing_of(request: HttpRequest, public_id: str) -> HttpResponse:
    """Return the progress of the download `?of=`, as a fragment that reloads automatically."""
    campaign = with_results(request.user, public_id)
    found = export.find_progress(_name(request, campaign.pk))
    before = request.GET.get("asked", "")
    asked = 1 + (int(before) if before.isascii() and before.isdecimal() and len(before) < 4 else 0)
    shown = {"standing": found, "is_awaited": found is None and asked < PATIENCE, "asked": asked}
    token = request.GET.get("of", "")
    return render(request, "estimates/_export.html", {**shown, "of": token, "campaign": campaign})


def zipped(public_id: str) -> HttpResponseBase:
    """Return the export as a download that is generated while it is sent."""
    return _answer(public_id, export.stream(public_id))


def _answer(public_id: str, parts: Iterable[bytes]) -> HttpResponseBase:
    response = StreamingHttpResponse(parts, content_type="application/zip")
    response["Content-Disposition"] = f'attachment; filename="{export.name(public_id)}"'
    response["X-Accel-Buffering"] = "no"  # a proxy must not collect it first
    return response


def _name(request: HttpRequest, campaign_id: int) -> str:
    assert request.user.pk is not None  # a researcher's page
    return export.name_of(campaign_id, request.user.pk, request.GET.get("of", ""))


# The report of a campaign: a page to read and print, LaTeX, and BibTeX.


FILES = {
    "tex": (latex.document, "application/x-tex"),
    "bib": (latex.bibliography, "application/x-bibtex"),
}


@safe_page
def reporting_page(request: HttpRequest, public_id: str) -> HttpResponseBase:
    campaign = with_results(request.user, public_id)
    return render(request, "estimates/report.html", _report_context(pages_report.build(campaign)))


@safe_page
def download_report(request: HttpRequest, public_id: str, kind: str) -> HttpResponseBase:
    """Return one of `FILES`."""
    write, content_type = FILES[kind]
    report = pages_report.build(with_results(request.user, public_id))
    headers = {"Content-Disposition": f'attachment; filename="{report.name}.{kind}"'}
    return HttpResponse(
        write(report), content_type=f"{content_type}; charset=utf-8", headers=headers
    )


def _report_context(report: CampaignReport) -> dict[str, Any]:
    answers = checklist(report)
    return {
        "report": report,
        "board": report.board,
        "facts": report.facts,
        "methods": methods(report),
        "rows": [*report.board.primary_rows, *report.board.secondary_rows],
        "stops": [row.criterion.name for row in report.board.primary_rows if row.is_shown],
        "kinds": tuple(pictures.KINDS),
        "adjusting": "",
        "pairs": [
            (table, [(one, latex.interval_of(one), latex.p_value(p)) for one, p in pairs])
            for table, pairs in report.pairs
            if pairs
        ],
        "answers": answers,
        "n_answered": sum(not one.is_open for one in answers),
        "seconds": common_numbers.seconds(report.work.seconds),
        "bib": latex.bibliography(report),
        "section": "campaigns",
    }
