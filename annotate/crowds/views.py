"""The pages of a campaign's batches, and what their crowd tells us."""

import json
import math
import re
import uuid
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from hashlib import sha256
from typing import Any, cast

from csp.decorators import csp_replace, csp_update
from django import forms
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
from annotate.crowds.adapters import CROWDS, CrowdEnvironment, world_of_posting
from annotate.crowds.batches import Offer
from annotate.crowds.contract import USUAL_AUTO_APPROVAL, Audience, Terms, to_json, usual_tasks
from annotate.crowds.postings import MOST_PLACES, by_field, units_needed
from annotate.crowds.prices import CENT, ZERO, percent
from annotate.crowds.queries import MOST_MISSING, RUNNING, BatchRow
from annotate.instruments.base import Instrument
from annotate.models import Batch, Operation
from annotate.models.base import CampaignStatus
from annotate.pay import budget, promise_queries, settling
from annotate.studies import queries as studies_queries
from annotate.work import pages as work_pages
from annotate.work import task
from annotate.work.access import speak, worker_page

# The forms that launch a batch. They check the format; the services check the meaning.


COUNTRY = re.compile(r"[A-Z]{2}", re.ASCII)
LANGUAGE = re.compile(r"[a-z]{2,3}", re.ASCII)
# The field at which a problem is shown if its part of a posting has no field.
BESIDE = {"audience": "countries", "reward": "tasks"}


class BatchForm(forms.Form):
    """`key` is made with the form, so sending the same form twice launches once."""

    use_required_attribute = False  # the server reports missing values of all fields at once

    key = forms.CharField(max_length=40, widget=forms.HiddenInput)
    title = forms.CharField(label="Title", max_length=128)
    description = forms.CharField(
        label="Description",
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="What people read before they accept.",
    )
    keywords = forms.CharField(
        label="Keywords", required=False, max_length=1000, help_text="Separated by commas."
    )
    tasks = forms.IntegerField(
        label="Tasks in a submission",
        min_value=1,
        max_value=1000,
        help_text="Done one after the other.",
    )
    minutes = forms.DecimalField(
        label="Minutes a submission takes",
        min_value=Decimal("0.5"),
        max_value=1440,
        decimal_places=1,
        help_text="With all its tasks. People are told.",
    )
    places = forms.IntegerField(label="Places", min_value=1, max_value=MOST_PLACES)
    duration = forms.IntegerField(
        label="Minutes to finish a submission in",
        min_value=1,
        max_value=40_000,
        help_text="After that, its place is free again.",
    )
    lifetime = forms.DecimalField(
        label="Days the posting stays up",
        min_value=Decimal("0.1"),
        max_value=365,
        decimal_places=1,
        help_text="After that, no one new can accept it.",
    )
    approve_after = forms.DecimalField(
        label="Hours for reviewers",
        min_value=0,
        max_value=720,
        decimal_places=1,
        help_text="Then work not in doubt is approved.",
    )
    auto_approval = forms.DecimalField(
        label="Days until automatic approval by the crowd",
        min_value=Decimal("0.1"),
        max_value=30,
        decimal_places=1,
        help_text="After that no pay can be refused.",
    )
    countries = forms.CharField(
        label="Countries",
        required=False,
        max_length=400,
        help_text="Such as US, GB. Empty: everywhere.",
    )
    languages = forms.CharField(
        label="Languages",
        required=False,
        max_length=200,
        help_text="Such as en, de. Empty: any.",
    )
    approval_rate = forms.IntegerField(
        label="Approved at least, in %",
        required=False,
        min_value=0,
        max_value=100,
        help_text="Of earlier work there. Empty: any.",
    )
    approved_work = forms.IntegerField(
        label="Approved submissions at least",
        required=False,
        min_value=0,
        max_value=1_000_000,
        help_text="Of one person, there. Empty: any.",
    )
    sure = forms.BooleanField(required=False)

    def __init__(self, *args: Any, crowd: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in CROWDS[crowd].not_asked:
            del self.fields[name]
        for field in self.fields.values():  # a browser would silently cut values that are too long
            field.widget.attrs.pop("maxlength", None)

    def clean_title(self) -> str:
        return " ".join(self.cleaned_data["title"].split())

    def clean_keywords(self) -> tuple[str, ...]:
        return _listed(self.cleaned_data["keywords"])

    def clean_countries(self) -> tuple[str, ...]:
        codes = _listed(self.cleaned_data["countries"])
        return _checked(codes, COUNTRY, "a country: two letters, such as US", str.upper)

    def clean_languages(self) -> tuple[str, ...]:
        codes = _listed(self.cleaned_data["languages"])
        return _checked(codes, LANGUAGE, "a language: two or three letters, such as en", str.lower)

    def terms(self) -> Terms:
        """Return the terms of a valid form."""
        given = self.cleaned_data
        times = {
            "duration": timedelta(minutes=given["duration"]),
            "approve_after": _time(hours=given["approve_after"]),
        }
        for name in ("lifetime", "auto_approval"):
            if name in given:
                times[name] = _time(days=given[name])
        named = ("countries", "languages", "approval_rate", "approved_work")
        return Terms(
            title=given["title"],
            description=given["description"].strip(),
            keywords=given.get("keywords", ()),
            tasks=given["tasks"],
            minutes=float(given["minutes"]),
            audience=Audience(**{name: given[name] for name in named if name in given}),
            **times,
        )

    def tell(self, errors: Mapping[str, str]) -> None:
        """Show the problems of the crowd or the services next to their fields, or above all."""
        for name, message in errors.items():
            field = BESIDE.get(name, name)
            self.add_error(field if field in self.fields else None, message)

    @property
    def asked_times(self) -> list[forms.BoundField]:
        names = ("duration", "lifetime", "approve_after", "auto_approval")
        return [self[name] for name in names if name in self.fields]

    @property
    def asked_audience(self) -> list[forms.BoundField]:
        names = ("countries", "languages", "approval_rate", "approved_work")
        return [self[name] for name in names if name in self.fields]


class ExtendForm(forms.Form):
    key = forms.CharField(max_length=40, widget=forms.HiddenInput)
    places = forms.IntegerField(label="Further places", min_value=1, max_value=MOST_PLACES)
    sure = forms.BooleanField(required=False)


def _time(*, days: Decimal = Decimal(0), hours: Decimal = Decimal(0)) -> timedelta:
    return timedelta(seconds=int(days * 86_400 + hours * 3600))


def _listed(text: str) -> tuple[str, ...]:
    """Return the parts between commas or on lines, without repetitions."""
    parts = (" ".join(part.split()) for part in re.split(r"[,;\n]", text))
    return tuple(dict.fromkeys(part for part in parts if part))


def _checked(
    codes: tuple[str, ...], shape: re.Pattern[str], what: str, spelt: Callable[[str], str]
) -> tuple[str, ...]:
    for code in codes:
        if not shape.fullmatch(spelt(code)):
            raise forms.ValidationError(f"“{code}” is not the code of {what}.")
    return tuple(spelt(code) for code in codes)


# What a form starts from, and what it costs, in words.


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


def needed(campaign: Any, tasks: int) -> dict[str, Any]:
    """Return what the plan still needs: judgments that are not under way, and submissions (`units`)
    for those that no published or running submission covers."""
    return {
        "judgments": progress.missing(campaign.pk),
        "tasks": tasks,
        "units": units_needed(campaign.pk, tasks),
        "published": sum(one.units for one in budget.untaken(campaign.pk)),
        "left": budget.left(campaign),
        "suggested": batches.suggested_places(campaign.pk, tasks),
    }


def bill(offer: Offer) -> dict[str, Any]:
    """Return what the bill shows: each part in words, for one unit and for all of them."""
    found = offer.bill
    parts = [("Rewards", found.rewards), ("The crowd’s fees on them", found.work.fee)]
    if found.bonuses.reward:
        parts += [
            ("Tutorial bonuses, if everybody is new", found.bonuses.reward),
            ("The crowd’s fees on bonuses", found.bonuses.fee),
        ]
    return {
        "offer": offer,
        "bill": [(what, _each(amount, offer.places), amount) for what, amount in parts],
        "unit_total": _each(offer.total, offer.places),
    }


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


def said(op: Operation) -> dict[str, Any]:
    """Return an operation in words: what it does, and what a person answers about it."""
    n = op.payload.get("places", 0)
    what = WHAT.get(op.kind, op.kind).format(
        places="1 place" if n == 1 else f"{count(n)} places",
        who=op.of_annotator,
        amount=money_text(Decimal(op.payload["amount"])) if op.kind == "bonus" else "",
    )
    yes, no = ANSWERS.get(op.kind, OTHERWISE)
    return {"op": op, "what": what, "yes": yes, "no": no}


PARTS = {"all": "All batches", RUNNING: "Not over yet"}
ROWS = 10  # on a page
SHOWN = 20  # the most operations, and submissions in doubt, that are listed
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
    if request.GET.get("have") == context["fingerprint"] and context["live"]:
        return HttpResponse(status=204)
    status = 200 if context["live"] else STOP_POLLING
    return render(request, "campaigns/_batches.html", context, status=status)


def _context(request: HttpRequest, campaign: Any) -> dict[str, Any]:
    """Reviewers see that work comes from a crowd, but neither money nor acts."""
    owner = is_owner(request.user, campaign)
    asked = common_lists.asked(request.GET, sorts={}, choices=PARTS, size=ROWS, anchor="batches-h")
    listing, rows = crowds_queries.batches_page(campaign.pk, asked)
    counts = crowds_queries.operation_counts(campaign.pk)
    missing = crowds_queries.unoffered(campaign.pk)
    shown = {
        "world": world_of_posting(campaign.crowd),
        "listing": listing,
        "rows": rows,
        "launched": bool(rows) or crowds_queries.launched(campaign.pk),
        "counts": counts,
        "operations": [said(op) for op in crowds_queries.operations_told(campaign.pk)[:SHOWN]],
        "doubtful": list(budget.disputed(campaign.pk)[:SHOWN]),
        "n_doubtful": budget.count_disputed(campaign.pk),
        "missing": missing,
        "near": budget.next_deadline(campaign.pk),
        "can_look": crowds_queries.at_the_crowd(campaign.pk).exists(),
        "live": crowds_queries.operations_move(counts) or crowds_queries.moving(campaign.pk),
    }
    return {
        **shown,
        "campaign": campaign,
        "owner": owner,
        "many_missing": missing > MOST_MISSING,
        **(_beyond(campaign) if owner and shown["doubtful"] else {}),
        "short": _short(campaign) if owner else ZERO,
        "fingerprint": _fingerprint(shown),
        "section": "campaigns",
    }


def _fingerprint(shown: dict[str, Any]) -> str:
    """Return a digest of this content. A page with the same digest is up to date."""
    text = json.dumps(shown, default=_plain)
    return sha256(text.encode()).hexdigest()[:16]


def _plain(one: Any) -> Any:
    """Return the fields of rows and values; of everything else its text."""
    fields = getattr(one, "__dict__", None)
    return str(one) if fields is None else {k: v for k, v in fields.items() if k[0] != "_"}


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


def _digest(terms: Terms, places: int, world: CrowdEnvironment) -> str:
    """Return a digest of what is asked for, and where it would be launched."""
    return sha256(repr((to_json(terms), places, world.environment)).encode()).hexdigest()


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
    terms, places = form.terms(), form.cleaned_data["places"]
    act = request.POST.get("act")
    shown = _shown(request) if act == "launch" else None
    world = world_of_posting(campaign.crowd)
    changed, status = "", 200
    if act == "fee":
        changed, status = _reckon(request, campaign, terms, places)
    elif shown is not None and shown["digest"] != _digest(terms, places, world):
        changed = "The terms have changed since the offer."
    elif shown is not None and world.is_real and not form.cleaned_data["sure"]:
        form.add_error("sure", "Tick this: it is real money.")
        status = 422
    elif shown is not None:
        # Other terms or another price make another batch.
        text = f"{form.cleaned_data['key']}:{shown['digest']}:{shown['total']}"
        began = timezone.now()
        try:
            made = batches.launch(
                campaign.pk,
                terms,
                places=places,
                actor_id=_actor(request),
                confirmed=Decimal(shown["total"]),
                key=sha256(text.encode()).hexdigest()[:40],
            )
        except Invalid:
            status = 422
        except Conflict as refused:
            changed, status = refused.message, 409
        else:
            if made.created_at < began:
                messages.info(
                    request, "This batch was launched before. Nothing was launched twice."
                )
            else:
                messages.success(request, launched(made, world))
            return redirect("annotate:batches", campaign.public_id)
    offer = batches.offer(campaign.pk, terms, places=places)
    form.tell(by_field(offer.problems))
    token = tokens.preview_token(campaign.pk, terms.tasks)
    offered = {"digest": _digest(terms, places, world), "total": str(offer.total)}
    return _page(
        request,
        campaign,
        form,
        status=422 if offer.problems else status,
        **bill(offer),
        changed=changed,
        terms=offer.terms,
        fee_told=None if offer.fee_told is None else percent(offer.fee_told),
        hourly=hourly(offer.reward, terms.minutes),
        shown=signing.dumps(offered, salt=SALT),
        preview=reverse("annotate:batch-preview", args=[token]),
    )


def _reckon(request: HttpRequest, campaign: Any, terms: Terms, places: int) -> tuple[str, int]:
    """Adopt the fee that the crowd charges; return what to say, and the status."""
    told = batches.offer(campaign.pk, terms, places=places).fee_told
    try:
        if told is not None:
            amendments.change_fee(campaign.pk, told, actor_id=_actor(request))
    except Conflict as refused:
        return refused.message, 409
    campaign.refresh_from_db()
    rate = percent(campaign.fee_rate)
    return f"The campaign calculates with a fee of {rate} from now on.", 200


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


def _shown(request: HttpRequest) -> dict[str, str] | None:
    """Return what was shown: a digest of everything but the price, and the price (`total`)."""
    try:
        found: dict[str, str] = signing.loads(
            request.POST.get("shown", ""), salt=SALT, max_age=24 * 3600
        )
    except signing.BadSignature:
        return None
    return found


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
        context = {"campaign": campaign, "row": row, "batch": row.batch, "world": row.world}
        context["section"] = "campaigns"
        return render(request, "campaigns/batch_stop.html", context)
    if batches.stop(row.batch.pk, actor_id=_actor(request)):
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
            "places": batches.suggested_places(campaign.pk, row.batch.tasks) or 1,
        }
        return _extend_page(request, campaign, row, ExtendForm(initial=start))
    form = ExtendForm(request.POST)
    if not form.is_valid():
        return _extend_page(request, campaign, row, form, status=422)
    given, confirmed = form.cleaned_data, _confirmed(request)
    changed, status = "", 200
    if request.POST.get("act") == "extend" and confirmed is not None:
        if row.world.is_real and not given["sure"]:
            form.add_error("sure", "Tick this: it is real money.")
            status = 422
        else:
            try:
                batches.extend(
                    row.batch.pk,
                    given["places"],
                    actor_id=_actor(request),
                    confirmed=confirmed,
                    key=f"{given['key']}:{given['places']}",
                )
            except Invalid:
                status = 422
            except Conflict as refused:
                changed, status = refused.message, 409
            else:
                messages.success(request, extended(given["places"], row.world))
                return redirect("annotate:batches", public_id)
    offer = batches.offer_more(row.batch.pk, places=given["places"])
    for name, message in by_field(offer.problems).items():
        form.add_error(name if name in form.fields else None, message)
    status = 422 if offer.problems else status
    context = bill(offer) | {"changed": changed}
    return _extend_page(request, campaign, row, form, status=status, **context)


@require_POST
@researcher_page
def operation(
    request: HttpRequest, public_id: str, operation_id: int, verb: str
) -> HttpResponseBase:
    campaign = owned(request.user, public_id)
    crowds_queries.operation(campaign.pk, operation_id)
    if verb not in DONE:
        raise NotFound("There is no such act.")
    done, actor_id = True, _actor(request)
    try:
        if verb == "drop":
            done = outbox.drop(operation_id, actor_id=actor_id)
        elif verb == "retry":
            outbox.retry(operation_id, actor_id=actor_id)
        else:
            outbox.decide(operation_id, verb == "happened", actor_id=actor_id)
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
    n, kept = reconciling.retry_refused(campaign.pk, actor_id=_actor(request))
    if n:
        messages.success(request, f"{n} {'is' if n == 1 else 'are'} tried again.")
    for reason in kept:
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
        "row": row,
        "batch": row.batch,
        "world": row.world,
        "form": form,
        "needed": needed(campaign, row.batch.tasks),
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
