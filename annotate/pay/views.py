"""Paying people by hand: what is due, extra pay, lists to pay by, and marking them as paid.

For the owner alone: it is the one place where pseudonyms and names meet.
"""

import uuid
from decimal import Decimal
from typing import Any, cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotate.campaigns import views as campaigns_views
from annotate.campaigns.forms import GiftForm
from annotate.common import lists as common_lists
from annotate.common.access import made_here, owned, researcher_page
from annotate.common.errors import Conflict, Invalid, NotFound
from annotate.common.numbers import money_text
from annotate.common.requests import csv_file
from annotate.pay import payouts, tallies
from annotate.pay import queries as pay_queries

ORDERS = {
    "due": "Most due",
    "earned": "Most earned",
    "paid": "Most paid",
    "refused": "Most refused",
    "name": "Name or code",
    "new": "Newest",
}
PARTS = {"all": "Everybody", "due": "Pay is due", "refused": "Pay is refused"}
ROWS, LINES, LISTS = 50, 100, 10  # on a page: accounts, lines of a list, lists


@require_safe
@never_cache
@researcher_page
def page(request: HttpRequest, public_id: str) -> HttpResponseBase:
    made_here(owned(request.user, public_id))
    new = {"key": uuid.uuid4().hex, "annotator": request.GET.get("to", "")[:16]}
    return _page(request, public_id, GiftForm(initial=new))


@require_POST
@never_cache
@researcher_page
def give(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """A bonus or a compensation; the form's key makes a second click give nothing."""
    campaign = made_here(owned(request.user, public_id))
    form = GiftForm(request.POST)
    if not form.is_valid():
        return _page(request, public_id, form, status=422)
    try:
        given = payouts.give(
            campaign.pk,
            form.gift(),
            actor_id=_actor(request),
            beyond_budget=form.cleaned_data["beyond_budget"],
        )
    except NotFound as unknown:
        form.add_error("annotator", unknown.message)
        return _page(request, public_id, form, status=422)
    except Invalid as refused:
        for field, message in refused.errors.items():
            form.add_error(field, message)
        return _page(request, public_id, form, status=422)
    except Conflict as refused:
        form.offer_beyond_budget = refused.code == "budget"
        form.add_error(None, refused.message)
        return _page(request, public_id, form, status=409)
    messages.success(request, _said(given, form.gift().pseudonym))
    return redirect("annotate:pay", public_id)


@require_POST
@researcher_page
def prepare(request: HttpRequest, public_id: str) -> HttpResponseBase:
    campaign = owned(request.user, public_id)
    try:
        made = payouts.prepare(campaign.pk, actor_id=_actor(request))
    except Conflict as refused:
        messages.error(request, refused.message)
        return redirect("annotate:pay", public_id)
    return redirect("annotate:payout-list", public_id, made.public_id)


@require_safe
@never_cache
@researcher_page
def payout_list(request: HttpRequest, public_id: str, list_id: str) -> HttpResponseBase:
    campaign = owned(request.user, public_id)
    lines = common_lists.asked(request.GET, sorts={}, size=LINES, anchor="lines")
    found = payouts.summary(campaign, list_id)
    listing, shown = payouts.lines_page(found, lines)
    context = {"campaign": campaign, "list": found, "lines": shown, "listing": listing}
    context["section"] = "campaigns"
    return render(request, "campaigns/payout_list.html", context)


@require_safe
@never_cache
@researcher_page
def payout_file(request: HttpRequest, public_id: str, list_id: str) -> HttpResponseBase:
    """The list to pay by: the names under which the crowd knows people, and what each gets."""
    found = payouts.summary(owned(request.user, public_id), list_id)
    rows = (
        (found.public_id, line.pseudonym, line.external_id, line.amount)
        for line in payouts.lines(found)
    )
    columns = ("list", "pseudonym", "external_id", "amount_usd")
    return csv_file(f"{public_id}-payout-{list_id}.csv", columns, rows)


@require_safe
@never_cache
@researcher_page
def statement(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """Everybody's account: what was earned, refused, paid, and is due."""
    campaign = owned(request.user, public_id)
    people: dict[tuple[str, str], list[Any]] = {}
    for one in tallies.accounts_of_campaign(campaign.pk):
        people.setdefault((one.pseudonym, one.external_id), []).append(one)
    sums = {names: tallies.totals(mine) for names, mine in people.items()}
    rows = [(*names, one.earned, one.refused, one.paid, one.due) for names, one in sums.items()]
    columns = ("pseudonym", "external_id", "earned_usd", "refused_usd", "paid_usd", "due_usd")
    return csv_file(f"{public_id}-payments.csv", columns, rows)


@require_POST
@researcher_page
def mark(request: HttpRequest, public_id: str, list_id: str) -> HttpResponseBase:
    found = payouts.summary(owned(request.user, public_id), list_id)
    try:
        n = payouts.mark_paid(found.pk, actor_id=_actor(request))
    except Conflict as refused:
        messages.error(request, refused.message)
    else:
        if n:
            messages.success(request, f"{money_text(found.amount)} recorded as paid.")
        else:
            messages.info(request, "This list was marked as paid before. Nothing was added.")
    return redirect("annotate:payout-list", public_id, list_id)


@require_POST
@researcher_page
def undo(request: HttpRequest, public_id: str, list_id: str) -> HttpResponseBase:
    found = payouts.summary(owned(request.user, public_id), list_id)
    names, reason = request.POST.getlist("annotator"), request.POST.get("reason", "")
    try:
        n = payouts.undo(found.pk, names, actor_id=_actor(request), reason=reason)
        messages.success(request, f"Taken back for {n}: it is due again.")
    except (Conflict, Invalid) as refused:
        messages.error(request, refused.message)
    return redirect("annotate:payout-list", public_id, list_id)


def _page(
    request: HttpRequest, public_id: str, form: GiftForm, *, status: int = 200
) -> HttpResponseBase:
    campaign = owned(request.user, public_id)
    asked = common_lists.asked(
        request.GET, sorts=ORDERS, choices=PARTS, size=ROWS, anchor="accounts-h"
    )
    found = pay_queries.people_of_campaign(campaign.pk, asked, by_name=True)
    form.label_amount(campaign.currency)
    context: dict[str, Any] = {
        "campaign": campaign,
        "people": found,
        "listing": found.listing,
        "totals": found.totals,
        "paid_by": payouts.paid_by(campaign),
        "form": form,
        "section": "campaigns",
        **campaigns_views.budget_context(campaign, n=found.n),
        **_lists(request, campaign),
    }
    return render(request, "campaigns/pay.html", context, status=status)


def _lists(request: HttpRequest, campaign: Any) -> dict[str, Any]:
    """Return a page of the lists."""
    number = {"lists": request.GET.get("lists", "")}
    asked = common_lists.asked(number, sorts={}, size=LISTS, anchor="lists-h", param="lists")
    found, lists = payouts.summaries(campaign.pk, asked)
    return {"lists": lists, "lists_listing": found}


def _said(given: payouts.GiftReceipt, pseudonym: str) -> str:
    if given.already:
        return f"{money_text(given.amount)} was given to {pseudonym} before. Nothing was added."
    said = f"{money_text(given.amount)} given to {pseudonym}."
    if given.beyond_budget > Decimal(0):
        said += f" The budget is exceeded by {money_text(given.beyond_budget)}."
    return said


def _actor(request: HttpRequest) -> int:
    return cast(User, request.user).pk
