"""A new batch: the first press shows what people see and what it costs, the second launches it.

Nothing is stored between the two: a signature covers the terms, places, environment and cost that
were shown. An offer is launched once, however often it is sent.
"""

from dataclasses import dataclass
from decimal import Decimal
from hashlib import sha256
from typing import Any, cast

from csp.decorators import csp_update
from django.contrib import messages
from django.contrib.auth.models import User
from django.core import signing
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotate import adapters, tokens
from annotate.crowds.terms import Terms, to_json
from annotate.errors import Conflict, Invalid
from annotate.forms.marketplace import BatchForm
from annotate.permissions import owned, researcher_page
from annotate.selectors.marketplace import batches as rows
from annotate.selectors.marketplace.environments import CrowdEnvironment, world
from annotate.services.campaigns import amendments
from annotate.services.marketplace import batches
from annotate.services.marketplace.offer_problems import by_field
from annotate.services.marketplace.offers import Offer
from annotate.services.pay import quotes
from annotate.text.numerals import number
from annotate.views.marketplace import batch_words as words

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
        last = rows.last_terms(campaign.pk)
        form = BatchForm(crowd=campaign.crowd, initial=words.defaults(campaign, last))
        return _page(request, campaign, form, again=last is not None)
    form = BatchForm(request.POST, crowd=campaign.crowd)
    if not form.is_valid():
        return _page(request, campaign, form, status=422)
    wish = BatchWish(form.terms(), form.cleaned_data["places"], world(campaign.crowd))
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
        messages.success(request, words.launched(made, wish.world))
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
    said = f"The campaign calculates with a fee of {quotes.percent(campaign.fee_rate)} from now on."
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
        bill=words.bill(offer),
        changed=changed,
        terms=offer.terms,
        fee_told=None if offer.fee_told is None else quotes.percent(offer.fee_told),
        hourly=words.hourly(offer.reward, wish.terms.minutes),
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
        "world": world(campaign.crowd),
        "form": form,
        "needed": words.needed(campaign, _number(form["tasks"].value())),
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


def _number(value: Any) -> int:
    return max(1, number(str(value or ""), digits=8) or 1)
