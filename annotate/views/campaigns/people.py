"""Inviting people, who has worked, and who else may see the campaign."""

from collections.abc import Sequence

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotate import adapters
from annotate.forms.base import NamesForm
from annotate.models import Campaign
from annotate.permissions import (
    access,
    researcher_page,
    reviewable,
    run,
    visible,
    with_results,
)
from annotate.screening.signals import signals_on
from annotate.selectors import listings
from annotate.selectors.campaigns import members, progress
from annotate.selectors.campaigns import protocol as words
from annotate.selectors.pay import people as listed
from annotate.selectors.studies import instruments
from annotate.selectors.work import feedback, people_records
from annotate.services.campaigns import amendments, links
from annotate.tokens import preview_token
from annotate.views.campaigns import budgets
from annotate.views.csv_files import csv_file


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@researcher_page
def people(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """Show the links and who came by them. POST makes personal links; nothing is stored for
    them."""
    reading = request.method != "POST"
    campaign = (visible if reading else reviewable)(request.user, public_id)
    names = NamesForm(request.POST or None)
    made = names.cleaned_data["names"] if names.is_valid() else []
    status = 422 if names.is_bound and not made else 200
    return _page(request, campaign, names=names, made=made, status=status)


ORDERS = {
    "judgments": "Most judgments",
    "last": "Judged last",
    "new": "Newest",
    "due": "Most due",
    "earned": "Most earned",
    "refused": "Most refused",
    "paid": "Most paid",
}
PARTS = {
    "all": "Everybody",
    "due": "Pay is due",
    "refused": "Pay is refused",
    "idle": "No judgment",
}
ROWS, COMMENTS = 50, 20  # on a page


def _asked(request: HttpRequest, *, reviews: bool) -> listings.Listing:
    sorts = ORDERS | {listed.FLAGGED: "Most flags"} if reviews else ORDERS
    return listings.asked(request.GET, sorts=sorts, choices=PARTS, size=ROWS, anchor="worked-h")


def _comments(request: HttpRequest) -> listings.Listing:
    number = {"comments": request.GET.get("comments", "")}
    return listings.asked(number, sorts={}, size=COMMENTS, anchor="feedback-h", param="comments")


def _page(
    request: HttpRequest,
    campaign: Campaign,
    *,
    names: NamesForm | None = None,
    made: Sequence[str] = (),
    status: int = 200,
) -> HttpResponseBase:
    role = _role(request, campaign)
    found = listed.of_campaign(campaign.pk, _asked(request, reviews=role["reviews"]), by_name=False)
    shown = [person.annotator_id for person in found.rows]
    records = people_records.of(campaign.pk, shown) if role["reviews"] else {}
    context = {
        "campaign": campaign,
        **role,
        "lines": [(person, records.get(person.annotator_id)) for person in found.rows],
        "tells_records": any(one.told for one in records.values()),
        "crowd": adapters.label(campaign.crowd),
        "link": links.of(campaign),
        "names": names or NamesForm(),
        "about": words.about(campaign.public_about, instruments.of(campaign), campaign.language),
        "personal": [(name, links.of(campaign, name)) for name in made],
        "preview": _preview(campaign),
        "feedback": feedback.summary(campaign.pk, _comments(request)),
        "people": found,
        "listing": found.listing,
        **budgets.context(campaign, n=found.n),
        "members": members.members(campaign.pk),
        "signals_on": signals_on(campaign.screening),
        "section": "campaigns",
    }
    return render(request, "campaigns/people.html", context, status=status)


@require_POST
@researcher_page
def withdraw_links(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """Make a new link for annotators, so that the common and all personal ones no longer work."""
    campaign = run(request.user, public_id)
    assert request.user.pk is not None
    amendments.withdraw_links(campaign.pk, actor_id=request.user.pk)
    messages.success(
        request, "There is a new link. The earlier ones let nobody in any more; work goes on."
    )
    return redirect("annotate:people", public_id)


@require_safe
@never_cache
@researcher_page
def export(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """All scores, by pseudonym; `counts` is 0 for those that do not enter the estimates."""
    campaign = with_results(request.user, public_id)
    columns = ("item", "systems", "pseudonym", "submitted_at", "criterion", "score", "counts")
    return csv_file(f"{public_id}-judgments.csv", columns, progress.judgments(campaign.pk))


def _role(request: HttpRequest, campaign: Campaign) -> dict[str, bool]:
    mine = access(request.user, campaign.public_id)
    return {"owner": mine.is_owner, "runs": mine.runs, "reviews": mine.reviews}


def _preview(campaign: Campaign) -> str:
    if campaign.crowd == "link":
        return reverse("annotate:preview", args=[links.token(campaign)])
    return reverse("annotate:batch-preview", args=[preview_token(campaign.pk, 1)])
