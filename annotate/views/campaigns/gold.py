"""The owner's page of gold items: add and confirm them in a draft, and see what they showed."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotate.errors import Conflict, Invalid, NotFound
from annotate.forms.gold import GoldFileForm, InstructionForm, ShareForm
from annotate.permissions import researcher_page, run
from annotate.schemas import Problem, Refused
from annotate.selectors.review import gold as results
from annotate.selectors.studies import instruments
from annotate.selectors.work.gold import BLOCK
from annotate.services.campaigns import gold, gold_sources
from annotate.states import CampaignStatus
from annotate.text.figures import many, short

MOST_PEOPLE = 100  # on the page; the reviews' queue has everybody who is listed
Done = str  # what was done, in a sentence


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@researcher_page
def page(request: HttpRequest, public_id: str) -> HttpResponseBase:
    campaign = run(request.user, public_id)
    forms = _forms(request, campaign)
    if request.method != "POST":
        return _page(request, campaign, forms)
    act = ACTS.get(request.POST.get("act", ""))
    if act is None:
        raise NotFound("This page does not know that act. Reload it.")
    try:
        done = act(request, campaign, forms)
    except Refused as refused:
        return _page(request, campaign, forms, problems=refused.problems, status=422)
    except Invalid as invalid:
        problems = [Problem(name, text) for name, text in invalid.errors.items()]
        return _page(request, campaign, forms, problems=problems, status=422)
    except Conflict as conflict:
        problems = [Problem("", conflict.message)]
        return _page(request, campaign, forms, problems=problems, status=conflict.status)
    if done is None:
        return _page(request, campaign, forms, status=422)
    messages.success(request, done)
    return redirect("annotate:gold", public_id)


def _forms(request: HttpRequest, campaign: Any) -> dict[str, Any]:
    """Return the forms; the one that was sent holds what was typed."""
    act = request.POST.get("act", "")
    questions = dict(gold_sources.instructable(instruments.of(campaign)))

    def sent(name: str) -> dict[str, Any]:
        return {"data": request.POST, "files": request.FILES} if act == name else {}

    return {
        "share": ShareForm(**sent("share"), initial={"share": campaign.gold_share}),
        "file": GoldFileForm(**sent("file")),
        "instruct": InstructionForm(**sent("instruct"), questions=questions),
    }


def _page(
    request: HttpRequest,
    campaign: Any,
    forms: dict[str, Any],
    *,
    problems: Any = (),
    status: int = 200,
) -> HttpResponseBase:
    items, rule = results.items(campaign), results.rule(campaign)
    context = {
        "campaign": campaign,
        "forms": forms,
        "problems": problems,
        "waiting": [one for one in items if not one.is_confirmed],
        "items": [one for one in items if one.is_confirmed],
        "people": results.people(campaign, most=MOST_PEOPLE),
        "n_people": results.n_people(campaign),
        "rule": rule,
        "rule_share": _percent(rule.share),
        "rule_slips": _percent(rule.limits.slips),
        "is_draft": campaign.status == CampaignStatus.DRAFT,
        "example": instruments.of(campaign).questions()[0].name,
        "compares": instruments.of(campaign).compares,
        "can_instruct": bool(gold_sources.instructable(instruments.of(campaign))),
        "of_tasks": BLOCK,
        "section": "campaigns",
    }
    return render(request, "campaigns/gold.html", context, status=status)


def _percent(share: float) -> str:
    """Return a setting as it was typed: 0.99 leaves 1 %, and 0.9999 leaves 0.01 %."""
    return f"{short(100 * share, most=4)}\u00a0%"


def _share(request: HttpRequest, campaign: Any, forms: dict[str, Any]) -> Done | None:
    form = forms["share"]
    if not form.is_valid():
        return None
    share = form.cleaned_data["share"]
    gold.set_share(campaign.pk, share, actor_id=request.user.pk)
    return f"{share} of every {BLOCK} tasks are gold items." if share else "No task is gold."


def _file(request: HttpRequest, campaign: Any, forms: dict[str, Any]) -> Done | None:
    form = forms["file"]
    if not form.is_valid():
        return None
    new = gold_sources.from_file(form.text)
    made = gold.add(campaign.pk, new, actor_id=request.user.pk)
    return f"{many(len(made), 'gold item')} added."


def _instruct(request: HttpRequest, campaign: Any, forms: dict[str, Any]) -> Done | None:
    form = forms["instruct"]
    if not form.is_valid():
        return None
    question, value = form.chosen
    gold_sources.instruct(campaign.pk, question=question, value=value, actor_id=request.user.pk)
    return "An item that asks for this answer is added."


def _confirm(request: HttpRequest, campaign: Any, _forms: dict[str, Any]) -> Done:
    """Confirm the ticked items; discard the others that were shown."""
    shown, ticked = request.POST.getlist("shown"), request.POST.getlist("key")
    confirmed = gold.confirm(campaign.pk, ticked, actor_id=request.user.pk)
    rest = [key for key in shown if key not in ticked]
    removed = gold.remove(campaign.pk, rest, actor_id=request.user.pk)
    return f"{many(confirmed, 'item')} confirmed, {removed} discarded."


def _remove(request: HttpRequest, campaign: Any, _forms: dict[str, Any]) -> Done:
    removed = gold.remove(campaign.pk, request.POST.getlist("key"), actor_id=request.user.pk)
    return f"{many(removed, 'gold item')} removed."


ACTS: dict[str, Callable[[HttpRequest, Any, dict[str, Any]], Done | None]] = {
    "share": _share,
    "file": _file,
    "instruct": _instruct,
    "confirm": _confirm,
    "remove": _remove,
}
