"""The form of the plan page: a few of the command's options, with the same names."""

from typing import Any

from django import forms

from annotate.selectors.pay import budget
from annotate.selectors.work.gold import BLOCK
from annotate.selectors.work.gold import MOST as MOST_GOLD
from annotate.services.campaigns.plans import FEWEST_PEOPLE, MOST_PEOPLE, Plan
from annotate.text.figures import unit_of_money
from estimation.core.planning import TYPICAL
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
        label="Typical scores of", choices=[(name, name) for name in TYPICAL], initial="overall"
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
    double_share = _number("Share judged twice", 0.0, 1.0, initial=0.25)
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
        """Return the options of a plan, with what is not asked."""
        given = {k: v for k, v in self.cleaned_data.items() if k not in (*GOALS, "ranked_by")}
        given |= {name: self.fields[name].initial for name in PAID if given[name] is None}
        given["side_by_side"] = self.cleaned_data["ranked_by"] == PAIRS
        if given.get("probability") is None:
            del given["probability"]
        return {**USUAL, **given}

    @property
    def goals(self) -> dict[str, float | None]:
        """Return what is planned for: one of them is a number."""
        return {name: self.cleaned_data[name] for name in GOALS}


PAID = ("tutorial_bonus", "failed_try_pay", "gold_share")  # as usual where they are empty
GOALS = ("target", "margin", "money")
MAIN = ("criterion", "target", "margin", "money", "items", "systems", "ranked_by", "reward", "pool")


def initial() -> dict[str, Any]:
    return {name: field.initial for name, field in PlanForm.base_fields.items()}
