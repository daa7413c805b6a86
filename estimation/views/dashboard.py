"""The dashboard: a page, and its numbers, which refresh automatically."""

import json
from typing import Any

from django.http import HttpRequest, HttpResponseBase, HttpResponseNotModified
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotate.permissions import Access, access, look, researcher_page, with_results
from annotate.selectors.campaigns import listing, progress
from annotate.selectors.review import reviews
from annotate.states import CampaignStatus as Status
from estimation.selectors import activity, comparisons, dashboard, history, rankings, versions
from estimation.selectors.criteria.contrasts import Adjustment
from estimation.selectors.criteria.strengths import strengths
from estimation.views import downloads

MOST_AT_ONCE = 100  # campaigns in one answer
STOP_POLLING = 286  # htmx swaps the answer and stops polling


@require_safe
@never_cache
@researcher_page
def page(request: HttpRequest, public_id: str) -> HttpResponseBase:
    mine = access(request.user, public_id)
    if not mine.sees_results:
        return render(request, "estimates/hidden.html", _hidden(mine))
    return render(
        request,
        "estimates/dashboard.html",
        _context(mine, _version(mine), request.GET.get("adjust", "")),
    )


@require_safe
@never_cache
@researcher_page
def numbers(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """Return the refreshing part; 304 if the page is up to date, which two queries find out."""
    mine = access(request.user, public_id)
    version = _version(mine)
    if request.headers.get("If-None-Match") == version:
        return HttpResponseNotModified(headers={"ETag": version})
    context = _context(mine, version, request.GET.get("adjust", ""))
    status = 200 if context["board"].live else STOP_POLLING
    answer = render(request, "estimates/_numbers.html", context, status=status)
    answer["ETag"] = version
    return answer


@require_safe
@never_cache
@researcher_page
def all_activity(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """The whole log of a campaign, page by page."""
    campaign = with_results(request.user, public_id)
    wanted = activity.asked(request.GET)
    context = {
        "campaign": campaign,
        "found": activity.page(campaign.pk, wanted),
        "wanted": wanted,
        "parts": [(key, part.name) for key, part in activity.PARTS.items()],
        "is_first": wanted == activity.ActivityWanted(wanted.part),
        "zone": timezone.get_current_timezone_name(),
        "section": "campaigns",
    }
    return render(request, "estimates/activity.html", context)


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


def _version(mine: Access) -> str:
    """Return the entity tag of what this person is shown; it is read before the numbers."""
    return f'"{versions.version(mine.campaign, mine.role)}"' if mine.sees_results else ""


def _context(mine: Access, version: str, adjust: str = "") -> dict[str, Any]:
    campaign = look(mine)
    facts = listing.facts(campaign)
    adjustment = comparisons.adjustment_of(facts, adjust)
    board = dashboard.of_campaign(campaign, adjustment)
    return {
        "board": board,
        "contents": _contents(board),
        **_adjusted(board, adjustment),
        "facts": facts,
        "owner": mine.is_owner,
        "runs": mine.runs,
        "reviews": mine.reviews,
        "asks": json.dumps({"If-None-Match": version}),
        "strengths": strengths(board.rows),
        "fingerprint": board.fingerprint,
        "section": "campaigns",
    }


def _adjusted(board: dashboard.Dashboard, adjustment: Adjustment) -> dict[str, Any]:
    """Return what the page says of the adjustment for many pairs, and how it is asked for."""
    facts = board.facts
    return {
        "chooses": any(table.grid for table in board.comparisons),
        "has_places": any(row.forest and row.places for row in board.primary_rows),
        "adjustment": adjustment,
        "adjustments": comparisons.offered(facts),
        "adjusted": f"adjusted: {comparisons.ADJUSTMENTS[adjustment]}",
        "about_adjustment": comparisons.explained(facts, adjustment),
        "adjusting": "" if adjustment == comparisons.USUAL else f"?adjust={adjustment}",
        "kinds": tuple(downloads.KINDS),
    }


def _contents(board: dashboard.Dashboard) -> list[tuple[str, str]]:
    """Return the sections of the page that are shown: (id of the heading, name)."""
    ranks = board.facts.is_ranking and board.facts.status != Status.DRAFT
    shown = board.is_shown or bool(board.excluded.judgments)
    sections = (
        ("next-h", "Now", True),
        ("forecast-h", "Forecast", board.outlook.is_shown),
        ("ranking-h", "Ranking", ranks),
        ("estimates-h", "Estimates", True),
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
        "waiting": reviews.n_waiting(mine.user_id, campaign=campaign.public_id) or 0,
        "section": "campaigns",
    }
