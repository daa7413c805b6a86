"""The pages of a new campaign: its four steps, the import, and the preview."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import redirect, render
from django.template.defaultfilters import filesizeformat
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django.views.decorators.vary import vary_on_headers
from django_htmx.http import HttpResponseClientRedirect

from annotate.campaigns import creating, exports, imports, planner, plans
from annotate.campaigns import lists as campaigns_lists
from annotate.campaigns.creating import CheckedPlan
from annotate.campaigns.imports import SHOWN
from annotate.campaigns.lists import Pace
from annotate.campaigns.planner import TargetForecast
from annotate.campaigns.plans import Plan
from annotate.campaigns.problems import RowError, UploadRefused, usual_names
from annotate.campaigns.sheet import Facts
from annotate.campaigns.wizard_forms import (
    RECOMMENDED,
    FileStep,
    PeopleStep,
    PlanStep,
    QuestionsStep,
    StepForm,
    usual_targets,
)
from annotate.common import access, requests
from annotate.common.access import own_import, researcher_page
from annotate.common.errors import Conflict, Invalid, NotFound
from annotate.common.numbers import (
    count,
    days_between,
    many,
    money_at_a_glance,
    money_text,
    number,
    number_from,
    width,
)
from annotate.crowds.prices import ZERO
from annotate.models.base import ImportStatus
from annotate.pay import promise_queries
from annotate.studies import queries as studies_queries
from annotate.work.picking import BLOCK
from estimation.core.planning import Forecast, Range

STEPS = {
    "file": "File",
    "questions": "Questions and metrics",
    "plan": "Plan",
    "people": "People and money",
}


def steps(of: Any, here: str) -> list[dict[str, Any]]:
    """Return the steps, of an import or of a campaign that is not begun yet.

    here: the key of this step; "" after all of them. A step that cannot be gone to has no address.
    """
    done = of.steps_done if of else 0
    return [
        {
            "number": number,
            "label": label,
            "address": _address(of, key) if of and number <= done + 1 else "",
            "is_done": number <= done and key != here,
            "is_here": key == here,
        }
        for number, (key, label) in enumerate(STEPS.items(), start=1)
    ]


def _address(of: Any, key: str) -> str:
    if key == "file":
        return f"{reverse('annotate:campaign-new')}?import={of.public_id}"
    return reverse("annotate:import-step", args=[of.public_id, key])


def address_after(of: Any, done: int) -> str:
    """Return the address of the step after so many; after the last, of the preview."""
    if done < len(STEPS):
        return _address(of, list(STEPS)[done])
    return reverse("annotate:import", args=[of.public_id])


def address_of_next(of: Any) -> str:
    """Return the next step of an import: the first that is not done, or the preview."""
    return address_after(of, max(of.steps_done, 1))


# The first step of a new campaign: the form with the files. Other steps change what it began.


FORM_ROOM = 1024 * 1024  # bytes for the fields and the multipart envelope around the files


@requests.measures_its_body
# The token stands in the body, so checking it reads the body: only after its length is known.
@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@vary_on_headers("HX-Request")
@researcher_page
def new(request: HttpRequest) -> HttpResponseBase:
    if requests.length(request) > settings.UPLOAD_LIMIT + FORM_ROOM:
        return too_large(request)
    answer: HttpResponseBase = _new(request)
    return answer


@csrf_protect
def _new(request: HttpRequest) -> HttpResponseBase:
    named = _asked(request, "import")
    kept = own_import(request.user, named) if named else None
    posts = request.method == "POST"
    if kept is not None and not kept.can_change and not posts:
        return redirect("annotate:import", kept.public_id)
    files = [file for _name, several in request.FILES.lists() for file in several]
    if sum(file.size or 0 for file in files) > settings.UPLOAD_LIMIT:
        return too_large(request)
    form = FileStep(
        *((request.POST, request.FILES) if posts else ()),
        plan=_first_plan(request, kept),
        has_file=bool(kept and kept.has_file),
        columns=kept.columns if kept else None,
        shown=imports.columns_of(kept) if kept and kept.has_file else (),
        is_refused=bool(kept and kept.status == ImportStatus.REFUSED),
    )
    if not posts:
        return _page(request, form, kept)
    if form.is_valid():
        try:
            plans.check(form.plan())
        except Invalid as invalid:
            form.tell(invalid.errors)
    if not form.is_valid():
        return _page(request, form, kept, status=422)
    made = imports.receive_or_change(
        form.plan(),
        form.cleaned_data["outputs"],
        form.cleaned_data["metrics_file"],
        owner_id=_user(request),
        key=form.cleaned_data["key"] or uuid4().hex,
        before=kept,
        drop_metrics=form.cleaned_data["drop_metrics"],
        columns=form.columns,
    )
    address = reverse("annotate:import-step", args=[made.public_id, NEXT])
    if getattr(request, "htmx", False):
        return HttpResponseClientRedirect(address)
    return redirect(address)


def too_large(request: HttpRequest) -> HttpResponseBase:
    limit = settings.UPLOAD_LIMIT // (1024 * 1024)
    response = render(request, "413.html", {"limit": limit}, status=413)
    response["HX-Reselect"] = "#outcome"  # htmx puts the part, not the page, into the form
    return response


def _asked(request: HttpRequest, name: str) -> str:
    return request.POST.get(name) or request.GET.get(name, "")


def _first_plan(request: HttpRequest, kept: Any) -> Plan:
    """Return what this step starts from: the plan of an import, of a campaign, or a usual one."""
    if kept is not None:
        return imports.asked_of(kept)
    if like := _asked(request, "like"):
        return plans.plan_of(access.made_here(access.run(request.user, like)))
    plan = Plan(name="", targets={}, metrics=RECOMMENDED)
    try:
        asked = studies_queries.named(_asked(request, "instrument"))
    except KeyError:
        asked = studies_queries.named(plan.instrument)
    else:
        plan = replace(plan, instrument=_asked(request, "instrument"))
    return replace(plan, **usual_targets(asked, plan.stop_mode))


def _page(
    request: HttpRequest, form: FileStep, kept: Any, *, status: int = 200
) -> HttpResponseBase:
    """The whole page, or, for htmx, its outcome: then the browser keeps the chosen files."""
    fragment = bool(getattr(request, "htmx", False))
    context: dict[str, Any] = {
        "form": form,
        "kept": kept,
        "like": _asked(request, "like"),
        "instrument": _asked(request, "instrument"),
        "section": "campaigns",
        "steps": steps(kept, "file"),
        "fragment": fragment,
        "upload_limit": settings.UPLOAD_LIMIT,
        "usual_names": usual_names(),
        "asks_columns": "columns" in request.GET,
    }
    template = "campaigns/_outcome.html" if fragment else "campaigns/new.html"
    return render(request, template, context, status=status)


# The preview of a campaign before anything is stored.


MIN_ITEMS = 50  # fewer cannot stop on the unbounded criteria (docs/statistics.md, intervals)


class CampaignPreview:
    """What an import would create, and what the researcher should know first.

    title, about: what annotators read. offers: metrics that the file has for every output, that
    are not the same for all of them, and that the plan does not use. reach: what each target
    width takes. compares: systems and texts are pairs. failed_try: paid to a person who tries the
    tutorial and does not pass.
    """

    def __init__(self, checked: CheckedPlan, pace: Pace | None = None) -> None:
        """pace: of an earlier campaign; None if there was none."""
        plan, facts, instrument = checked.plan, checked.facts, checked.instrument
        self.facts, self.metrics, self.pace = facts, checked.metrics, pace
        self.title = exports.title(plan.public_title, instrument, plan.language)
        self.about = exports.about(plan.public_about, instrument, plan.language)
        self.compares, self.ranks = instrument.compares, instrument.ranks
        self.named_experts = plan.named_experts
        self.planned = creating.count_planned(plan, facts)
        self.most = plans.at_most(plan, self.planned)
        self.price = self.most.bill.each
        self.reach = planner.target_forecasts(checked, pace[1] if pace else None)
        self.notices = [
            *facts.notices,
            *creating.form_notices(plan, facts),
            *plans.unusable(facts),
            *_about_ranking(checked),
            *_about_pairs(checked),
            *_notices(plan, facts, self.planned, self.price),
            *_about_budget(plan, self.reach),
            *_about_metrics(checked.metrics, facts),
        ]
        self.offers = plans.useful(checked.metrics, facts)
        self.failed_try = ZERO
        if plans.has_tutorial(plan):
            self.failed_try = promise_queries.planned_for_failing(plan.crowd, plan.failed_try_pay)

    @property
    def is_refused(self) -> bool:
        """Return whether a target cannot be reached."""
        return any(one.is_refused for one in self.reach)

    @property
    def is_reached(self) -> bool:
        return all(one.is_reached for one in self.reach)

    @property
    def expected(self) -> Forecast | None:
        """Return what the campaign is expected to take; None where that is not known."""
        return planner.last(self.reach)

    @property
    def cost(self) -> Range | None:
        """Return its expected cost; a budget ends the collection before."""
        found, most = self.expected, float(self.most.amount)
        if found is None:
            return None
        cost = found.cost
        return Range(min(cost.expected, most), min(cost.low, most), min(cost.high, most))

    @property
    def days(self) -> str:
        """Return how long collecting takes at the pace of an earlier campaign; "" without one."""
        days = self.expected.days if self.expected else None
        return days_between(days.low, days.high) if days else ""

    @property
    def in_short(self) -> str:
        """Return the cost of the plan in one line, for narrow screens."""
        if late := next((one for one in self.reach if not one.is_reached), None):
            able = "is" if late.is_refused else "may be"
            return f"{late.criterion.label}: a width of {width(late.width)} {able} out of reach."
        if self.expected is None or self.cost is None:
            return f"At most {many(self.planned, 'judgment')}, {money_text(self.most.amount)}."
        parts = (
            f"{count(round(self.expected.judgments.expected))} judgments",
            f"{count(round(self.expected.annotators.expected))} people",
            money_at_a_glance(self.cost.expected),
        )
        return f"About {', '.join(parts)}."

    @property
    def stops_early(self) -> bool:
        """Return whether at most half of what is planned is expected to be judged."""
        found = self.expected
        return found is not None and self.is_reached and found.judgments.high <= self.planned / 2

    @property
    def n_shared(self) -> int:
        """Rows whose text another system also wrote for the same item."""
        return self.facts.n_rows - self.facts.n_outputs

    @property
    def n_more_systems(self) -> int:
        return self.facts.n_systems - len(self.facts.systems)


def _notices(plan: Plan, facts: Facts, planned: int, price: Decimal) -> list[str]:
    found = []
    if facts.n_units < MIN_ITEMS:
        few = (
            ("group of items is", "groups of items are")
            if facts.groups
            else ("item is", "items are")
        )
        found.append(
            f"{many(facts.n_units, *few)} few: collection can stop early only after 30 to 50 of "
            "them are judged."
        )
    found += _about_groups(facts)
    if not facts.is_even:
        found.append("Not every system has an output for every item. Is the file complete?")
    if facts.n_empty:
        empty = many(facts.n_empty, "output is", "outputs are")
        found.append(
            f"{empty} empty. People read that the system wrote nothing, and judge it like any "
            "other."
        )
    pays = plan.tutorial_bonus and plans.has_tutorial(plan)
    fewer = ", or for fewer where people new to it are paid for the tutorial" if pays else ""
    if plan.budget is not None and plan.budget < planned * price:
        found.append(
            f"The budget pays for {count(int(plan.budget / price))} of {count(planned)} planned "
            f"judgments{fewer}. The intervals may be wider than asked for when it is spent."
        )
    if plan.gold_share and not plan.gold:
        found.append(
            f"{plan.gold_share} of {BLOCK} tasks are gold items, which the cost counts. Add "
            "the items on the campaign’s page Gold before you open it."
        )
    if not plan.experts and (plan.annotator_cap is None or plan.annotator_cap > 25):
        found.append(
            "With more than 25 judgments by one person, the coverage of the intervals at the "
            "moment of stopping is not warranted."
        )
    return found


def _about_groups(facts: Facts) -> list[str]:
    """Return what groups of items change, or that some items may be parts of something."""
    if facts.groups:
        size = facts.n_items / facts.n_units
        return [
            f"{many(facts.n_items, 'item')} in {many(facts.n_units, 'group')}: whole groups are "
            "drawn, and intervals and rules count groups. The plan counts items as if they were "
            "independent. Where items of a group correlate by .1 it takes about "
            f"{number(1 + 0.1 * (size - 1), 1)} times as many judgments, by .5 about "
            f"{number(1 + 0.5 * (size - 1), 1)} times."
        ]
    if (one := facts.series) is None:
        return []
    shown = ", ".join(f"“{item}”" for item in one.items)
    return [
        f"Do {shown} belong to one document, prompt or dialogue? {count(one.n_items)} items look "
        f"like parts of {count(one.blocks)} of them. Then add a column “group” that names it: "
        "items of one group are not independent, and intervals that do not know it are too narrow."
    ]


def _about_budget(plan: Plan, found: Sequence[TargetForecast]) -> list[str]:
    """Return that the targets are expected to cost more than the budget, if they are."""
    costs = [one.found.goal.cost for one in found if one.is_reached and one.found.goal]
    most = max(costs, key=lambda cost: cost.high, default=None)
    if plan.budget is None or most is None or most.high <= plan.budget:
        return []
    ends = "will probably end" if most.low > plan.budget else "may end"
    between = f"{money_at_a_glance(most.low)}–{money_at_a_glance(most.high)}"
    return [
        f"The targets are expected to cost {between}, and the budget is {money_text(plan.budget)}: "
        f"collection {ends} before they are reached."
    ]


def _about_pairs(checked: CheckedPlan) -> list[str]:
    if checked.instrument.ranks and checked.facts.n_same:
        return [
            f"All systems wrote the same text for {many(checked.facts.n_same, 'item')}. Nobody is "
            "asked about them: results speak for the items whose texts differ."
        ]
    found = checked.facts.pairs
    if not checked.instrument.compares or found is None or not found.n_same:
        return []
    return [
        f"{many(found.n_same, 'pair has', 'pairs have')} the same text twice. Nobody is asked "
        "about them: results speak for the pairs whose texts differ."
    ]


def _about_ranking(checked: CheckedPlan) -> list[str]:
    found, items = checked.ranking, checked.facts.n_items
    if found is None or checked.planned_items is None:
        return []
    n, compares = checked.facts.n_systems, checked.instrument.compares
    of = "" if compares else f" of {many(n, 'system')}"
    told = (
        f"A ranking{of}: {many(found.pairs, 'pair')} on each criterion, planned items "
        f"{count(checked.planned_items)}. With usual scores, pairs that are alike, or further "
        "apart than the margin, are decided after about "
    )
    if found.settled_items is None:
        told = told.removesuffix("about ")
        return [
            f"{told}more than all {many(items, 'item')}: some pairs may stay open. A larger margin "
            "takes fewer."
        ]
    slow = found.slowest_items
    half = f"about {count(slow)}" if slow is not None else f"more than all {count(items)}"
    return [
        f"{told}{many(found.settled_items, 'item')} of each {'pair' if compares else 'system'}; "
        f"pairs that differ by half the margin take {half}."
    ]


def _about_metrics(metrics: tuple[str, ...], facts: Facts) -> list[str]:
    if not metrics:
        return ["Without a metric nothing is saved: the estimate is the plain mean."]
    found = []
    given = [name for name in metrics if plans.metric_choice_given(name, facts)]
    if given:
        found.append(f"Taken from your file as it is: {', '.join(given)}.")
    found += [
        f"{name} is computed here, not taken from the column “{name}” of your file. Rename the "
        "column to use it."
        for name in metrics
        if name not in given and facts.column(name)
    ]
    found += plans.averaged(metrics, facts)
    found += [
        f"{why} Take it out in the step “Questions and metrics”."
        for why in plans.useless(metrics, facts)
    ]
    if len(metrics) > 1:
        found.append(
            f"{len(metrics)} metrics are combined, with weights learnt from other items than the "
            "ones they correct. This choice is fixed when you create the campaign."
        )
    return found


# The page of an import: how far it is, what it would become, and what is wrong with the file.


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
def import_page(request: HttpRequest, import_id: str) -> HttpResponseBase:
    of = own_import(request.user, import_id)
    if request.method == "POST":
        return _act(request, of)
    if of.status == ImportStatus.DONE:
        return redirect(_dashboard(of))
    if _has_steps_left(of):
        return redirect(address_of_next(of))
    return render(request, "campaigns/import.html", _context(of))


@require_safe
@never_cache
@researcher_page
def import_now(request: HttpRequest, import_id: str) -> HttpResponseBase:
    """The part that refreshes itself; nothing where nothing has changed since `have`."""
    of = own_import(request.user, import_id)
    if of.status == ImportStatus.DONE:
        messages.success(request, "The campaign is ready. Open it when you are.")
        return HttpResponseClientRedirect(_dashboard(of))
    if _has_steps_left(of):
        return HttpResponseClientRedirect(address_of_next(of))
    context = _context(of)
    if request.GET.get("have") == context["have"]:
        return HttpResponse(status=204)
    return render(request, "campaigns/_import.html", context | {"fragment": True})


def _has_steps_left(of: Any) -> bool:
    """Return whether the file was read and its owner has not been through all steps."""
    return bool(of.status == ImportStatus.READY and of.steps_done < imports.ALL_STEPS)


def _act(request: HttpRequest, of: Any) -> HttpResponseBase:
    acts: dict[str, Callable[[HttpRequest, Any], Any]] = {
        "create": _create,
        "use": _use,
        "join": _join,
        "width": _change_width,
        "cancel": _cancel,
        "retry": lambda request, of: imports.retry(of, actor_id=_user(request)),
    }
    act = acts.get(request.POST.get("act", ""))
    if act is None:
        raise NotFound("There is no such act.")
    after = None
    try:
        after = act(request, of)
    except Conflict as conflict:
        messages.error(request, conflict.message)
    except (Invalid, UploadRefused):
        pass  # the page says what does not fit
    if after is None and of.status == ImportStatus.CANCELLED:
        return redirect("annotate:campaigns")
    return redirect("annotate:import", (after or of).public_id)


def _create(request: HttpRequest, of: Any) -> None:
    shown = request.POST.get("revision", "")
    revision = int(shown) if shown.isdecimal() and len(shown) < 10 else -1
    is_ready = revision == of.revision and of.status == ImportStatus.READY
    if is_ready and not request.POST.get("beyond"):
        found = _preview(of).get("preview")
        if found is not None and found.is_refused:
            raise Conflict(
                "A target width cannot be reached with these items and people. Change it first."
            )
    said = bool(request.POST.get("distinct_names"))
    if not said and of.facts and imports.facts_of(of).alike:
        raise Conflict("Say first whether the names that look alike are of different things.")
    imports.create(of, revision=revision, actor_id=_user(request), distinct_names=said)


def _use(request: HttpRequest, of: Any) -> None:
    """Take a metric that the file has into the plan."""
    _ask_ready(of)
    plan, facts = imports.asked_of(of), imports.facts_of(of)
    name = request.POST.get("metric", "")
    names = creating.check(plan, facts).metrics
    if name in plans.unused(names, facts):
        imports.change_plan(of, replace(plan, metrics=(*names, name)))


def _join(request: HttpRequest, of: Any) -> Any:
    """Read the file once more, with names that look alike as one; return the new import."""
    _ask_ready(of)
    plan = replace(imports.asked_of(of), join_names=True)
    return imports.receive(
        plan,
        None,
        owner_id=_user(request),
        key=uuid4().hex,
        replaces=of,
        columns=of.columns,
        steps_done=of.steps_done,
    )


def _change_width(request: HttpRequest, of: Any) -> None:
    """Take the nearest width that can be reached as a criterion's target, or no target for it."""
    _ask_ready(of)
    plan = imports.asked_of(of)
    checked = creating.check(imports.plan_of(of), imports.facts_of(of))
    found = {one.criterion.name: one.found for one in planner.target_forecasts(checked)}
    criterion = request.POST.get("criterion", "")
    if criterion not in found:
        raise Conflict("This criterion has no target any more.")
    targets = {name: width for name, width in plan.targets.items() if name != criterion}
    nearest = found[criterion].reachable
    if request.POST.get("to") == "nearest" and nearest is not None:
        targets = {**plan.targets, criterion: nearest}
    imports.change_plan(of, replace(plan, targets=targets))


def _ask_ready(of: Any) -> None:
    if of.status != ImportStatus.READY:
        raise Conflict("The plan cannot be changed here any more.")


def _cancel(request: HttpRequest, of: Any) -> None:
    imports.cancel(of, actor_id=_user(request))
    messages.success(request, "The draft was discarded. Nothing of it was kept.")


def _user(request: HttpRequest) -> int:
    assert request.user.pk is not None
    return request.user.pk


def _dashboard(of: Any) -> str:
    return reverse("estimation:dashboard", args=[of.campaign.public_id])


def _context(of: Any) -> Context:
    waits, behind, late = imports.waiting_state(of)
    context: Context = {
        "of": of,
        "plan": imports.plan_of(of),
        "is_late": late,
        "title": TITLES[ImportStatus(of.status)],
        "progress": _progress(of, waits=waits, behind=behind),
        "section": "campaigns",
        "steps": steps(of, ""),
        "have": f"{of.status}-{of.done}-{waits}-{late}-{behind}-{of.revision}",
    }
    if of.status == ImportStatus.REFUSED:
        context["refusal"] = imports.refusal_of(of)
        context["corrects"] = of.has_file
    if of.status == ImportStatus.READY:
        context |= _preview(of)
    return context


def _progress(of: Any, *, waits: bool, behind: bool) -> str:
    """How far a running import is, in words."""
    if waits:
        return "Another file is imported first." if behind else "Waiting for a worker."
    if of.status == ImportStatus.READING:
        return f"{filesizeformat(of.done)} of {filesizeformat(of.total)}"
    if not of.total:
        return "The file is read once more."
    return f"{count(of.done)} of {many(of.total, 'item')}"


def _preview(of: Any) -> Context:
    """What would be made, or why this plan does not fit this file."""
    facts = imports.facts_of(of)
    try:
        return {"preview": CampaignPreview(creating.check(imports.plan_of(of), facts))}
    except UploadRefused as refused:
        return {"misfit": refused.refusal}
    except Invalid as invalid:
        errors = [RowError(0, message) for message in invalid.errors.values()]
        return {"misfit": UploadRefused(errors).refusal}


# Steps two to four of a new campaign: each shows and changes its part of an import's plan.


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
def steps_page(request: HttpRequest, import_id: str, step: str) -> HttpResponseBase:
    """One step; `next` is the first that was not done. POST keeps what was entered."""
    of = own_import(request.user, import_id)
    if step == NEXT or not of.can_change:
        # Files that are being read or cannot be are shown first.
        ready = of.status == ImportStatus.READY
        return redirect(address_of_next(of) if ready else address_after(of, len(STEPS)))
    if step not in FORMS:
        raise NotFound("A new campaign has no such step.")
    if request.method != "POST":
        if getattr(request, "htmx", False) and of.status == ImportStatus.READING:
            return HttpResponse(status=204)  # the part that waits for the file waits on
        return _step_page(request, of, step, _step_form(of, step))
    posted: QueryDict = request.POST
    criterion, pressed, nearest = posted.get("use", "").partition("=")
    if pressed and f"width_{criterion}" in posted:
        changed = posted.copy()  # with the width that was pressed in place of the typed one
        changed[f"width_{criterion}"] = nearest
        posted = changed
    form = _step_form(of, step, posted)
    if asked := _out_of_reach(of, form, request.POST):
        # What was changed elsewhere since this page was shown is told when it goes on.
        of.revision = number_from(request.POST.get("revision", "")) or of.revision
        return _step_page(request, of, step, form, status=422, asked=asked)
    goes_on = request.POST.get("go") != "back"  # back leads to the file, which may be what is wrong
    try:
        if goes_on and isinstance(form, QuestionsStep):
            _fit(form)
        _keep(of, form, step, shown=number_from(request.POST.get("revision", "")))
    except Conflict as conflict:
        of.refresh_from_db()
        form.add_error(None, f"{conflict.message} What you entered stands below. Look at it again.")
        return _step_page(request, of, step, form, status=409)
    if not form.is_valid():
        return _step_page(request, of, step, form, status=422)
    if "use" in request.POST:
        return redirect(request.path)
    place = list(STEPS).index(step)
    return redirect(address_after(of, place + 1 if goes_on else place - 1))


@require_POST
@never_cache
@researcher_page
def takes(request: HttpRequest, import_id: str) -> HttpResponseBase:
    """Show the cost of the plan as it is typed. Nothing is stored."""
    of = own_import(request.user, import_id)
    form = _step_form(of, "plan", request.POST)
    taken = _taken(of, form, campaigns_lists.pace(_user(request), form.before.crowd))
    return render(request, "campaigns/_takes.html", {"of": of, **taken})


@require_safe
@never_cache
@researcher_page
def tutorial(request: HttpRequest, import_id: str) -> HttpResponseBase:
    """The tutorials of another instrument, for the form that is open."""
    of = own_import(request.user, import_id)
    form = QuestionsStep(
        plan=imports.asked_of(of),
        facts=imports.facts_of(of) if of.facts else None,
        initial={"instrument": request.GET.get("instrument", "")},
    )
    return render(request, "campaigns/_tutorial.html", {"form": form, "of": of})


def _step_form(of: Any, step: str, posted: QueryDict | None = None) -> StepForm:
    facts, plan = imports.facts_of(of) if of.facts else None, imports.asked_of(of)
    initial = None
    if facts and step == "questions" and of.steps_done < 2:
        initial = QuestionsStep.proposed(plan, facts)
    if facts and step == "plan" and of.steps_done < 3 and posted is None:
        initial = _reachable(of, plan)
    return FORMS[step](posted, plan=plan, facts=facts, initial=initial)


def _reachable(of: Any, plan: Plan) -> dict[str, Any] | None:
    """Return the usual target as this file's items reach it; None where another one was chosen."""
    usual = usual_targets(studies_queries.named(plan.instrument), plan.stop_mode)
    if plan.targets != usual["targets"]:
        return None
    try:
        checked = creating.check(imports.plan_of(of), imports.facts_of(of))
    except (Invalid, UploadRefused):
        return None
    return PlanStep.shown(replace(plan, targets=planner.reachable_targets(checked)))


def _out_of_reach(of: Any, form: StepForm, posted: QueryDict) -> list[TargetForecast]:
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
    done = list(STEPS).index(step) + 1
    imports.change_plan(of, plan, shown=-1 if shown is None else shown, steps_done=done)


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


def _step_page(
    request: HttpRequest,
    of: Any,
    step: str,
    form: StepForm,
    *,
    status: int = 200,
    asked: Sequence[TargetForecast] = (),
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
        "steps": steps(of, step),
        "examples": range(1, min(SHOWN, form.facts.n_items if form.facts else SHOWN) + 1),
        "section": "campaigns",
    }
    return render(request, f"campaigns/step_{step}.html", context, status=status)


def _taken(of: Any, form: StepForm, pace: Pace | None) -> dict[str, Any]:
    """Return what the plan takes, or why that cannot be said."""
    if form.facts is None:
        return {"why": "What the plan takes stands here once the file is read."}
    if not form.is_valid():
        return {"why": "Some numbers of the plan need correcting first."}
    try:
        plan = replace(form.plan(), seed=imports.plan_of(of).seed)
        return {"preview": CampaignPreview(creating.check(plan, form.facts), pace)}
    except Invalid as invalid:
        return {"why": " ".join(invalid.errors.values())}
    except UploadRefused as refused:
        return {"why": f"The plan does not fit the file so far: {refused}"}
