"""Steps two to four of a new campaign: each shows and changes its part of an import's plan."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotate.errors import Conflict, Invalid, NotFound
from annotate.forms.new_campaign import PeopleStep, PlanStep, QuestionsStep, StepForm
from annotate.forms.new_campaign.targets import usual_targets
from annotate.permissions import own_import, researcher_page
from annotate.selectors.campaigns import listed
from annotate.selectors.campaigns.listed import CollectionPace
from annotate.selectors.studies import instruments
from annotate.services.campaigns import creating, planner, plans
from annotate.services.campaigns.importing import receiving, stored
from annotate.services.campaigns.importing.first_items import SHOWN
from annotate.services.campaigns.importing.problems import UploadRefused
from annotate.services.campaigns.planner import Aim
from annotate.services.campaigns.plans import Plan
from annotate.states import ImportStatus
from annotate.text.numerals import number
from annotate.views.campaigns import step_names
from annotate.views.campaigns.previewing import preview

FORMS: dict[str, type[StepForm]] = {
    "questions": QuestionsStep,
    "plan": PlanStep,
    "people": PeopleStep,
}
HEADINGS = {
    "questions": "What are people asked?",
    "plan": "How precise should the results be?",
    "people": "Who judges, and what are they paid?",
}
BUTTONS = {"questions": "Next: plan", "plan": "Next: people and money", "people": "Preview"}
NEXT = "next"


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@researcher_page
def page(request: HttpRequest, import_id: str, step: str) -> HttpResponseBase:
    """One step; `next` is the first that was not done. POST keeps what was entered."""
    of = own_import(request.user, import_id)
    if step == NEXT or not of.can_change:
        return redirect(_going_on(of))
    if step not in FORMS:
        raise NotFound("A new campaign has no such step.")
    if request.method != "POST":
        if getattr(request, "htmx", False) and of.status == ImportStatus.READING:
            return HttpResponse(status=204)  # the part that waits for the file waits on
        return _page(request, of, step, _form(of, step))
    form = _form(of, step, _with_width(request.POST))
    if asked := _out_of_reach(of, form, request.POST):
        # What was changed elsewhere since this page was shown is told when it goes on.
        of.revision = number(request.POST.get("revision", "")) or of.revision
        return _page(request, of, step, form, status=422, asked=asked)
    goes_on = request.POST.get("go") != "back"  # back leads to the file, which may be what is wrong
    try:
        if goes_on and isinstance(form, QuestionsStep):
            _fit(form)
        _keep(of, form, step, shown=number(request.POST.get("revision", "")))
    except Conflict as conflict:
        of.refresh_from_db()
        form.add_error(None, f"{conflict.message} What you entered stands below. Look at it again.")
        return _page(request, of, step, form, status=409)
    if not form.is_valid():
        return _page(request, of, step, form, status=422)
    return redirect(_then(request, of, step))


@require_POST
@never_cache
@researcher_page
def takes(request: HttpRequest, import_id: str) -> HttpResponseBase:
    """Show the cost of the plan as it is typed. Nothing is stored."""
    of = own_import(request.user, import_id)
    form = _form(of, "plan", request.POST)
    assert request.user.pk is not None
    taken = _taken(of, form, listed.pace(request.user.pk, form.before.crowd))
    return render(request, "campaigns/_takes.html", {"of": of, **taken})


@require_safe
@never_cache
@researcher_page
def tutorial(request: HttpRequest, import_id: str) -> HttpResponseBase:
    """The tutorials of another instrument, for the form that is open."""
    of = own_import(request.user, import_id)
    form = QuestionsStep(
        plan=stored.asked_of(of),
        facts=stored.facts_of(of) if of.facts else None,
        initial={"instrument": request.GET.get("instrument", "")},
    )
    return render(request, "campaigns/_tutorial.html", {"form": form, "of": of})


def _going_on(of: Any) -> str:
    """Return where to go on: files that are read or cannot be are shown first."""
    if of.can_change and of.status == ImportStatus.READY:
        return step_names.address_of_next(of)
    return step_names.address_after(of, "people")


def _form(of: Any, step: str, posted: QueryDict | None = None) -> StepForm:
    facts, plan = stored.facts_of(of) if of.facts else None, stored.asked_of(of)
    initial = None
    if facts and step == "questions" and of.steps_done < 2:
        initial = QuestionsStep.proposed(plan, facts)
    if facts and step == "plan" and of.steps_done < 3 and posted is None:
        initial = _reachable(of, plan)
    return FORMS[step](posted, plan=plan, facts=facts, initial=initial)


def _reachable(of: Any, plan: Plan) -> dict[str, Any] | None:
    """Return the usual target as this file's items reach it; None where another one was chosen."""
    if plan.targets != usual_targets(instruments.named(plan.instrument), plan.stop_mode)["targets"]:
        return None
    try:
        checked = creating.check(stored.plan_of(of), stored.facts_of(of))
    except (Invalid, UploadRefused):
        return None
    return PlanStep.shown(replace(plan, targets=planner.reachable_targets(checked)))


def _out_of_reach(of: Any, form: StepForm, posted: QueryDict) -> list[Aim]:
    """Return the targets that are not reached by what is known, before the next step is shown."""
    goes_on = posted.get("go") != "back" and "beyond" not in posted and "use" not in posted
    if not (isinstance(form, PlanStep) and goes_on):
        return []
    shown = _taken(of, form, None).get("preview")
    return [one for one in shown.reach if one.is_known and not one.is_reached] if shown else []


def _keep(of: Any, form: StepForm, step: str, *, shown: int | None) -> None:
    """Store a valid step, and tell beside its fields what is wrong with another one.

    Raises `Conflict` where the plan was changed since it was shown.
    """
    if not form.is_valid():
        return
    plan = form.plan()
    try:
        plans.check(plan)
    except Invalid as invalid:
        form.tell(invalid.errors)
        return
    done = list(step_names.STEPS).index(step) + 1
    receiving.change_plan(of, plan, shown=-1 if shown is None else shown, steps_done=done)


def _fit(form: QuestionsStep) -> None:
    """Tell at the choice what the file lacks for it, as far as the file is read."""
    if form.misfit:
        form.add_error("instrument", form.misfit)
    elif form.is_valid() and form.facts is not None:
        try:
            creating.check(form.plan(), form.facts)
        except UploadRefused as refused:
            form.add_error("metric_names", str(refused))
        except Invalid as invalid:
            form.tell(invalid.errors)


def _with_width(posted: QueryDict) -> QueryDict:
    """Return the form with the width that was pressed in place of the typed one."""
    criterion, pressed, width = posted.get("use", "").partition("=")
    if not pressed or f"width_{criterion}" not in posted:
        return posted
    changed = posted.copy()
    changed[f"width_{criterion}"] = width
    return changed


def _then(request: HttpRequest, of: Any, step: str) -> str:
    if "use" in request.POST:
        return request.path
    if request.POST.get("go") == "back":
        return step_names.address_before(of, step)
    return step_names.address_after(of, step)


def _page(
    request: HttpRequest,
    of: Any,
    step: str,
    form: StepForm,
    *,
    status: int = 200,
    asked: Sequence[Aim] = (),
) -> HttpResponseBase:
    """asked: targets that are out of reach; whether to go on with them."""
    context: dict[str, Any] = {
        "of": of,
        "form": form,
        "heading": HEADINGS[step],
        "asked": asked,
        "next": BUTTONS[step],
        "plan": form.before,
        "facts": form.facts,
        "steps": step_names.steps(of, step),
        "examples": range(1, min(SHOWN, form.facts.n_items if form.facts else SHOWN) + 1),
        "section": "campaigns",
    }
    return render(request, f"campaigns/step_{step}.html", context, status=status)


def _taken(of: Any, form: StepForm, pace: CollectionPace | None) -> dict[str, Any]:
    """Return what the plan takes, or why that cannot be said."""
    if form.facts is None:
        return {"why": "What the plan takes stands here once the file is read."}
    if not form.is_valid():
        return {"why": "Some numbers of the plan need correcting first."}
    try:
        plan = replace(form.plan(), seed=stored.plan_of(of).seed)
        return {"preview": preview(creating.check(plan, form.facts), pace)}
    except Invalid as invalid:
        return {"why": " ".join(invalid.errors.values())}
    except UploadRefused as refused:
        return {"why": f"The plan does not fit the file so far: {refused}"}
