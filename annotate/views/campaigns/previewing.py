"""What a file and a plan would become: shown before anything is stored."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from annotate.crowds.tariffs import ZERO
from annotate.selectors.campaigns import protocol
from annotate.selectors.campaigns.listed import CollectionPace
from annotate.selectors.pay import promises
from annotate.selectors.pay.budget import AtMost
from annotate.selectors.work.gold import BLOCK
from annotate.services.campaigns import creating, metric_choice, plans, reach
from annotate.services.campaigns.creating import Checked
from annotate.services.campaigns.importing.facts import Facts
from annotate.services.campaigns.plans import Plan
from annotate.services.campaigns.reach import Reach
from annotate.text.figures import count, many, money, money_at_a_glance, width
from estimation.core.planning import Range

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
    reach: tuple[Reach, ...]
    compares: bool = False  # systems and texts are pairs
    failed_try: Decimal = ZERO  # paid to a person who tries the tutorial and does not pass

    @property
    def is_refused(self) -> bool:
        """Return whether a target cannot be reached."""
        return reach.refused(self.reach)

    @property
    def in_short(self) -> str:
        """Return what the plan takes in one line, for screens without room beside the form."""
        if late := next((one for one in self.reach if not one.is_reachable), None):
            able = "is" if late.is_refused else "may be"
            return f"{late.criterion.label}: a width of {width(late.width)} {able} out of reach."
        known = [one.takes for one in self.reach]
        slowest = max(known, key=lambda one: _high(one.judgments), default=None)
        if slowest is None or slowest.judgments is None:
            return f"At most {many(self.planned, 'judgment')}, {money(self.most.amount)}."
        parts = [f"{_between(slowest.judgments, count)} judgments"]
        if slowest.people is not None:
            parts.append(f"{_between(slowest.people, count)} people")
        if slowest.cost is not None:
            parts.append(_between(slowest.cost, money_at_a_glance))
        return f"About {', '.join(parts)}."

    @property
    def stops_early(self) -> bool:
        """Return whether at most half of what is planned is expected to be judged."""
        known = [one.takes.judgments for one in self.reach if one.is_reachable]
        if not known or len(known) < len(self.reach):
            return False
        return max(map(_high, known)) <= self.planned / 2

    @property
    def n_shared(self) -> int:
        """Rows whose text another system also wrote for the same item."""
        return self.facts.n_rows - self.facts.n_outputs

    @property
    def n_more_systems(self) -> int:
        return self.facts.n_systems - len(self.facts.systems)


def _high(found: Range | None) -> float:
    return 0.0 if found is None else found.high


def _between(found: Range, write: Callable[[Any], str]) -> str:
    return f"{write(found.low)}–{write(found.high)}"


@dataclass(frozen=True)
class ExpectedDays:
    """How long a campaign collects at the pace of an earlier one: 8 of 10 campaigns."""

    low: float
    high: float
    pace: CollectionPace


def days(shown: CampaignPreview, pace: CollectionPace | None) -> ExpectedDays | None:
    """Return how long the last criterion takes; None without a pace, or without a forecast."""
    found = [one.takes.judgments for one in shown.reach]
    if pace is None or not found or None in found:
        return None
    known = [one for one in found if one is not None]
    low, high = max(one.low for one in known), max(one.high for one in known)
    return ExpectedDays(low / pace.per_day, high / pace.per_day, pace)


def preview(checked: Checked) -> CampaignPreview:
    """Return what a file would become under a plan that fits it."""
    plan, facts = checked.plan, checked.facts
    planned = creating.count_planned(plan, facts)
    most = plans.at_most(plan, planned)
    found = tuple(reach.of(checked, most))
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
        compares=checked.instrument.compares,
        failed_try=promises.planned_for_failing(plan.crowd, plan.failed_try_pay)
        if plans.has_tutorial(plan)
        else ZERO,
    )


def _notices(plan: Plan, facts: Facts, planned: int, price: Decimal) -> list[str]:
    found = []
    if facts.n_items < MIN_ITEMS:
        found.append(
            f"{many(facts.n_items, 'item is', 'items are')} few: collection can stop early only "
            "after 30 to 50 of them are judged."
        )
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


def _about_budget(plan: Plan, found: Sequence[Reach]) -> list[str]:
    """Return that the targets are expected to cost more than the budget, if they are."""
    costs = [one.takes.cost for one in found if one.is_reachable and one.takes.cost is not None]
    most = max(costs, key=lambda cost: cost.high, default=None)
    if plan.budget is None or most is None or most.high <= plan.budget:
        return []
    ends = "will probably end" if most.low > plan.budget else "may end"
    return [
        f"The targets are expected to cost {_between(most, money_at_a_glance)}, and the budget is "
        f"{money(plan.budget)}: collection {ends} before they are reached."
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
