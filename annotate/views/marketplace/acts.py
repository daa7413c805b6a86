"""Owners' acts on batches: compare with the crowd, stop, extend, decide about operations."""

import uuid
from decimal import Decimal, InvalidOperation
from typing import Any, cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from annotate.errors import Conflict, Invalid, NotFound
from annotate.forms.marketplace import ExtendForm
from annotate.permissions import owned, researcher_page
from annotate.selectors.marketplace import batches as rows
from annotate.selectors.marketplace import operations
from annotate.selectors.marketplace.batch_rows import BatchRow
from annotate.selectors.pay import open_units
from annotate.services.marketplace import batches, reconciling
from annotate.services.marketplace.offer_problems import by_field
from annotate.services.marketplace.offers import Offer
from annotate.services.outbox import delivery
from annotate.services.pay import settling
from annotate.views.marketplace import batch_words as words

DONE = {
    "retry": "It is tried again.",
    "happened": "Noted: it happened.",
    "not-happened": "It is done again.",
    "drop": "Dropped: it will not be done.",
}


@require_POST
@researcher_page
def look(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """Ask a worker to compare everything with the crowd; the page updates as results come in."""
    campaign = owned(request.user, public_id)
    n = reconciling.look(campaign.pk, actor_id=_actor(request))
    asked = "The crowd is being asked. This page updates automatically."
    text = asked if n else "Nothing is published"
    messages.info(request, text)
    return redirect("annotate:batches", public_id)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@researcher_page
def stop(request: HttpRequest, public_id: str, batch_id: str) -> HttpResponseBase:
    """GET says what will happen, POST does it."""
    campaign = owned(request.user, public_id)
    row = rows.one(campaign.pk, batch_id)
    if request.method != "POST":
        context = {"campaign": campaign, "batch": row, "world": row.world, "section": "campaigns"}
        return render(request, "campaigns/batch_stop.html", context)
    if batches.stop(row.batch_id, actor_id=_actor(request)):
        messages.success(request, "The batch is being stopped: no one new can enter.")
    else:
        messages.info(request, "The batch had been stopped already.")
    return redirect("annotate:batches", public_id)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@researcher_page
def extend(request: HttpRequest, public_id: str, batch_id: str) -> HttpResponseBase:
    """The first press shows what further places cost, the second asks for them."""
    campaign = owned(request.user, public_id)
    row = rows.one(campaign.pk, batch_id)
    if request.method != "POST":
        start = {
            "key": uuid.uuid4().hex,
            "places": batches.suggested_places(campaign.pk, row.tasks) or 1,
        }
        return _extend_page(request, campaign, row, ExtendForm(initial=start))
    form = ExtendForm(request.POST)
    if not form.is_valid():
        return _extend_page(request, campaign, row, form, status=422)
    confirmed = _confirmed(request)
    if request.POST.get("act") == "extend" and confirmed is not None:
        return _extend(request, campaign, row, form, confirmed)
    return _extend_offer(request, campaign, row, form)


@require_POST
@researcher_page
def operation(
    request: HttpRequest, public_id: str, operation_id: int, verb: str
) -> HttpResponseBase:
    campaign = owned(request.user, public_id)
    operations.one(campaign.pk, operation_id)
    if verb not in DONE:
        raise NotFound("There is no such act.")
    try:
        done = _operate(operation_id, verb, _actor(request))
    except Conflict as refused:
        messages.error(request, refused.message)
    else:
        text = DONE[verb] if done else "It has happened, or may have: it cannot be dropped."
        (messages.success if done else messages.error)(request, text)
    return redirect("annotate:batches", public_id)


@require_POST
@researcher_page
def retry_all(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """Retry all refused operations at once, for example after topping up the balance."""
    campaign = owned(request.user, public_id)
    retried = reconciling.retry_refused(campaign.pk, actor_id=_actor(request))
    if retried.n:
        messages.success(request, f"{retried.n} {'is' if retried.n == 1 else 'are'} tried again.")
    for reason in retried.kept:
        messages.error(request, reason)
    return redirect("annotate:batches", public_id)


@require_POST
@researcher_page
def accept(request: HttpRequest, public_id: str, participation_id: int) -> HttpResponseBase:
    """Pay a submission that is in dispute."""
    campaign = owned(request.user, public_id)
    try:
        settling.accept(
            open_units.unit_id_of(campaign.pk, participation_id),
            actor_id=_actor(request),
            beyond_budget=bool(request.POST.get("beyond_budget")),
        )
    except Conflict as refused:
        messages.error(request, refused.message)
    else:
        messages.success(request, "It is paid as soon as the reviewers’ time is over.")
    return redirect("annotate:batches", public_id)


def _operate(operation_id: int, verb: str, actor_id: int) -> bool:
    if verb == "drop":
        return delivery.drop(operation_id, actor_id=actor_id)
    if verb == "retry":
        delivery.retry(operation_id, actor_id=actor_id)
    else:
        delivery.decide(operation_id, verb == "happened", actor_id=actor_id)
    return True


def _extend(
    request: HttpRequest, campaign: Any, row: BatchRow, form: ExtendForm, confirmed: Decimal
) -> HttpResponseBase:
    given = form.cleaned_data
    if row.world.is_real and not given["sure"]:
        form.add_error("sure", "Tick this: it is real money.")
        return _extend_offer(request, campaign, row, form, status=422)
    try:
        batches.extend(
            row.batch_id,
            given["places"],
            actor_id=_actor(request),
            confirmed=confirmed,
            key=f"{given['key']}:{given['places']}",
        )
    except Invalid:
        return _extend_offer(request, campaign, row, form, status=422)
    except Conflict as refused:
        return _extend_offer(request, campaign, row, form, changed=refused.message, status=409)
    messages.success(request, words.extended(given["places"], row.world))
    return redirect("annotate:batches", campaign.public_id)


def _extend_offer(
    request: HttpRequest,
    campaign: Any,
    row: BatchRow,
    form: ExtendForm,
    *,
    changed: str = "",
    status: int = 200,
) -> HttpResponseBase:
    offer: Offer = batches.offer_more(row.batch_id, places=form.cleaned_data["places"])
    for name, message in by_field(offer.problems).items():
        form.add_error(name if name in form.fields else None, message)
    return _extend_page(
        request,
        campaign,
        row,
        form,
        status=422 if offer.problems else status,
        offer=offer,
        bill=words.bill(offer),
        changed=changed,
    )


def _extend_page(
    request: HttpRequest,
    campaign: Any,
    row: BatchRow,
    form: ExtendForm,
    *,
    status: int = 200,
    **context: Any,
) -> HttpResponseBase:
    context |= {
        "campaign": campaign,
        "batch": row,
        "world": row.world,
        "form": form,
        "needed": words.needed(campaign, row.tasks),
        "section": "campaigns",
    }
    return render(request, "campaigns/batch_extend.html", context, status=status)


def _confirmed(request: HttpRequest) -> Decimal | None:
    """Return the cost that was shown; the service compares it with today's."""
    try:
        return Decimal(request.POST.get("confirmed", ""))
    except InvalidOperation:
        return None


def _actor(request: HttpRequest) -> int:
    return cast(User, request.user).pk
