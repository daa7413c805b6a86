"""One annotator over all campaigns that the user may review, and one act on several of them."""

from typing import Any

from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotate.errors import Invalid, NotFound
from annotate.permissions import researcher_page
from annotate.selectors.review import across_campaigns, effects, opened
from annotate.selectors.review.across_campaigns import Elsewhere
from annotate.services.review import reviewing
from annotate.text.numerals import number
from annotate.views.review import choices, words

CHOICES = [choices.BY_CODE[code] for code in choices.EVERYWHERE]


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@researcher_page
def page(request: HttpRequest, pseudonym: str) -> HttpResponseBase:
    """POST rules in each chosen campaign, in a transaction of its own."""
    assert request.user.pk is not None
    rows = across_campaigns.everywhere(request.user.pk, pseudonym)
    if not rows:
        raise NotFound("No annotator of this name has entered a campaign that you may review.")
    if request.method != "POST":
        return _page(request, pseudonym, rows)
    try:
        results = _rule(request, rows)
    except Invalid as error:
        return _page(request, pseudonym, rows, error=error)
    fresh = across_campaigns.everywhere(request.user.pk, pseudonym)
    return _page(request, pseudonym, fresh, results=results)


def _rule(request: HttpRequest, rows: list[Elsewhere]) -> list[Any]:
    chosen = set(request.POST.getlist("campaign"))
    choice = next((one for one in CHOICES if one.code == request.POST.get("choice")), None)
    errors = {}
    if not any(row.campaign in chosen for row in rows):
        errors["campaign"] = "Choose at least one campaign."
    if choice is None:
        errors["choice"] = "Choose a ruling."
    assert request.user.pk is not None
    there = [row for row in rows if row.campaign in chosen]
    if _unopened(request.user.pk, there) and not request.POST.get("unopened"):
        errors["unopened"] = (
            "You have not opened every case. Open the evidence, or tick that you rule without "
            "having done so."
        )
    if errors or choice is None:
        raise Invalid(errors)
    results = reviewing.rule_everywhere(
        [_as_shown(request, row) for row in there],
        choice.acts,
        actor_id=request.user.pk,
        reason=request.POST.get("reason", ""),
    )
    return [(one, _told(one)) for one in results]


def _unopened(user_id: int, rows: list[Elsewhere]) -> list[str]:
    """Return the campaigns in which this person has not opened the case."""
    keys = {(row.campaign_id, row.annotator_id): row.campaign for row in rows}
    seen = opened.cases(user_id, keys)
    return [campaign for key, campaign in keys.items() if key not in seen]


def _as_shown(request: HttpRequest, row: Elsewhere) -> Elsewhere:
    """The row with the last ruling that the page had shown, not the newest there is."""
    return row.shown(number(request.POST.get(f"seen-{row.campaign}", "")) or 0)


def _told(result: reviewing.Result) -> str:
    if result.problem:
        return result.problem
    done = effects.done(result.ruling_ids)
    if done.out or done.back:
        return f"{done.out or done.back} judgments {'out' if done.out else 'back'}."
    return "Done."


def _page(
    request: HttpRequest,
    pseudonym: str,
    rows: list[Elsewhere],
    *,
    error: Invalid | None = None,
    results: list[Any] | None = None,
) -> HttpResponseBase:
    tick = request.POST.getlist("campaign") if error else [row.campaign for row in rows]
    assert request.user.pk is not None
    context = {
        "pseudonym": pseudonym,
        "unopened": _unopened(request.user.pk, rows),
        "rows": [(row, [words.title(one) for one in row.screens]) for row in rows],
        "chosen": tick,
        "choices": CHOICES,
        "choice": request.POST.get("choice", "") if error else "",
        "reason": request.POST.get("reason", "") if error else "",
        "error": error,
        "results": results,
        "section": "reviews",
    }
    status = error.status if error else 200
    return render(request, "reviews/everywhere.html", context, status=status)
