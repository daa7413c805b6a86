"""The page of an import: how far it is, what it would become, and what is wrong with the file."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.template.defaultfilters import filesizeformat
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe
from django_htmx.http import HttpResponseClientRedirect

from annotate.errors import Conflict, Invalid, NotFound
from annotate.permissions import own_import, researcher_page
from annotate.selectors.campaigns import imports
from annotate.services.campaigns import creating, metric_choice, planner
from annotate.services.campaigns.importing import receiving, stored
from annotate.services.campaigns.importing.problems import RowError, UploadRefused
from annotate.states import ImportStatus
from annotate.text.figures import count, many
from annotate.views.campaigns import step_names
from annotate.views.campaigns.previewing import preview

Context = dict[str, Any]
TITLES = {
    ImportStatus.READING: "Reading the file",
    ImportStatus.CREATING: "Creating the campaign",
    ImportStatus.READY: "The file was read. This is the preview.",
    ImportStatus.REFUSED: "The file cannot be imported as it is",
    ImportStatus.FAILED: "An error on our side stopped the import",
    ImportStatus.DONE: "The campaign is ready",
    ImportStatus.CANCELLED: "The import was cancelled",
}


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@researcher_page
def page(request: HttpRequest, import_id: str) -> HttpResponseBase:
    of = own_import(request.user, import_id)
    if request.method == "POST":
        return _act(request, of)
    if of.status == ImportStatus.DONE:
        return redirect(_dashboard(of))
    if _has_steps_left(of):
        return redirect(step_names.address_of_next(of))
    return render(request, "campaigns/import.html", _context(of))


@require_safe
@never_cache
@researcher_page
def now(request: HttpRequest, import_id: str) -> HttpResponseBase:
    """The part that refreshes itself; nothing where nothing has changed since `have`."""
    of = own_import(request.user, import_id)
    if of.status == ImportStatus.DONE:
        messages.success(request, "The campaign is ready. Open it when you are.")
        return HttpResponseClientRedirect(_dashboard(of))
    if _has_steps_left(of):
        return HttpResponseClientRedirect(step_names.address_of_next(of))
    context = _context(of)
    if request.GET.get("have") == context["have"]:
        return HttpResponse(status=204)
    return render(request, "campaigns/_import.html", context | {"fragment": True})


def _has_steps_left(of: Any) -> bool:
    """Return whether the file was read and its owner has not been through all steps."""
    return bool(of.status == ImportStatus.READY and of.steps_done < receiving.ALL_STEPS)


def _act(request: HttpRequest, of: Any) -> HttpResponseBase:
    acts: dict[str, Callable[[HttpRequest, Any], None]] = {
        "create": _create,
        "use": _use,
        "width": _change_width,
        "cancel": _cancel,
        "retry": _retry,
    }
    act = acts.get(request.POST.get("act", ""))
    if act is None:
        raise NotFound("There is no such act.")
    try:
        act(request, of)
    except Conflict as conflict:
        messages.error(request, conflict.message)
    except (Invalid, UploadRefused):
        pass  # the page says what does not fit
    if of.status == ImportStatus.CANCELLED:
        return redirect("annotate:campaigns")
    return redirect("annotate:import", of.public_id)


def _create(request: HttpRequest, of: Any) -> None:
    shown = request.POST.get("revision", "")
    revision = int(shown) if shown.isdecimal() and len(shown) < 10 else -1
    if revision == of.revision and not request.POST.get("beyond") and _is_out_of_reach(of):
        raise Conflict(
            "A target width cannot be reached with these items and people. Change it first."
        )
    said = bool(request.POST.get("distinct_names"))
    if not said and of.facts and stored.facts_of(of).alike:
        raise Conflict("Say first whether the names that look alike are of different things.")
    receiving.create(of, revision=revision, actor_id=_user(request), distinct_names=said)


def _is_out_of_reach(of: Any) -> bool:
    shown = _preview(of).get("preview") if of.status == ImportStatus.READY else None
    return shown is not None and shown.is_refused


def _use(request: HttpRequest, of: Any) -> None:
    """Take a metric that the file has into the plan."""
    if of.status != ImportStatus.READY:
        raise Conflict("The plan cannot be changed here any more.")
    plan, facts = stored.asked_of(of), stored.facts_of(of)
    name = request.POST.get("metric", "")
    names = creating.check(plan, facts).metrics
    if name in metric_choice.unused(names, facts):
        receiving.change_plan(of, replace(plan, metrics=(*names, name)))


def _change_width(request: HttpRequest, of: Any) -> None:
    """Take the nearest width that can be reached as a criterion's target, or no target for it."""
    if of.status != ImportStatus.READY:
        raise Conflict("The plan cannot be changed here any more.")
    plan = stored.asked_of(of)
    checked = creating.check(stored.plan_of(of), stored.facts_of(of))
    found = {one.criterion.name: one.found for one in planner.aims(checked)}
    criterion = request.POST.get("criterion", "")
    if criterion not in found:
        raise Conflict("This criterion has no target any more.")
    targets = {name: width for name, width in plan.targets.items() if name != criterion}
    nearest = found[criterion].reachable
    if request.POST.get("to") == "nearest" and nearest is not None:
        targets = {**plan.targets, criterion: nearest}
    receiving.change_plan(of, replace(plan, targets=targets))


def _cancel(request: HttpRequest, of: Any) -> None:
    receiving.cancel(of, actor_id=_user(request))
    messages.success(request, "The draft was discarded. Nothing of it was kept.")


def _retry(request: HttpRequest, of: Any) -> None:
    receiving.retry(of, actor_id=_user(request))


def _user(request: HttpRequest) -> int:
    assert request.user.pk is not None
    return request.user.pk


def _dashboard(of: Any) -> str:
    return reverse("estimation:dashboard", args=[of.campaign.public_id])


def _context(of: Any) -> Context:
    standing = imports.standing(of)
    context: Context = {
        "of": of,
        "plan": stored.plan_of(of),
        "standing": standing,
        "is_running": standing.is_running,
        "title": TITLES[ImportStatus(of.status)],
        "progress": _progress(standing),
        "section": "campaigns",
        "steps": step_names.steps(of, ""),
        "have": f"{standing.status}-{standing.done}-{standing.is_waiting}-{standing.is_late}"
        f"-{standing.is_behind}-{of.revision}",
    }
    if of.status == ImportStatus.REFUSED:
        context["refusal"] = stored.refusal_of(of)
    if of.status == ImportStatus.READY:
        context |= _preview(of)
    return context


def _progress(standing: imports.ImportStanding) -> str:
    """How far a running import is, in words."""
    if standing.is_behind:
        return "Another file is imported first."
    if standing.is_waiting:
        return "Waiting for a worker."
    if standing.status == ImportStatus.READING:
        return f"{filesizeformat(standing.done)} of {filesizeformat(standing.total)}"
    if not standing.total:
        return "The file is read once more."
    return f"{count(standing.done)} of {many(standing.total, 'item')}"


def _preview(of: Any) -> Context:
    """What would be made, or why this plan does not fit this file."""
    facts = stored.facts_of(of)
    try:
        return {"preview": preview(creating.check(stored.plan_of(of), facts))}
    except UploadRefused as refused:
        return {"misfit": refused.refusal}
    except Invalid as invalid:
        errors = [RowError(0, message) for message in invalid.errors.values()]
        return {"misfit": UploadRefused(errors).refusal}
