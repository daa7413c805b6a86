"""The preview of a campaign before anything is stored."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from annotate.crowds.tariffs import ZERO
from annotate.selectors.campaigns import protocol
from annotate.selectors.campaigns.listed import CollectionPace
from annotate.selectors.pay import promises
from annotate.selectors.pay.budget import AtMost
from annotate.selectors.work.gold import BLOCK
from annotate.services.campaigns import creating, metric_choice, planner, plans
from annotate.services.campaigns.creating import Checked
from annotate.services.campaigns.importing.facts import Facts
from annotate.services.campaigns.planner import Aim
from annotate.services.campaigns.plans import Plan
from annotate.text.figures import (
    count,
    days_between,
    many,
    money,
    money_at_a_glance,
    number,
    width,
)
from estimation.core.planning import Forecast, Range

MIN_ITEMS = 50  # fewer cannot stop on the unbounded criteria (docs/statistics.md, intervals)


@dataclass(frozen=True)
class CampaignPreview:
    """What an import would create, and what the researcher should know first.

    title, about: what annotators read. offers: metrics that the file has for every output, that
    are not the same for all of them, and that the plan does not use. reach: what each target
    width takes.
    """

    facts: Facts
    title: str
    about: str
    planned: int
    most: AtMost
    price: Decimal
    metrics: tuple[str, ...]
    notices: tuple[str, ...]
    offers: tuple[str, ...]
    reach: tuple[Aim, ...]
    pace: CollectionPace | None = None
    compares: bool = False  # systems and texts are pairs
    failed_try: Decimal = ZERO  # paid to a person who tries the tutorial and does not pass

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
            return f"At most {many(self.planned, 'judgment')}, {money(self.most.amount)}."
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


def preview(checked: Checked, pace: CollectionPace | None = None) -> CampaignPreview:
    """Return the preview of a file under a valid plan.

    pace: of an earlier campaign; None if there was none.
    """
    plan, facts = checked.plan, checked.facts
    planned = creating.count_planned(plan, facts)
    most = plans.at_most(plan, planned)
    found = tuple(planner.aims(checked, pace.per_day if pace else None))
    return CampaignPreview(
        facts=facts,
        title=protocol.title(plan.public_title, checked.instrument, plan.language),
        about=protocol.about(plan.public_about, checked.instrument, plan.language),
        planned=planned,
        most=most,
        price=most.bill.each,
        metrics=checked.metrics,
        notices=(
            *facts.notices,
            *metric_choice.unusable(facts),
            *_about_ranking(checked),
            *_about_pairs(checked),
            *_notices(plan, facts, planned, most.bill.each),
            *_about_budget(plan, found),
            *_about_metrics(checked.metrics, facts),
        ),
        offers=metric_choice.useful(checked.metrics, facts),
        reach=found,
        pace=pace,
        compares=checked.instrument.compares,
        failed_try=promises.planned_for_failing(plan.crowd, plan.failed_try_pay)
        if plans.has_tutorial(plan)
        else ZERO,
    )


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
    if plan.annotator_cap is None or plan.annotator_cap > 25:
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


def _about_budget(plan: Plan, found: Sequence[Aim]) -> list[str]:
    """Return that the targets are expected to cost more than the budget, if they are."""
    costs = [one.found.goal.cost for one in found if one.is_reached and one.found.goal]
    most = max(costs, key=lambda cost: cost.high, default=None)
    if plan.budget is None or most is None or most.high <= plan.budget:
        return []
    ends = "will probably end" if most.low > plan.budget else "may end"
    between = f"{money_at_a_glance(most.low)}–{money_at_a_glance(most.high)}"
    return [
        f"The targets are expected to cost {between}, and the budget is {money(plan.budget)}: "
        f"collection {ends} before they are reached."
    ]


def _about_pairs(checked: Checked) -> list[str]:
    found = checked.facts.pairs
    if not checked.instrument.compares or found is None or not found.n_same:
        return []
    return [
        f"{many(found.n_same, 'pair has', 'pairs have')} the same text twice. Nobody is asked "
        "about them: results speak for the pairs whose texts differ."
    ]


def _about_ranking(checked: Checked) -> list[str]:
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
    given = [name for name in metrics if metric_choice.given(name, facts)]
    if given:
        found.append(f"Taken from your file as it is: {', '.join(given)}.")
    found += [
        f"{name} is computed here, not taken from the column “{name}” of your file. Rename the "
        "column to use it."
        for name in metrics
        if name not in given and facts.column(name)
    ]
    found += metric_choice.averaged(metrics, facts)
    found += [
        f"{why} Take it out in the step “Questions and metrics”."
        for why in metric_choice.useless(metrics, facts)
    ]
    if len(metrics) > 1:
        found.append(
            f"{len(metrics)} metrics are combined, with weights learnt from other items than the "
            "ones they correct. This choice is fixed when you create the campaign."
        )
    return found
