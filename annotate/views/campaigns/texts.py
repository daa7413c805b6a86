"""The page of texts for annotators: members read it; owners and collaborators change it."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotate import adapters
from annotate.errors import Conflict, Invalid
from annotate.forms.texts import TextsForm
from annotate.permissions import is_running, researcher_page, run, visible
from annotate.selectors.campaigns import protocol
from annotate.selectors.studies import amended_texts, instruments
from annotate.selectors.studies.amended_texts import ReadTexts
from annotate.services.campaigns import changing_texts
from annotate.states import CampaignStatus

LABELS = {
    "public_title": "Title",
    "public_about": "Sentence",
    "contact": "E-mail",
    "instructions": "Instructions",
    "consent": "Consent text",
}


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@researcher_page
def texts(request: HttpRequest, public_id: str) -> HttpResponseBase:
    """Show the texts; POST changes them."""
    campaign = visible(request.user, public_id)
    now = amended_texts.of(campaign)
    if request.method != "POST":
        return _page(request, campaign, now, _form(campaign, now))
    run(request.user, public_id)
    form = _form(campaign, now, request.POST)
    if not form.is_valid():
        return _page(request, campaign, now, form, status=422)
    try:
        changed = _change(request, campaign, form)
    except (Invalid, Conflict) as refused:
        _tell(form, refused)
        form.again(now)
        return _page(request, campaign, now, form, status=refused.status)
    messages.success(request, _said(campaign, changed))
    return redirect("annotate:texts", public_id)


def _change(request: HttpRequest, campaign: Any, form: TextsForm) -> changing_texts.Changes:
    given = form.cleaned_data
    return changing_texts.change(
        campaign.pk,
        form.texts,
        actor_id=request.user.pk,
        reason=given["reason"],
        seen=given["revision"] or "none",
    )


def _form(campaign: Any, now: ReadTexts, posted: Any = None) -> TextsForm:
    form = TextsForm(posted, now=now, closed=campaign.closed_at is not None)
    asked = instruments.of(campaign), campaign.language
    form.suggest(protocol.title("", *asked), protocol.about("", *asked))
    return form


def _tell(form: TextsForm, refused: Invalid | Conflict) -> None:
    """Put each problem beside its field; what has none is told above the form."""
    for name, message in getattr(refused, "errors", {"": refused.message}).items():
        form.add_error(name if name in form.fields else None, message)


def _said(campaign: Any, changed: changing_texts.Changes) -> str:
    if not changed:
        return "Nothing was changed."
    if "consent" in changed and campaign.status != CampaignStatus.DRAFT:
        return "Changed. Everybody is asked to accept the new consent text before their next task."
    return "Annotators read the new words from now on."


def _page(
    request: HttpRequest, campaign: Any, now: ReadTexts, form: TextsForm, *, status: int = 200
) -> HttpResponseBase:
    context = {
        "campaign": campaign,
        "form": form,
        "now": now,
        "may_change": is_running(request.user, campaign),
        "is_draft": campaign.status == CampaignStatus.DRAFT,
        "crowd": adapters.label(campaign.crowd),
        "amendments": [(one, _lines(one.changes)) for one in amended_texts.amended(campaign.pk)],
        "consents": amended_texts.consents(campaign),
        "section": "campaigns",
    }
    return render(request, "campaigns/texts.html", context, status=status)


def _lines(changes: Any) -> list[tuple[str, str, str]]:
    return [(LABELS.get(name, name), was, now) for name, (was, now) in changes.items()]
