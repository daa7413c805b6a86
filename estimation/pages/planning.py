"""The page Plan: what a collection takes, before there is a campaign."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotate.campaigns import planner
from annotate.campaigns.planner import CLAIMED, PlannedStudy, assumed_people
from annotate.campaigns.plans import FEWEST_PEOPLE, MOST_PEOPLE, Plan
from annotate.common.access import researcher_page, safe_page
from annotate.common.errors import NotFound
from annotate.common.numbers import (
    days_between,
    many,
    money_text,
    number,
    percent,
    short,
    unit_of_money,
    width,
)
from annotate.models.base import MOST_RATERS
from annotate.pay import budget
from annotate.work.picking import BLOCK
from annotate.work.picking import MOST as MOST_GOLD
from estimation import plans
from estimation.core import EstimationError, planning
from estimation.pages import charts as pages_charts
from estimation.pages import pictures
from estimation.plans import USUAL

MOST_ITEMS = 20_000  # of each system; more count as these
MOST_SYSTEMS = 50
DEFAULTS = Plan(name="", targets={})
SCORES, PAIRS = "scores", "pairs"  # what a ranking is made from


def _number(label: str, low: float, high: float, **options: Any) -> forms.FloatField:
    step = options.pop("step", "any")
    widget = forms.NumberInput(attrs={"step": step})
    return forms.FloatField(label=label, min_value=low, max_value=high, widget=widget, **options)


class PlanForm(forms.Form):
    """The form of a plan: a target width or a budget, and the collection."""

    criterion = forms.ChoiceField(
        label="Typical scores of",
        choices=[(name, name) for name in planning.TYPICAL],
        initial="overall",
    )
    items = forms.IntegerField(
        label="Outputs of each system", min_value=2, max_value=MOST_ITEMS, initial=400
    )
    systems = forms.IntegerField(label="Systems", min_value=1, max_value=MOST_SYSTEMS, initial=1)
    target = _number("Target width", 1e-4, 1e4, required=False, initial=0.25)
    margin = _number(
        "Or the margin of a ranking",
        1e-4,
        1e4,
        required=False,
        help_text="The largest difference of two systems that does not matter.",
    )
    money = _number(f"Or a budget, in {unit_of_money()}", 0.01, 1e7, required=False)
    ranked_by = forms.ChoiceField(
        label="A ranking is made from",
        initial=SCORES,
        required=False,
        choices=[(SCORES, "scores of each system"), (PAIRS, "texts judged side by side")],
    )
    probability = _number(
        "Probability of a decision",
        0.5,
        0.99,
        initial=0.9,
        required=False,
        help_text="Of a pair judged side by side.",
    )
    level = _number("Confidence level", 0.5, 0.999, initial=0.95)
    rho = _number(
        "Correlation of the metric with people",
        -0.95,
        0.95,
        initial=0.0,
        help_text="0 without a metric, or where it is not known.",
    )
    cap = forms.IntegerField(
        label="Judgments of one person, at most",
        min_value=0,
        max_value=100_000,
        initial=25,
        help_text="0 for no limit.",
    )
    double_share = _number("Share judged by several people", 0.0, 1.0, initial=0.25)
    raters = forms.IntegerField(
        label="How many people judge each of these",
        min_value=2,
        max_value=MOST_RATERS,
        initial=2,
        required=False,
    )
    estimand = forms.ChoiceField(
        label="For whom",
        initial="population",
        choices=[("population", "people in general"), ("panel", "these people")],
    )
    pool = forms.IntegerField(
        label="People you have",
        min_value=FEWEST_PEOPLE,
        max_value=MOST_PEOPLE,
        required=False,
        help_text="Empty: not known; the answer says what it assumes.",
    )
    reward = _number(
        f"Reward for a judgment, in {unit_of_money()}", 0.001, 1000, initial=float(DEFAULTS.reward)
    )
    crowd = forms.ChoiceField(
        label="Crowd", initial="link", choices=[(name, name) for name in budget.crowds()]
    )
    fee_rate = _number(
        "The crowd’s fee, as a share", 0, 9, required=False, help_text="Empty: its usual one."
    )
    tutorial_bonus = _number(
        f"Bonus for the tutorial, in {unit_of_money()}",
        0,
        9999,
        initial=float(DEFAULTS.tutorial_bonus),
        required=False,
        help_text="0 without a tutorial.",
    )
    failed_try_pay = _number(
        f"Pay for a failed tutorial, in {unit_of_money()}",
        0,
        9999,
        initial=float(DEFAULTS.failed_try_pay),
        required=False,
        help_text="0 without a tutorial.",
    )
    gold_share = forms.IntegerField(
        label=f"Gold items of {BLOCK} tasks",
        min_value=0,
        max_value=MOST_GOLD,
        initial=0,
        required=False,
    )
    minutes = _number("Minutes for a judgment", 0.01, 600, required=False)
    per_day = _number("Judgments in a day", 0.1, 1e6, required=False)
    item_variance = _number(
        "Variance between items", 1e-6, 1e6, required=False, help_text="Of a pilot; empty: typical."
    )
    person_variance = _number("Variance between people", 0, 1e6, required=False)
    rest_variance = _number("Variance of the rest", 0, 1e6, required=False)

    def clean(self) -> dict[str, Any]:
        given: dict[str, Any] = super().clean() or {}
        asked = [name for name in GOALS if given.get(name) is not None]
        if not self.errors and len(asked) != 1:
            self.add_error("target", "Give a target width, a margin or a budget, one of them.")
        if not self.errors and given["ranked_by"] == PAIRS and asked != ["margin"]:
            self.add_error("margin", "Texts are judged side by side for a ranking: give a margin.")
        return given

    @property
    def options(self) -> dict[str, Any]:
        given = {k: v for k, v in self.cleaned_data.items() if k not in (*GOALS, "ranked_by")}
        given |= {name: self.fields[name].initial for name in EMPTY if given[name] is None}
        given["side_by_side"] = self.cleaned_data["ranked_by"] == PAIRS
        if given.get("probability") is None:
            del given["probability"]
        return {**USUAL, **given}

    @property
    def goals(self) -> dict[str, float | None]:
        return {name: self.cleaned_data[name] for name in GOALS}


EMPTY = (
    "tutorial_bonus",
    "failed_try_pay",
    "gold_share",
    "raters",
)  # as usual where they are empty
GOALS = ("target", "margin", "money")
MAIN = ("criterion", "target", "margin", "money", "items", "systems", "ranked_by", "reward", "pool")


def initial() -> dict[str, Any]:
    return {name: field.initial for name, field in PlanForm.base_fields.items()}


# A plan as readers see it: numbers with ranges, and sentences.


def answer(
    options: Mapping[str, Any], goals: Mapping[str, float | None]
) -> tuple[PlannedStudy | None, str]:
    """Return the plan, which is kept for a day, and why there is none."""
    return planner.kept(_answer, sorted(options.items()), sorted(goals.items()))  # type: ignore[no-any-return]


def _answer(options: Any, goals: Any) -> tuple[PlannedStudy | None, str]:
    try:
        return plans.planned(dict(options), **dict(goals)), ""
    except EstimationError as error:
        return None, str(error)


def data(plan: PlannedStudy) -> dict[str, Any]:
    """Return the plan as the API and `plan --json` tell it."""
    return {
        "target": asdict(plan.goal) if plan.goal else None,
        "budget": asdict(plan.bought) if plan.bought else None,
        "ranking": asdict(plan.order) if plan.order else None,
        "pairs": [asdict(one) for one in plan.pairs],
        "people_assumed": people_assumed(plan),
        "refused": plan.refused,
        "reachable": plan.reachable,
        "changes": [
            {"change": name, "target": asdict(goal) if goal else None}
            for name, goal in plan.changes
        ],
    }


@dataclass(frozen=True)
class ShownPlan:
    """query: the asked options, for the addresses of the picture and of the nearest target.

    systems, probability: as they were asked.
    """

    plan: PlannedStudy
    query: str
    systems: int = 1
    probability: float = CLAIMED

    @property
    def ranking(self) -> str:
        return ranked(self.plan, systems=self.systems) if self.plan.order else ""

    @property
    def order(self) -> tuple[tuple[str, str], ...]:
        return planning_order(self.plan, probability=self.probability) if self.plan.order else ()

    @property
    def figures(self) -> tuple[tuple[str, str, str], ...]:
        goal = self.plan.goal
        if goal is None:
            return ()
        found: list[tuple[str, planning.Range, Callable[[float], str]]] = [
            ("Cost", goal.cost, money_text),
            ("Judgments", goal.judgments, _whole),
            ("People", goal.annotators, _whole),
        ]
        if goal.hours is not None:
            found.append(("Hours of work", goal.hours, lambda hours: number(hours, 1)))
        told = [
            (label, write(one.expected), f"{write(one.low)} to {write(one.high)}")
            for label, one, write in found
        ]
        if goal.days is not None:
            pace = f"at {_whole(self.plan.prices.per_day or 0)} judgments a day"
            told.append(("Time", days_between(goal.days.low, goal.days.high), pace))
        return tuple(told)

    @property
    def each_person(self) -> str:
        cost = self.plan.prices.person_cost
        return f"The cost includes {money_text(cost)} for each person." if cost else ""

    @property
    def assumed(self) -> str:
        """Return how many people are assumed to judge, and why; "" for a ranking by a formula."""
        found = people_assumed(self.plan)
        return found["why"] if found else ""

    @property
    def is_refused(self) -> bool:
        return bool(self.plan.goal or self.plan.refused) and not self.plan.is_reached

    @property
    def refusal(self) -> str:
        told = self.plan.refused or (
            f"The items run out first in {percent(1 - self.plan.chance)} of simulated campaigns."
        )
        more = " More people than the plan assumes can reach it." if self.plan.lacks_people else ""
        return told + more

    @property
    def reachable(self) -> str:
        """Return the nearest target that 9 of 10 campaigns reach, as it is typed."""
        return "" if self.plan.reachable is None else f"{self.plan.reachable:g}"

    @property
    def parts(self) -> str:
        goal = self.plan.goal
        names = {"item": "items", "annotator": "people", "rest": "rest"}
        if goal is None:
            return ""
        return ", ".join(f"{names[name]} {percent(share)}" for name, share in goal.parts.items())

    @property
    def bought(self) -> str:
        found = self.plan.bought
        if found is None:
            return ""
        got = f"{many(found.judgments, 'judgment')} for {money_text(found.cost)}"
        if found.width is None:
            return f"{got}: too few for an interval."
        rest = " Everything is judged; the rest stays unspent." if found.complete else ""
        between = f"({width(found.width.low)} to {width(found.width.high)})"
        wide = f"{width(found.width.expected)} {between}"
        return f"{got}: an interval {wide} wide for each system.{rest}"

    @property
    def changes(self) -> tuple[tuple[str, str], ...]:
        return what_would_change(self.plan)


def what_would_change(plan: PlannedStudy) -> tuple[tuple[str, str], ...]:
    """Return each change of the plan with what it would do, the cheapest first.

    Nothing where neither the plan nor any change of it reaches the target.
    """
    if not plan.is_reached and not any(goal for _name, goal in plan.changes):
        return ()
    return tuple((name, _effect(goal, plan)) for name, goal in plan.changes)


def people_assumed(plan: PlannedStudy) -> dict[str, Any] | None:
    """Return who is assumed to judge: people at a time, the fewest for everything, and why.

    None for a ranking of scores: its formula has no number of people in it.
    """
    if plan.order and not (plan.pairs or plan.goal or plan.bought):
        return None
    study = plan.study
    return {
        "places": study.places,
        "fewest": study.fewest_people,
        "why": assumed_people(study),
    }


def ranked(plan: PlannedStudy, *, systems: int) -> str:
    assert plan.order is not None
    how = ", whose texts are judged side by side," if plan.pairs else ","
    return (
        f"A ranking of {many(systems, 'system')}, {many(plan.order.pairs, 'pair')}, margin "
        f"{short(plan.order.margin)}{how} with typical scores and many people"
    )


def planning_order(plan: PlannedStudy, *, probability: float) -> tuple[tuple[str, str], ...]:
    """Return what deciding every pair takes: each case with what is forecast of it."""
    assert plan.order is not None
    planned = ("Planned items", number(plan.order.planned_items, 0))
    if plan.pairs:
        return (
            planned,
            *((_kind(one, plan), _taken(one, plan, probability)) for one in plan.pairs),
        )
    return (
        planned,
        (
            "Pairs that are alike, or further apart than the margin",
            _settled(plan.order.settled_items, plan),
        ),
        (
            "Pairs that differ by half the margin, the slowest",
            _settled(plan.order.slowest_items, plan),
        ),
    )


def _kind(one: planning.PairForecast, plan: PlannedStudy) -> str:
    assert plan.order is not None
    if not one.preference:
        return "Pairs that are alike"
    if one.preference < plan.order.margin:
        return "Pairs that differ by half the margin, the slowest"
    return "Pairs that differ by the margin"


def _taken(one: planning.PairForecast, plan: PlannedStudy, probability: float) -> str:
    """Return what it takes to decide all pairs, if they are of this kind."""
    found = [f"{percent(one.decided)} are decided before the items run out"]
    if one.usual_items is not None:
        found.append(f"half of them by {many(one.usual_items, 'item')}")
    if one.enough_items is not None:
        found.append(f"{percent(probability)} by {many(one.enough_items, 'item')}")
    taken = one.judgments
    cost = money_text(taken.expected * plan.prices.per_judgment)
    each = f"{_whole(taken.expected)} ({_whole(taken.low)} to {_whole(taken.high)})"
    return f"{', '.join(found)}; {each} judgments of all pairs ({cost})"


def _settled(items: int | None, plan: PlannedStudy) -> str:
    study = plan.study
    if items is None:
        return f"more than all {many(study.n_items, 'item')}"
    judgments = round(items * study.systems * study.per_item)
    cost = money_text(judgments * plan.prices.per_judgment)
    each = many(items, "item")
    return f"about {each} of each system, at most {many(judgments, 'judgment')} ({cost})"


def _whole(value: float) -> str:
    return number(value, 0)


def _effect(changed: planning.Forecast | None, plan: PlannedStudy) -> str:
    if changed is None:
        return f"the target would {'no longer' if plan.is_reached else 'not'} be reached"
    after, people = changed.judgments.expected, _whole(changed.annotators.expected)
    told = f"{money_text(changed.cost.expected)}: {_whole(after)} judgments by {people} people"
    if plan.goal is None or not plan.is_reached:
        return f"{told}, and the target is reached"
    share = after / plan.goal.judgments.expected - 1
    if abs(share) < 0.02:
        return f"{told}, about as many judgments as before"
    return f"{told}, {percent(abs(share))} {'more' if share > 0 else 'fewer'} judgments"


# The plan page: what a collection takes, before there is a campaign.


@safe_page
def page(request: HttpRequest) -> HttpResponseBase:
    """The form, and below it the answer once something is asked."""
    given, asked = request.GET.copy(), bool(request.GET)
    if "nearest" in given:  # the button under a target that cannot be met
        given["target"] = given.pop("nearest")[-1]
    form = PlanForm(given if asked else None, initial=initial())
    plan, problem = answer(form.options, form.goals) if asked and form.is_valid() else (None, "")
    context = {
        "form": form,
        "main": [form[name] for name in MAIN],
        "more": [field for field in form if field.name not in MAIN],
        "plan": plan
        and ShownPlan(
            plan, given.urlencode(), form.options["systems"], form.options["probability"]
        ),
        "problem": problem,
        "section": "plan",
    }
    return render(request, "estimates/plan.html", context)


@require_safe
@researcher_page
def picture(request: HttpRequest, kind: str) -> HttpResponseBase:
    """The curve as SVG or PNG, or its data as CSV."""
    form = PlanForm(request.GET or initial())
    plan = answer(form.options, form.goals)[0] if form.is_valid() else None
    if plan is None or (found := plan.curve) is None:
        raise NotFound("There is no such plan.")
    theme = "dark" if request.GET.get("theme") == "dark" else "light"
    return pictures.answer(
        kind,
        name="plan",
        spec=lambda: pages_charts.spec(found, theme, target=form.cleaned_data["target"]),
        header=pages_charts.COLUMNS,
        rows=pages_charts.curve_rows(found),
        inline="theme" in request.GET,
    )
