"""The plan page: what a collection takes, before there is a campaign."""

from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotate.errors import NotFound
from annotate.permissions import researcher_page
from annotate.services.campaigns.planner import Planned
from estimation.charts import curve
from estimation.forms import MAIN, PlanForm, initial
from estimation.selectors import planning
from estimation.selectors.planning import ShownPlan
from estimation.views import downloads


@require_safe
@never_cache
@researcher_page
def page(request: HttpRequest) -> HttpResponseBase:
    """The form, and below it the answer once something is asked."""
    given, asked = request.GET.copy(), bool(request.GET)
    if "nearest" in given:  # the button under a target that cannot be met
        given["target"] = given.pop("nearest")[-1]
    form = PlanForm(given if asked else None, initial=initial())
    plan, problem = (
        planning.answer(form.options, form.goals) if asked and form.is_valid() else (None, "")
    )
    context = {
        "form": form,
        "main": [form[name] for name in MAIN],
        "more": [field for field in form if field.name not in MAIN],
        "plan": None if plan is None else _shown(plan, form, given.urlencode()),
        "problem": problem,
        "section": "plan",
    }
    return render(request, "estimates/plan.html", context)


def _shown(plan: Planned, form: PlanForm, query: str) -> ShownPlan:
    options = form.options
    return ShownPlan(plan, query, options["systems"], options["probability"])


@require_safe
@researcher_page
def picture(request: HttpRequest, kind: str) -> HttpResponseBase:
    """The curve as SVG or PNG, or its data as CSV."""
    form = PlanForm(request.GET or initial())
    plan = planning.answer(form.options, form.goals)[0] if form.is_valid() else None
    if plan is None or (found := plan.curve) is None:
        raise NotFound("There is no such plan.")
    theme = "dark" if request.GET.get("theme") == "dark" else "light"
    return downloads.answer(
        kind,
        name="plan",
        spec=lambda: curve.spec(found, theme, target=form.cleaned_data["target"]),
        header=curve.COLUMNS,
        rows=lambda: curve.rows(found),
        inline="theme" in request.GET,
    )
