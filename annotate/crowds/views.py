"""Texts about a batch: its defaults, what is needed, what it costs."""

import math
import re
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from hashlib import sha256
from typing import Any, cast

from csp.decorators import csp_replace, csp_update
from django.contrib import messages
from django.contrib.auth.models import User
from django.core import signing
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import override
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotate.campaigns import amendments, exports, progress
from annotate.campaigns.views import MANY
from annotate.common import lists as common_lists
from annotate.common import requests, tokens
from annotate.common.access import is_owner, owned, researcher_page, visible
from annotate.common.errors import Conflict, Invalid, NotFound, ServiceError
from annotate.common.numbers import count, money_text, number_from
from annotate.common.text import interface_language
from annotate.crowds import adapters, batches, outbox, reconciling
from annotate.crowds import queries as crowds_queries
from annotate.crowds.adapters import CrowdEnvironment, world_of_posting
from annotate.crowds.batches import Offer
from annotate.crowds.contract import USUAL_AUTO_APPROVAL, Audience, Terms, to_json, usual_tasks
from annotate.crowds.forms import BatchForm, ExtendForm
from annotate.crowds.postings import by_field, units_needed
from annotate.crowds.prices import CENT, ZERO, Bill
from annotate.crowds.queries import RUNNING, BatchRow, OpenOperation
from annotate.crowds.registry import CROWDS
from annotate.instruments.base import Instrument
from annotate.models import Batch
from annotate.models.base import CampaignStatus
from annotate.pay import budget, promise_queries, settling
from annotate.studies import queries as studies_queries
from annotate.work import pages as work_pages
from annotate.work import task
from annotate.work.access import speak, worker_page


@dataclass(frozen=True)
class Needed:
    """What the plan still needs: judgments that are not under way, and submissions for those that
    no published or running submission covers."""

    judgments: int
    tasks: int
    units: int
    published: int  # free units
    left: Decimal | None  # of the budget
    suggested: int


@dataclass(frozen=True)
class BillLine:
    """One line of the table of costs."""

    what: str
    unit: Decimal
    all: Decimal


@dataclass(frozen=True)
class BillTable:
    lines: tuple[BillLine, ...]
    unit_total: Decimal
    note: str  # what the crowd itself says of it


def defaults(campaign: Any, last: Terms | None) -> dict[str, Any]:
    """Return what the form of a new batch starts from: the terms of the last, if there was one."""
    terms = last or _usual(campaign)
    people, auto_approval = terms.audience, terms.auto_approval or USUAL_AUTO_APPROVAL
    return {
        "key": uuid.uuid4().hex,
        "title": terms.title,
        "description": terms.description,
        "keywords": ", ".join(terms.keywords),
        "tasks": terms.tasks,
        "minutes": _number(terms.minutes),
        "places": batches.suggested_places(campaign.pk, terms.tasks) or 1,
        "duration": math.ceil(terms.duration / timedelta(minutes=1)),
        "lifetime": _number(terms.lifetime / timedelta(days=1)),
        "approve_after": _number(terms.approve_after / timedelta(hours=1)),
        "auto_approval": _number(auto_approval / timedelta(days=1)),
        "countries": ", ".join(people.countries),
        "languages": ", ".join(people.languages),
        "approval_rate": people.approval_rate,
        "approved_work": people.approved_work,
    }


def _usual(campaign: Any) -> Terms:
    instrument = studies_queries.instrument_of(campaign)
    tasks = usual_tasks(campaign.annotator_cap)
    minutes = _minutes(instrument) * tasks
    return Terms(
        title=campaign.public_title,
        description=_description(campaign, instrument),
        keywords=("text", "language", "judging", "research"),
        tasks=tasks,
        minutes=minutes,
        duration=timedelta(minutes=max(60, 4 * minutes)),
        audience=Audience(approval_rate=95, approved_work=100),
    )


def needed(campaign: Any, tasks: int) -> Needed:
    """Return the numbers behind the suggested number of places."""
    return Needed(
        judgments=progress.missing(campaign.pk),
        tasks=tasks,
        units=units_needed(campaign.pk, tasks),
        published=sum(one.units for one in budget.untaken(campaign.pk)),
        left=budget.left(campaign),
        suggested=batches.suggested_places(campaign.pk, tasks),
    )


def bill(offer: Offer) -> BillTable:
    """Return what one unit costs at most, and all of them, each part on its own line."""
    found, n = offer.bill, offer.places
    lines = tuple(BillLine(what, _each(amount, n), amount) for what, amount in parts(found))
    return BillTable(lines, _each(offer.total, n), offer.note)


def parts(found: Bill) -> list[tuple[str, Decimal]]:
    """Return the parts of a bill in words."""
    told = [("Rewards", found.rewards), ("The crowd’s fees on them", found.work.fee)]
    if found.bonuses.reward:
        told += [
            ("Tutorial bonuses, if everybody is new", found.bonuses.reward),
            ("The crowd’s fees on bonuses", found.bonuses.fee),
        ]
    return told


def hourly(reward: Decimal, minutes: float) -> Decimal:
    """Return the pay for an hour of the announced time."""
    return (reward * 60 / Decimal(str(minutes))).quantize(CENT, ROUND_HALF_UP)


def launched(batch: Any, here: CrowdEnvironment) -> str:
    units = "unit" if batch.places == 1 else "units"
    reward = money_text(batch.reward, batch.campaign.currency)
    return (
        f"Launched {here.place}: {count(batch.places)} {units} at {reward}. "
        "It is being published; this page shows how far that is."
    )


def extended(places: int, here: CrowdEnvironment) -> str:
    units = "1 further place is" if places == 1 else f"{count(places)} further places are"
    return f"{units} being published {here.place}."


def _number(value: float) -> float | int:
    """Return a number as people type it: whole numbers without a decimal, others with one."""
    return int(value) if value == int(value) else round(value, 1)


def _each(amount: Decimal, n: int) -> Decimal:
    return (amount / n).quantize(CENT, ROUND_HALF_UP) if n else amount


def _minutes(instrument: Instrument) -> int:
    """Return the middle of the announced minutes for one task, such as “1–3”."""
    said = [int(number) for number in re.findall(r"\d+", instrument.minutes)] or [2]
    return -(-sum(said) // len(said))


def _description(campaign: Any, instrument: Instrument) -> str:
    """No number is named, because the same form can change the tasks of a submission."""
    said = [exports.about(campaign.public_about, instrument, campaign.language)]
    with override(interface_language(campaign.language)):
        said += _about_tutorial(campaign)
        said.append(_("The work is research; your answers are published under a random code."))
    return batches.told_in_posting(" ".join(map(str, said)), campaign)


def _about_tutorial(campaign: Any) -> Iterator[str]:
    if campaign.tutorial_required:
        yield _("A short tutorial comes first, once.")
    if promise_queries.offered(campaign) and campaign.bonus_after:
        yield _("Passing it brings a bonus, which is due once a few of your tasks count.")
    elif promise_queries.offered(campaign):
        yield _("Passing it brings a bonus.")


# The batches of a campaign, what people on its crowd see of them, and what the crowd tells us.


WHAT = {
    "publish": "Publish {places}",
    "add_places": "Add {places}",
    "stop": "Stop a posting",
    "archive": "Put a posting away",
    "approve": "Approve and pay the submission of {who}",
    "reject": "Reject the submission of {who}",
    "override": "Approve the rejected submission of {who}",
    "bonus": "Pay {who} {amount} extra",
    "exclude": "Keep somebody out",
    "include": "Let somebody in again",
    "message": "Write to people",
}
# (it happened, it did not): what a person says who has looked at the crowd.
ANSWERS = {
    "publish": ("It is published", "It is not there: publish it"),
    "add_places": ("The places are there", "They are not: add them"),
    "approve": ("It was paid", "It was not paid: pay it"),
    "bonus": ("It was paid", "It was not paid: send again"),
}
OTHERWISE = ("It was done", "It was not done: do it")


@dataclass(frozen=True)
class OperationWords:
    op: OpenOperation
    what: str
    yes: str
    no: str


def said(op: OpenOperation) -> OperationWords:
    places = "1 place" if op.places == 1 else f"{count(op.places)} places"
    what = WHAT.get(op.kind, op.kind).format(
        places=places, who=op.annotator, amount=money_text(op.amount)
    )
    return OperationWords(op, what, *ANSWERS.get(op.kind, OTHERWISE))


PARTS = {"all": "All batches", RUNNING: "Not over yet"}
ROWS = 10  # on a page
STOP_POLLING = 286  # htmx swaps the answer and asks no more


@require_safe
@never_cache
@researcher_page
def batches_page(request: HttpRequest, public_id: str) -> HttpResponseBase:
    campaign = visible(request.user, public_id)
    if not adapters.publishes(campaign.crowd):
        publishing = [crowd.label for crowd in CROWDS.values() if crowd.publishes]
        context = {"campaign": campaign, "crowds": publishing, "section": "campaigns"}
        return render(request, "campaigns/batches_link.html", context)
    return render(request, "campaigns/batches.html", _context(request, campaign))


@require_safe
@never_cache
@researcher_page
def batches_now(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """The refreshing part; 204 where the asking page shows it already."""
    context = _context(request, visible(request.user, public_id))
    board = context["board"]
    if request.GET.get("have") == context["fingerprint"] and board.live:
        return HttpResponse(status=204)
    status = 200 if board.live else STOP_POLLING
    return render(request, "campaigns/_batches.html", context, status=status)


def _context(request: HttpRequest, campaign: Any) -> dict[str, Any]:
    """Reviewers see that work comes from a crowd, but neither money nor acts."""
    owner = is_owner(request.user, campaign)
    asked = common_lists.asked(request.GET, sorts={}, choices=PARTS, size=ROWS, anchor="batches-h")
    board = crowds_queries.board(campaign.pk, campaign.crowd, asked)
    return {
        "campaign": campaign,
        "board": board,
        "listing": board.listing,
        "world": board.world,
        "owner": owner,
        **(_beyond(campaign) if owner and board.doubtful else {}),
        "short": _short(campaign) if owner else ZERO,
        "operations": [said(op) for op in board.operations.listed],
        "fingerprint": board.fingerprint,
        "section": "campaigns",
    }


def _short(campaign: Any) -> Decimal:
    """Return what the budget lacks for another place; 0 where that takes too long to find out."""
    over = campaign.status in (CampaignStatus.CLOSED, CampaignStatus.ARCHIVED)
    if over or campaign.budget is None or crowds_queries.more_units(campaign.pk, than=MANY):
        return ZERO
    return budget.short_of_a_place(campaign)


def _beyond(campaign: Any) -> dict[str, Any]:
    """Return by how much the budget is exceeded, or that this takes too long to find out."""
    if campaign.budget is not None and crowds_queries.more_units(campaign.pk, than=MANY):
        return {"excess_unknown": True}
    return {"excess": budget.excess(campaign)}


OWN_FRAME = {"frame-ancestors": ["'self'"], "form-action": ["'none'"]}


@csp_replace(OWN_FRAME)
@worker_page
@require_safe
def preview(request: HttpRequest, token: str) -> HttpResponse:
    """Show the crowd's preview page. Only our pages may frame it; the token gives access."""
    campaign_id, tasks = tokens.read_preview(token)
    study = task.study(campaign_id)
    speak(study)
    batch = Batch(crowd=study.crowd, tasks=tasks, reward=study.reward * tasks)
    return work_pages.preview_page(request, study, batch)


@csrf_exempt
@require_POST
def receive(request: HttpRequest, crowd: str) -> HttpResponse:
    """Answer 204 to every event that the crowd signed, new or not, so that it is not sent again."""
    try:
        reconciling.receive(crowd, requests.raw(request), request.headers)
    except ServiceError as error:
        return HttpResponse(error.message, status=error.status, content_type="text/plain")
    return HttpResponse(status=204)


# A new batch: the first press shows what people see and what it costs, the second launches it.
#
# Nothing is stored between the two: a signature covers the terms, places, environment and cost that
# were shown. An offer is launched once, however often it is sent.


SALT = "batch-offer"
FRAMES = {"frame-src": ["'self'"]}  # on this page alone: it shows the annotators' page


@dataclass(frozen=True)
class BatchWish:
    """The request of a valid form, and the environment in which it would be launched."""

    terms: Terms
    places: int
    world: CrowdEnvironment

    @property
    def digest(self) -> str:
        what = (to_json(self.terms), self.places, self.world.environment)
        return sha256(repr(what).encode()).hexdigest()


@dataclass(frozen=True)
class ShownBatch:
    """What was shown: a digest of everything but the price, and the price."""

    digest: str
    total: Decimal

    def key(self, form_key: str) -> str:
        """Return the key of the launch. Other terms or another price make another batch."""
        text = f"{form_key}:{self.digest}:{self.total}"
        return sha256(text.encode()).hexdigest()[:40]


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@csp_update(FRAMES)
@researcher_page
def new(request: HttpRequest, public_id: str) -> HttpResponseBase:
    campaign = owned(request.user, public_id)
    if not adapters.publishes(campaign.crowd):
        return redirect("annotate:batches", public_id)
    if request.method != "POST":
        last = crowds_queries.last_terms(campaign.pk)
        form = BatchForm(crowd=campaign.crowd, initial=defaults(campaign, last))
        return _page(request, campaign, form, again=last is not None)
    form = BatchForm(request.POST, crowd=campaign.crowd)
    if not form.is_valid():
        return _page(request, campaign, form, status=422)
    wish = BatchWish(form.terms(), form.cleaned_data["places"], world_of_posting(campaign.crowd))
    if request.POST.get("act") == "fee":
        return _reckon(request, campaign, form, wish)
    shown = _shown(request)
    if request.POST.get("act") == "launch" and shown is not None:
        return _launch(request, campaign, form, wish, shown)
    return _offer(request, campaign, form, wish)


def _launch(
    request: HttpRequest, campaign: Any, form: BatchForm, wish: BatchWish, shown: ShownBatch
) -> HttpResponseBase:
    """Launch what was shown. If anything differs, show it first."""
    if shown.digest != wish.digest:
        said = "The terms have changed since the offer."
        return _offer(request, campaign, form, wish, changed=said)
    if wish.world.is_real and not form.cleaned_data["sure"]:
        form.add_error("sure", "Tick this: it is real money.")
        return _offer(request, campaign, form, wish, status=422)
    began = timezone.now()
    try:
        made = batches.launch(
            campaign.pk,
            wish.terms,
            places=wish.places,
            actor_id=cast(User, request.user).pk,
            confirmed=shown.total,
            key=shown.key(form.cleaned_data["key"]),
        )
    except Invalid:
        return _offer(request, campaign, form, wish, status=422)
    except Conflict as refused:
        return _offer(request, campaign, form, wish, changed=refused.message, status=409)
    if made.created_at < began:
        messages.info(request, "This batch was launched before. Nothing was launched twice.")
    else:
        messages.success(request, launched(made, wish.world))
    return redirect("annotate:batches", campaign.public_id)


def _reckon(
    request: HttpRequest, campaign: Any, form: BatchForm, wish: BatchWish
) -> HttpResponseBase:
    """Adopt the fee that the crowd charges, and show the offer again."""
    told = batches.offer(campaign.pk, wish.terms, places=wish.places).fee_told
    try:
        if told is not None:
            amendments.change_fee(campaign.pk, told, actor_id=cast(User, request.user).pk)
    except Conflict as refused:
        return _offer(request, campaign, form, wish, changed=refused.message, status=409)
    campaign.refresh_from_db()
    said = (
        f"The campaign calculates with a fee of {settling.percent(campaign.fee_rate)} from now on."
    )
    return _offer(request, campaign, form, wish, changed=said)


def _offer(
    request: HttpRequest,
    campaign: Any,
    form: BatchForm,
    wish: BatchWish,
    *,
    changed: str = "",
    status: int = 200,
) -> HttpResponseBase:
    """Show what it costs, and every problem with it."""
    offer = batches.offer(campaign.pk, wish.terms, places=wish.places)
    form.tell(by_field(offer.problems))
    shown = {"digest": wish.digest, "total": str(offer.total)}
    token = tokens.preview_token(campaign.pk, wish.terms.tasks)
    return _page(
        request,
        campaign,
        form,
        status=422 if offer.problems else status,
        offer=offer,
        bill=bill(offer),
        changed=changed,
        terms=offer.terms,
        fee_told=None if offer.fee_told is None else settling.percent(offer.fee_told),
        hourly=hourly(offer.reward, wish.terms.minutes),
        shown=signing.dumps(shown, salt=SALT),
        preview=reverse("annotate:batch-preview", args=[token]),
    )


def _page(
    request: HttpRequest,
    campaign: Any,
    form: BatchForm,
    *,
    status: int = 200,
    offer: Offer | None = None,
    **context: Any,
) -> HttpResponseBase:
    context |= {
        "campaign": campaign,
        "world": world_of_posting(campaign.crowd),
        "form": form,
        "needed": needed(campaign, _number_of_places(form["tasks"].value())),
        "offer": offer,
        "currency": offer.currency if offer else campaign.currency,
        "section": "campaigns",
    }
    return render(request, "campaigns/batches_new.html", context, status=status)


def _shown(request: HttpRequest) -> ShownBatch | None:
    try:
        found = signing.loads(request.POST.get("shown", ""), salt=SALT, max_age=24 * 3600)
    except signing.BadSignature:
        return None
    return ShownBatch(found["digest"], Decimal(found["total"]))


def _number_of_places(value: Any) -> int:
    return max(1, number_from(str(value or ""), digits=8) or 1)


# Owners' acts on batches: compare with the crowd, stop, extend, decide about operations.


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
    row = crowds_queries.batch_row(campaign.pk, batch_id)
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
    row = crowds_queries.batch_row(campaign.pk, batch_id)
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
    crowds_queries.operation_row(campaign.pk, operation_id)
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
            budget.unit_id_of(campaign.pk, participation_id),
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
        return outbox.drop(operation_id, actor_id=actor_id)
    if verb == "retry":
        outbox.retry(operation_id, actor_id=actor_id)
    else:
        outbox.decide(operation_id, verb == "happened", actor_id=actor_id)
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
    messages.success(request, extended(given["places"], row.world))
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
        bill=bill(offer),
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
        "needed": needed(campaign, row.tasks),
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
